/**
 * The ledger on Postgres: its server is killed again and again while a node takes observations, erases and delivers. What was answered is
 * there afterwards, and no delivery's id was ever sent with two bodies.
 */
import { Prng } from "@lead-signals/simulation-kernel"
import pg from "pg"
import { expect, it } from "vitest"
import { bundledServer } from "../harness/BundledServer.ts"
import { runCommand } from "../harness/CommandRun.ts"
import { isWithoutPostgres, startPostgres } from "../harness/Postgres.ts"
import { type Received, startReceiver } from "../harness/Receiver.ts"
import {
  callJson,
  endServersAfterTests,
  operatorToken,
  setUpBrand,
  startServer
} from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"

endServersAfterTests()
const rounds = isThorough ? 50 : 2
/** `SIGQUIT` is an immediate shutdown; after `SIGKILL` of the postmaster its processes find out by themselves. */
const signals = ["SIGQUIT", "SIGKILL"] as const

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** The body of each delivery id, by which two bodies under one id are found; and the ids of each event. */
const tally = (received: ReadonlyArray<Received>) => {
  const bodies = new Map<string, string>()
  const ids = new Map<string, Set<string>>()
  let twoBodies = 0
  for (const { body, headers } of received) {
    const id = headers["webhook-id"]!
    if ((bodies.get(id) ?? body) !== body) twoBodies++
    bodies.set(id, body)
    const { data, event } = JSON.parse(body)
    const of = `${event} ${event === "lead2.created" ? data.lead2.extId : data.engagements[0].id}`
    ids.set(of, (ids.get(of) ?? new Set()).add(id))
  }
  return { ids, twoBodies }
}

it.skipIf(isWithoutPostgres || !isThorough)(
  `loses nothing that was answered over ${rounds} kills of Postgres [STORE-2, DELIV-2, EVT-2, EVT-8, PII-3]`,
  async () => {
    const prng = Prng.of(13, "postgres")
    const postgres = await startPostgres({ synced: true })
    const server = await startServer(
      {
        LEAD_SIGNALS_DATABASE: postgres.url(),
        LEAD_SIGNALS_DEMO: "false",
        LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
        LEAD_SIGNALS_WEBHOOK_ALLOW: "127.0.0.0/8",
        LEAD_SIGNALS_WEBHOOK_RETRY: "1,1,1,1,1,1,1,1,1"
      },
      bundledServer
    )
    const { brandId, signalId } = await setUpBrand(server.url)
    const operate = (method: string, path: string, json?: unknown) =>
      callJson(`${server.url}/operator/brands/${brandId}${path}`, operatorToken, method, json)
    const healthy = await startReceiver()
    const flaky = await startReceiver((_, response) => {
      response.writeHead(prng.chance(0.2) ? 500 : 200).end("answer")
    })
    for (const { url } of [healthy, flaky]) {
      await operate("POST", "/webhooks", { url, events: ["lead2.created", "activity.detected"] })
    }

    const acknowledged = new Map<string, { lead: number; person: string }>()
    const erasing = new Set<string>()
    const erased = new Set<string>()
    const counts = { acknowledged: 0, refused: 0, erased: 0, kills: 0 }
    const ingesting = { isOver: false }
    let number = 0
    /** A batch that was refused is sent again, as clients do: it may have taken effect or not. */
    const ingest = async (client: number): Promise<void> => {
      while (!ingesting.isOver) {
        const observations = Array.from({ length: 1 + prng.below(20) }, () => ({
          signalId,
          person: { extId: `${client}-p${prng.below(500)}`, name: "N" },
          engagement: { id: `e${number++}` }
        }))
        for (;;) {
          const { body, status } = await operate("POST", "/observations", { observations })
          if (status === 200) {
            body.data.forEach((outcome: any, i: number) => {
              const person = observations[i]!.person.extId
              if (outcome.outcome === "recorded" || outcome.outcome === "duplicate") {
                acknowledged.set(outcome.engagementId, { lead: outcome.leadId, person })
              } else expect([outcome.outcome, erasing.has(person)]).toEqual(["suppressed", true])
            })
            counts.acknowledged += observations.length
            break
          }
          expect(status).toBe(503)
          counts.refused++
          await sleep(20)
        }
        const { extId } = observations[0]!.person
        const known = acknowledged.get(observations[0]!.engagement.id)
        if (known === undefined || !prng.chance(0.25)) continue
        // From here on it may have happened, whether the answer comes or not.
        erasing.add(extId)
        const { status } = await operate("DELETE", `/leads/${known.lead}`)
        if (status === 204) {
          erased.add(extId)
          counts.erased++
        }
      }
    }
    const clients = [ingest(1), ingest(2), ingest(3)]
    for (let round = 0; round < rounds; round++) {
      // However slow the machine is, each life of Postgres takes something in.
      const before = acknowledged.size
      while (acknowledged.size < before + 60) await sleep(5)
      await sleep(prng.below(300))
      await postgres.kill(signals[round % 2]!)
      counts.kills++
      await sleep(prng.below(200))
      await postgres.start()
    }
    ingesting.isOver = true
    await Promise.all(clients)

    const client = new pg.Client({ connectionString: postgres.url() })
    await client.connect()
    const rowsOf = async (text: string): Promise<Array<any>> => (await client.query(text)).rows
    const pending = async () =>
      Number((await rowsOf("SELECT count(*) AS n FROM lead_signals.delivery WHERE state = 'pending'"))[0].n)
    while ((await pending()) > 0) await sleep(100)

    const engagements = new Map(
      (await rowsOf("SELECT id, lead_id FROM lead_signals.engagement")).map(({ id, lead_id }) => [
        id,
        Number(lead_id)
      ])
    )
    const people = new Set((await rowsOf("SELECT ext_id FROM lead_signals.lead")).map(({ ext_id }) => ext_id))
    const lost = [...acknowledged].filter(
      ([id, { lead, person }]) => !erasing.has(person) && engagements.get(id) !== lead
    )
    expect(lost).toEqual([])
    for (const person of erased) expect(people.has(person)).toBe(false)
    const events = [
      ...Array.from(engagements.keys(), (id) => `activity.detected ${id}`),
      ...Array.from(people, (person) => `lead2.created ${person}`)
    ]
    for (const { received } of [healthy, flaky]) {
      const { ids, twoBodies } = tally(received)
      expect(twoBodies).toBe(0)
      // An erasure gives pending deliveries of others a new id; without one, an event has one.
      for (const event of events) expect([event, ids.has(event)]).toEqual([event, true])
    }
    await client.end()
    const checked = await runCommand(["check", "--database", postgres.url(), "--json"])
    expect(JSON.parse(checked.out)).toMatchObject({ sound: true, problems: [] })
    process.stdout.write(
      `killed Postgres: ${counts.kills} kills, ${counts.acknowledged} answered observations, ${lost.length} lost, ${counts.erased} erasures answered, ${counts.refused} requests refused and repeated, ${healthy.received.length + flaky.received.length} posts, 0 ids with two bodies\n`
    )
    expect(await server.end("SIGTERM")).toBe(0)
    await postgres.remove()
  }
)
