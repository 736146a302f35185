/**
 * The ledger: a server under load is killed again and again, and afterwards every event that was acknowledged has
 * arrived or is in the dead letters, once per webhook, and no id was ever sent with two bodies.
 *
 * @slow the leases of a server that was killed run out after half a minute
 */
import { Prng } from "@lead-signals/simulation-kernel"
import Database from "better-sqlite3"
import { join } from "node:path"
import { Webhook as StandardWebhook } from "standardwebhooks"
import { expect, it } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { type Received, startReceiver } from "../harness/Receiver.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { bundledServer } from "../harness/BundledServer.ts"
import {
  callJson,
  endServersAfterTests,
  operatorToken,
  setUpBrand,
  startServer
} from "../harness/ServerProcess.ts"

endServersAfterTests()
const kills = isThorough ? 50 : 1
const program = bundledServer

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

interface Subscriber {
  readonly name: string
  readonly id: string
  readonly secret: string
  readonly received: ReadonlyArray<Received>
}

/** What a subscriber ended with, by event and what the event is of. */
const tally = ({ received }: Subscriber) => {
  const idsOf = new Map<string, Set<string>>()
  const bodyOf = new Map<string, string>()
  for (const { body, headers } of received) {
    const { data, event } = JSON.parse(body)
    const of = event === "lead2.created" ? data.lead2.extId : data.engagements[0].id
    const id = headers["webhook-id"]!
    // One id, one body; the envelope says the same id.
    expect([id, bodyOf.get(id) ?? body, JSON.parse(body).id]).toEqual([id, body, id])
    bodyOf.set(id, body)
    idsOf.set(`${event} ${of}`, (idsOf.get(`${event} ${of}`) ?? new Set()).add(id))
  }
  return idsOf
}

it(`loses nothing and doubles nothing over ${kills} kills under load [STORE-2, DELIV-2, EVT-2, EVT-3, EVT-5, EVT-8]`, async () => {
  const prng = Prng.of(11, "ledger")
  const filename = join(temporaryFolder(), "ledger.sqlite")
  const environment = {
    LEAD_SIGNALS_DATABASE: filename,
    LEAD_SIGNALS_DEMO: "false",
    LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
    LEAD_SIGNALS_WEBHOOK_ALLOW: "127.0.0.0/8",
    LEAD_SIGNALS_WEBHOOK_RETRY: "1,1,2"
  }
  let server = await startServer(environment, program)
  const { brandId, signalId } = await setUpBrand(server.url)
  const operate = (method: string, path: string, json?: unknown) =>
    callJson(`${server.url}/operator/brands/${brandId}${path}`, operatorToken, method, json)

  const healthy = await startReceiver()
  const flaky = await startReceiver((_, response, request) => {
    const draw = prng.fraction()
    if (draw < 0.2) request.socket.destroy()
    else response.writeHead(draw < 0.45 ? 500 : 200).end("flaky")
  })
  const slow = await startReceiver((_, response) => void setTimeout(() => response.writeHead(202).end(), 250))
  const dead = await startReceiver((_, response) => response.writeHead(503).end("closed"))

  const subscribers: Array<Subscriber> = []
  for (const [name, { received, url }] of Object.entries({ healthy, flaky, slow, dead })) {
    const { body } = await operate("POST", "/webhooks", {
      url,
      events: ["lead2.created", "activity.detected"]
    })
    subscribers.push({ name, id: body.data.id, secret: body.data.secret, received })
  }

  const acknowledged = new Set<string>()
  let number = 0
  /** One client's requests until the server is gone. */
  const ingest = async (): Promise<void> => {
    for (;;) {
      const observations = Array.from({ length: 1 + prng.below(3) }, () => ({
        signalId,
        person: { extId: `p${prng.below(400)}`, name: "N" },
        engagement: { id: `e${number++}` }
      }))
      const { body } = await operate("POST", "/observations", { observations })
      for (const { engagementId, outcome } of body.data) {
        expect(outcome).toBe("recorded")
        acknowledged.add(engagementId)
      }
      await sleep(20)
    }
  }
  const untilGone = (error: unknown): void => {
    if (!/fetch failed|terminated|JSON/.test(String(error))) throw error
  }
  for (let kill = 0; kill < kills; kill++) {
    const clients = [ingest().catch(untilGone), ingest().catch(untilGone)]
    // However slow the machine is, each life of the server takes something in.
    const before = acknowledged.size
    while (acknowledged.size < before + 2) await sleep(5)
    await sleep(prng.below(400))
    expect(await server.end("SIGKILL")).toBe("SIGKILL")
    await Promise.all(clients)
    server = await startServer(environment, program)
  }

  const count = async (id: string, state: string): Promise<number> =>
    (await operate("GET", `/webhooks/${id}/deliveries?state=${state}&pageSize=1`)).body.meta.pagination.total
  for (const { id } of subscribers) while ((await count(id, "pending")) > 0) await sleep(200)

  // Every committed engagement, acknowledged or killed before its acknowledgement went out.
  const db = new Database(filename, { readonly: true })
  const engagements = db.prepare("SELECT id FROM engagement").pluck().all() as Array<string>
  const people = db.prepare("SELECT ext_id FROM lead").pluck().all() as Array<string>
  expect(db.pragma("integrity_check")).toEqual([{ integrity_check: "ok" }])
  expect(db.pragma("foreign_key_check")).toEqual([])
  expect(db.prepare("SELECT count(*) FROM delivery_body").pluck().get()).toBe(0)
  db.close()
  expect(acknowledged.size).toBeGreaterThanOrEqual(2 * kills)
  for (const id of acknowledged) expect(engagements).toContain(id)
  const expected = [
    ...engagements.map((id) => `activity.detected ${id}`),
    ...people.map((id) => `lead2.created ${id}`)
  ]

  for (const subscriber of subscribers) {
    const deadLetters = new Set<string>()
    const deadIds = new Set<string>()
    for (let page = 1; ; page++) {
      const path = `/webhooks/${subscriber.id}/deliveries?state=dead&pageSize=100&page=${page}`
      const { data } = (await operate("GET", path)).body
      if (data.length === 0) break
      for (const { engagementId, event, id, leadId } of data) {
        deadIds.add(id)
        const of = event === "lead2.created" ? await personOf(leadId) : engagementId
        deadLetters.add(`${event} ${of}`)
      }
    }
    const arrived = tally(subscriber)
    for (const event of expected) {
      const ids = arrived.get(event) ?? new Set()
      const isThere = ids.size > 0 && ![...ids].every((id) => deadIds.has(id))
      expect([subscriber.name, event, isThere || deadLetters.has(event)]).toEqual([
        subscriber.name,
        event,
        true
      ])
      // One delivery of it, ever: lead2.created once per person.
      expect([event, ids.size <= 1]).toEqual([event, true])
    }
    expect(arrived.size).toBeLessThanOrEqual(expected.length)
    if (subscriber.name === "healthy" || subscriber.name === "slow") expect(deadLetters.size).toBe(0)
    if (subscriber.name === "dead") expect(deadLetters.size).toBe(expected.length)
    const webhook = new StandardWebhook(subscriber.secret)
    for (const { body, headers } of subscriber.received.slice(-20)) webhook.verify(body, headers)
  }

  async function personOf(leadId: number): Promise<string> {
    return (await operate("GET", `/leads/${leadId}`)).body.data.extId
  }
  process.stdout.write(
    `ledger: ${kills} kills, ${acknowledged.size} acknowledged of ${engagements.length} engagements, ${people.length} people; posts ${subscribers
      .map(({ name, received }) => `${name} ${received.length}`)
      .join(", ")}\n`
  )
  await server.end("SIGTERM")
})
