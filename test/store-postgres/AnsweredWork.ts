/**
 * Work of clients whose answers are kept while the node or its Postgres fails: observations, erasures and what webhooks received, to be compared
 * with the database afterwards.
 */
import { Prng } from "@lead-signals/simulation-kernel"
import Database from "better-sqlite3"
import pg from "pg"
import { expect } from "vitest"
import { type Received, type Receiver, startReceiver } from "../harness/Receiver.ts"
import { callJson, type JsonAnswer, operatorToken, setUpBrand } from "../harness/ServerProcess.ts"

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

/** What `fetch` rejects with where the other end is gone, before the answer or within it. */
const isConnectionLost = (error: unknown): boolean =>
  error instanceof TypeError && /^(?:fetch failed|terminated)$/.test(error.message)

/** Engagements that were answered, by id. */
export type Acknowledged = ReadonlyMap<string, { readonly lead: number; readonly person: string }>

/** What a database has of the work. */
interface Content {
  /** The lead of each engagement. */
  readonly engagements: ReadonlyMap<string, number>
  /** External ids of the leads. */
  readonly people: ReadonlySet<string>
  readonly pendingDeliveries: number
}

const contentOfPostgres = async (url: string): Promise<Content> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const rowsOf = async (text: string): Promise<Array<any>> => (await client.query(text)).rows
  try {
    const engagements = await rowsOf("SELECT id, lead_id FROM lead_signals.engagement")
    const people = await rowsOf("SELECT ext_id FROM lead_signals.lead")
    const [pending] = await rowsOf("SELECT count(*) AS n FROM lead_signals.delivery WHERE state = 'pending'")
    return {
      engagements: new Map(engagements.map(({ id, lead_id }) => [id, Number(lead_id)])),
      people: new Set(people.map(({ ext_id }) => ext_id)),
      pendingDeliveries: Number(pending.n)
    }
  } finally {
    await client.end()
  }
}

const contentOfFile = (filename: string): Content => {
  const db = new Database(filename, { readonly: true })
  try {
    const rows = (text: string): Array<any> => db.prepare(text).all()
    return {
      engagements: new Map(
        rows("SELECT id, lead_id FROM engagement").map(({ id, lead_id }) => [id, lead_id])
      ),
      people: new Set(rows("SELECT ext_id FROM lead").map(({ ext_id }) => ext_id)),
      pendingDeliveries: rows("SELECT 1 FROM delivery WHERE state = 'pending'").length
    }
  } finally {
    db.close()
  }
}

/** The database is the URL of one on Postgres, or the path of a SQLite file. */
const contentOf = async (database: string): Promise<Content> =>
  database.startsWith("postgres:") ? contentOfPostgres(database) : contentOfFile(database)

export interface AnsweredWork {
  readonly brandId: string
  readonly signalId: string
  readonly key: string
  readonly counts: { acknowledged: number; refused: number; erased: number }
  /** How many posts the two webhooks received. */
  readonly posts: () => number
  /** Ends when `more` further observations, counted from this call, were answered. */
  readonly progress: (more: number) => Promise<void>
  /** What has been answered so far. */
  readonly acknowledged: () => Acknowledged
  /** Persons whose erasure has been answered. */
  readonly erased: () => ReadonlySet<string>
  /**
   * Compares with a database that no node changes meanwhile: what was answered by now, or what is given, is there unless the person was to be
   * erased, and nobody is whose erasure was answered. Fails where that is not so.
   */
  readonly compare: (database: string, answered?: Acknowledged) => Promise<Content>
  /** Ends the clients when each has an answer. */
  readonly end: () => Promise<void>
  /** Ends the clients, waits until every delivery is done, and compares. Answers how many observations are lost: none, or it fails. */
  readonly settle: (database: string) => Promise<number>
}

/**
 * Three clients that record and erase, each repeating what was refused, and two webhooks, one of which fails at times. `nodeUrl` answers the
 * node of the next request; a node that is gone counts as a refusal.
 */
export const beginWork = async (nodeUrl: () => string, prng: Prng): Promise<AnsweredWork> => {
  const { brandId, key, signalId } = await setUpBrand(nodeUrl())
  const operate = (method: string, path: string, json?: unknown): Promise<JsonAnswer> =>
    callJson(`${nodeUrl()}/operator/brands/${brandId}${path}`, operatorToken, method, json).catch((error) => {
      if (!isConnectionLost(error)) throw error
      return { status: 503, body: null }
    })
  const receivers: ReadonlyArray<Receiver> = [
    await startReceiver(),
    await startReceiver((_, response) => {
      response.writeHead(prng.chance(0.2) ? 500 : 200).end("answer")
    })
  ]
  for (const receiver of receivers) {
    await operate("POST", "/webhooks", { url: receiver.url, events: ["lead2.created", "activity.detected"] })
  }

  const acknowledged = new Map<string, { lead: number; person: string }>()
  const erasing = new Set<string>()
  const erased = new Set<string>()
  const counts = { acknowledged: 0, refused: 0, erased: 0 }
  const ingesting = { isOver: false }
  let number = 0
  /** A batch that was refused is sent again, as clients do: it may have taken effect or not. */
  const ingest = async (client: number): Promise<void> => {
    const own: Array<string> = []
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
              own.push(outcome.engagementId)
            } else expect([outcome.outcome, erasing.has(person)]).toEqual(["suppressed", true])
          })
          counts.acknowledged += observations.length
          break
        }
        expect(status).toBe(503)
        counts.refused++
        await sleep(20)
      }
      if (own.length === 0 || !prng.chance(0.25)) continue
      const known = acknowledged.get(own[prng.below(own.length)]!)!
      const extId = known.person
      if (erasing.has(extId)) continue
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
  const failed = Promise.all(clients).then(() => new Promise<never>(() => {}))

  const compare = async (database: string, answered: Acknowledged = acknowledged): Promise<Content> => {
    const content = await contentOf(database)
    const lost = [...answered].filter(
      ([id, { lead, person }]) => !erasing.has(person) && content.engagements.get(id) !== lead
    )
    expect(lost).toEqual([])
    for (const person of erased) expect([person, content.people.has(person)]).toEqual([person, false])
    return content
  }
  const end = async (): Promise<void> => {
    ingesting.isOver = true
    await Promise.all(clients)
  }
  const settle = async (database: string): Promise<number> => {
    await end()
    while ((await contentOf(database)).pendingDeliveries > 0) await sleep(100)
    const { engagements, people } = await compare(database)
    const events = [
      ...Array.from(engagements.keys(), (id) => `activity.detected ${id}`),
      ...Array.from(people, (person) => `lead2.created ${person}`)
    ]
    for (const { received } of receivers) {
      const { ids, twoBodies } = tally(received)
      expect(twoBodies).toBe(0)
      // An erasure gives pending deliveries of others a new id; without one, an event has one.
      for (const event of events) expect([event, ids.has(event)]).toEqual([event, true])
    }
    return 0
  }
  const waitFor = async (more: number): Promise<void> => {
    const goal = counts.acknowledged + more
    while (counts.acknowledged < goal) await sleep(5)
  }
  return {
    brandId,
    signalId,
    key,
    counts,
    acknowledged: () => new Map(acknowledged),
    erased: () => erased,
    compare,
    end,
    posts: () => receivers.reduce((sum, { received }) => sum + received.length, 0),
    progress: (more) => Promise.race([waitFor(more), failed]),
    settle
  }
}
