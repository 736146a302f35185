/** The feed of changes of server processes: copies among writers on several nodes, and a stop while requests wait. */
import { once } from "node:events"
import { request } from "node:http"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { bundledServer } from "../harness/BundledServer.ts"
import { followAmongWriters } from "../harness/FollowedChanges.ts"
import { isWithoutPostgres, newDatabase } from "../harness/Postgres.ts"
import {
  callJson,
  endServersAfterTests,
  operatorToken,
  setUpBrand,
  startServer
} from "../harness/ServerProcess.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"

endServersAfterTests()

const startNode = (database: string) =>
  startServer(
    {
      LEAD_SIGNALS_DATABASE: database,
      LEAD_SIGNALS_DEMO: "false",
      LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken
    },
    bundledServer
  )

describe.runIf(isThorough)("copies by the feed of changes of several processes, while six write", () => {
  it("are equal to the list on one SQLite file of two [CHG-1, CHG-3, CHG-4]", async () => {
    const database = join(temporaryFolder(), "followed.sqlite")
    const nodes = [await startNode(database), await startNode(database)]
    const counts = await followAmongWriters({ urls: nodes.map(({ url }) => url), writes: 1500 })
    console.log(JSON.stringify(counts))
    expect(await Promise.all(nodes.map((node) => node.end("SIGTERM")))).toEqual([0, 0])
  })

  it.skipIf(isWithoutPostgres)(
    "are equal to the list on one Postgres of three [CHG-1, CHG-3, CHG-4]",
    async () => {
      const database = await newDatabase()
      const nodes = [await startNode(database), await startNode(database), await startNode(database)]
      const counts = await followAmongWriters({ urls: nodes.map(({ url }) => url), writes: 1500 })
      console.log(JSON.stringify(counts))
      expect(await Promise.all(nodes.map((node) => node.end("SIGTERM")))).toEqual([0, 0, 0])
    }
  )
})

it("answers requests that wait for changes when it is stopped, and ends without an error [CHG-6]", async () => {
  const server = await startNode(join(temporaryFolder(), "stopped.sqlite"))
  const { key } = await setUpBrand(server.url)
  const path = `${server.url}/signals/changes`
  const { cursor } = (await callJson(path, key)).body.meta
  const requests = [1, 2, 3, 4].map(() =>
    request(`${path}?cursor=${cursor}&wait=30`, { headers: { authorization: `Bearer ${key}` }, agent: false })
  )
  const waiting = requests.map(async (each) => {
    const [response] = await once(each, "response")
    let text = ""
    for await (const chunk of response) text += chunk
    return { status: response.statusCode, body: JSON.parse(text) }
  })
  await Promise.all(
    requests.map(async (each) => {
      const [socket] = await once(each, "socket")
      if (socket.connecting) await once(socket, "connect")
      each.end()
      await once(each, "finish")
    })
  )
  // A round of the server's event loop accepts their connections, and the next one reads them: it has, once it has answered these.
  for (let i = 0; i < 5; i++) expect((await fetch(`${server.url}/health`)).status).toBe(200)
  const began = performance.now()
  const ended = server.end("SIGTERM")
  for (const { body, status } of await Promise.all(waiting))
    expect([status, body.data, body.meta.cursor]).toEqual([200, [], cursor])
  expect(await ended).toBe(0)
  expect(performance.now() - began).toBeLessThan(25_000)
})
