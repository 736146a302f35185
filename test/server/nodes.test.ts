/** Two server processes on one Postgres, whose machines' clocks are ten minutes apart. */
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, it } from "vitest"
import { bundledServer } from "../harness/BundledServer.ts"
import { migratedDatabase } from "../harness/MadeSchema.ts"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { startReceiver } from "../harness/Receiver.ts"
import {
  callJson,
  endServersAfterTests,
  operatorToken,
  type ServerProcess,
  setUpBrand,
  startServer
} from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"

endServersAfterTests()

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))
const shiftedClock = fileURLToPath(new URL("../harness/ShiftedClock.mjs", import.meta.url))
const shiftMillis = 600_000
const leaseMillis = 30_000
/** The first retry comes after five seconds, a fifth less at least. */
const minRetryMillis = 4000

/** A node whose machine's clock is so many milliseconds ahead. */
const startNode = (database: string, shiftedBy: number): Promise<ServerProcess> =>
  startServer(
    {
      LEAD_SIGNALS_DATABASE: database,
      LEAD_SIGNALS_DEMO: "false",
      LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
      LEAD_SIGNALS_WEBHOOK_ALLOW: "127.0.0.0/8",
      NODE_OPTIONS: `--import ${shiftedClock}`,
      SHIFTED_BY: String(shiftedBy)
    },
    bundledServer
  )

describe.skipIf(isWithoutPostgres)("two nodes on one Postgres, with clocks ten minutes apart,", () => {
  let database: string
  let nodes: [ServerProcess, ServerProcess]
  let brand: Awaited<ReturnType<typeof setUpBrand>>
  const operate = (node: 0 | 1, method: string, path: string, json?: unknown) =>
    callJson(`${nodes[node].url}/operator/brands/${brand.brandId}${path}`, operatorToken, method, json)
  const observe = async (node: 0 | 1, from: number, count: number): Promise<void> => {
    const observations = Array.from({ length: count }, (_, i) => ({
      signalId: brand.signalId,
      person: { extId: `p${from + i}`, name: "N" },
      engagement: { id: `e${from + i}` }
    }))
    expect((await operate(node, "POST", "/observations", { observations })).status).toBe(200)
  }

  beforeAll(async () => {
    database = await migratedDatabase()
    nodes = await Promise.all([startNode(database, 0), startNode(database, shiftMillis)])
    brand = await setUpBrand(nodes[0].url)
  })

  it("share one budget of a key, and its window [RATE-1, RATE-3, RATE-5]", async () => {
    const { key } = (await operate(0, "POST", "/keys", { label: "small", requestsPerMinute: 20 })).body.data
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        fetch(`${nodes[i % 2]!.url}/signals/leads`, { headers: { authorization: `Bearer ${key}` } })
      )
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40)
    const resets = new Set(answers.map(({ headers }) => headers.get("x-ratelimit-reset")))
    expect(resets.size).toBe(1)
    const inSeconds = Number([...resets][0]) - Date.now() / 1000
    expect([inSeconds > 0, inSeconds <= 61]).toEqual([true, true])
  })

  it("refuse a key at once that the other revoked [AUTH-5]", async () => {
    const { id, key } = (await operate(0, "POST", "/keys", { label: "gone" })).body.data
    expect((await callJson(`${nodes[1].url}/signals/leads`, key)).status).toBe(200)
    expect((await operate(0, "DELETE", `/keys/${id}`)).status).toBe(204)
    expect((await callJson(`${nodes[1].url}/signals/leads`, key)).status).toBe(401)
  })

  it("write times of one clock, which a reader of either node sees at once [EVT-2]", async () => {
    await observe(0, 0, 1)
    await observe(1, 1, 1)
    const { body } = await callJson(`${nodes[0].url}/signals/leads?sort=createdAt:asc`, brand.key)
    const times = body.data.map(({ createdAt }: any) => Date.parse(createdAt))
    expect(times).toHaveLength(2)
    expect(Math.abs(times[1] - times[0])).toBeLessThan(shiftMillis / 4)
  })

  it("post each delivery once, whichever node took its event [DELIV-2]", async () => {
    const receiver = await startReceiver((_, response) => void setTimeout(() => response.end(), 20))
    const { id } = (
      await operate(0, "POST", "/webhooks", { url: receiver.url, events: ["activity.detected"] })
    ).body.data
    const rounds = isThorough ? 10 : 4
    for (let i = 0; i < rounds; i++)
      await Promise.all([observe(0, 1000 + i * 10, 10), observe(1, 2000 + i * 10, 10)])
    while (receiver.received.length < 20 * rounds) await sleep(20)
    await sleep(1500)
    const ids = receiver.received.map(({ headers }) => headers["webhook-id"])
    expect([ids.length, new Set(ids).size]).toEqual([20 * rounds, 20 * rounds])
    await operate(0, "DELETE", `/webhooks/${id}`)
  })

  it("try a failed delivery again by one clock, whichever node made the attempt [DELIV-3]", async () => {
    const seen = new Set<string>()
    const receiver = await startReceiver(({ headers }, response) => {
      response.statusCode = seen.has(headers["webhook-id"]!) ? 200 : 500
      seen.add(headers["webhook-id"]!)
      response.end()
    })
    const { id } = (
      await operate(0, "POST", "/webhooks", { url: receiver.url, events: ["activity.detected"] })
    ).body.data
    await Promise.all([observe(0, 3000, 4), observe(1, 4000, 4)])
    while (receiver.received.length < 16) await sleep(20)
    const posts = Map.groupBy(receiver.received, ({ headers }) => headers["webhook-id"]!)
    expect(posts.size).toBe(8)
    for (const [first, second] of posts.values()) {
      // A node that used its own clock would try again at once, or after ten minutes.
      expect(second!.at - first!.at).toBeGreaterThan(minRetryMillis - 100)
      expect(second!.at - first!.at).toBeLessThan(shiftMillis / 2)
    }
    await operate(0, "DELETE", `/webhooks/${id}`)
  })

  // It waits for a lease to run out.
  it.runIf(isThorough)(
    "finish the deliveries of a node that was killed, none twice while a lease held [DELIV-2, DELIV-3]",
    async () => {
      let isSlow = true
      const receiver = await startReceiver(
        (_, response) => void setTimeout(() => response.end(), isSlow ? 3000 : 5)
      )
      const made = await operate(1, "POST", "/webhooks", { url: receiver.url, events: ["activity.detected"] })
      await Promise.all([observe(0, 10_000, 300), observe(1, 11_000, 300)])
      while (receiver.received.length < 40) await sleep(5)
      expect(await nodes[1].end("SIGKILL")).toBe("SIGKILL")
      isSlow = false
      const ids = () => new Set(receiver.received.map(({ headers }) => headers["webhook-id"]))
      while (ids().size < 600) await sleep(50)
      // Those that the killed node had leased and not posted come last; after them nothing is pending.
      const path = `/webhooks/${made.body.data.id}/deliveries?state=pending&pageSize=1`
      const pending = async () => (await operate(0, "GET", path)).body.meta.pagination.total
      while ((await pending()) > 0) await sleep(200)
      const posts = new Map<string, Array<number>>()
      for (const { at, headers } of receiver.received) {
        const id = headers["webhook-id"]!
        posts.set(id, [...(posts.get(id) ?? []), at])
      }
      expect(posts.size).toBe(600)
      for (const [id, times] of posts) {
        const gaps = times.slice(1).map((at, i) => at - times[i]!)
        for (const gap of gaps) expect([id, gap >= leaseMillis - 5000]).toEqual([id, true])
      }
    }
  )
})
