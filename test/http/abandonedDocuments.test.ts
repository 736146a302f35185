/** A client that goes away while a document is made takes it from nobody else. */
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
