/** A client that goes away while a document is made takes it from nobody else, and neither does a host that could not load it once. */
import { Effect } from "effect"
import { gzipSync } from "node:zlib"
import { expect, it } from "vitest"
import { startApi } from "../harness/HttpServers.ts"

it.each(["/openapi.json", "/docs", "/docs/swagger-ui.css", "/docs/swagger-ui.js", "/favicon.ico"])(
  "%s comes after its first client went away [DOC-1]",
  async (path) => {
    const api = await startApi()
    const gone = new AbortController()
    const abandoned = api.fetch(new Request(`${api.url}${path}`, { signal: gone.signal }))
    // It waits for the first piece that is compressed.
    await Promise.resolve()
    const meanwhile = api.fetch(new Request(`${api.url}${path}`))
    gone.abort()
    expect((await abandoned).status).toBe(499)
    expect((await meanwhile).status).toBe(200)
    expect((await api.call(path)).status).toBe(200)
  }
)

it("the console comes when its files can be loaded, after a request that failed because they could not [SES-6]", async () => {
  let loads = 0
  const consoleFiles = Effect.sync(() => {
    if (++loads === 1) throw new Error("too many open files")
    return [{ path: "index.html", contentType: "text/html; charset=utf-8", gzipped: gzipSync("<p>") }]
  })
  const api = await startApi({ consoleFiles })
  const statuses: Array<number> = []
  for (let i = 0; i < 3; i++) statuses.push((await fetch(`${api.url}/console/`)).status)
  expect([statuses, loads]).toEqual([[500, 200, 200], 2])
})
