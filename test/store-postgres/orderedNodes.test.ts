/**
 * Ordered webhooks on several nodes of one Postgres: emitters compete for the deliveries while attempts fail, persons are erased and
 * webhooks change, and each lead's events go out in the order of their commits.
 */
import {
  Brands,
  Leads,
  type Lease,
  Outbox,
  Pruning,
  recordObservations,
  Signals,
  Webhooks
} from "@lead-signals/domain"
import * as PostgresStore from "@lead-signals/store-postgres"
import { Emitter, Sender } from "@lead-signals/webhook"
import { Effect, Fiber, Layer, Logger, ManagedRuntime } from "effect"
import pg from "pg"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { recordAttempts } from "../harness/RecordedAttempts.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { sharedDatabase } from "./Databases.ts"
import { openNodes } from "./Nodes.ts"

const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }

interface Settings {
  readonly maxBatch?: number
  readonly enabled?: boolean
}

/** A brand with an ordered webhook, and a way to observe a person. */
const setUp = ({ enabled = true, maxBatch = 1 }: Settings = {}) =>
  Effect.gen(function* () {
    const brand = yield* Brands.create("B")
    const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
    const webhook = yield* Webhooks.create(brand.id, {
      url: "https://r.example/",
      events: ["activity.detected"],
      description: null,
      enabled,
      ordering: "lead",
      maxBatch
    })
    const observe = (person: string, engagement: string, author?: string) =>
      Effect.map(
        recordObservations(brand, [
          {
            signalId: signal.id,
            person: { extId: person, name: person },
            engagement: {
              id: engagement,
              ...(author === undefined ? {} : { postAuthorDetail: { extId: author, name: author } })
            }
          }
        ]),
        ([outcome]) => outcome!.leadId!
      )
    return { brand, webhook, observe }
  })

let tokens = 0
const lease = Effect.flatMap(Outbox, (outbox) =>
  Effect.map(
    outbox.lease({
      token: `t${++tokens}`,
      leaseMillis: 30_000,
      limits: { total: 100, reserved: 0, perWebhook: 100, failingTotal: 100, perFailingWebhook: 100 },
      underWay: { total: 0, failingTotal: 0, byWebhook: new Map() },
      body: ({ deliveryId }) => deliveryId
    }),
    ({ leases }) => leases
  )
)

const record = (leases: ReadonlyArray<Lease>, status: number) =>
  recordAttempts(leases, { status, scheduleMillis: [0] })

describe.skipIf(isWithoutPostgres)("ordered webhooks on several nodes of one Postgres", () => {
  let opened: Awaited<ReturnType<typeof openNodes>>
  beforeAll(async () => {
    opened = await openNodes(3)
  })
  afterAll(() => opened.close())
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it("lock what an attempt ends and what becomes due by it in the order of an erasure, which waits for no deadlock [ORD-2, PII-3]", async () => {
    const [node] = opened.nodes
    const { first, other, waiting } = await node!.runPromise(
      Effect.gen(function* () {
        const { observe } = yield* setUp()
        for (const [person, engagement] of [
          ["a", "e1"],
          ["a", "e2"],
          ["b", "e3"]
        ])
          yield* observe(person!, engagement!)
        const leases = yield* lease
        const rows = yield* Effect.promise(() =>
          opened.rows<{ seq: number; id: string }>("SELECT seq, id FROM delivery ORDER BY seq DESC LIMIT 3")
        )
        const [other, waiting, first] = rows
        expect(leases.map(({ deliveryId }) => deliveryId)).toEqual([first!.id, other!.id])
        return {
          first: leases[0]!,
          other: { lease: leases[1]!, seq: other!.seq },
          waiting: waiting!.seq
        }
      })
    )
    const erasure = opened.client
    await erasure.query("BEGIN")
    await erasure.query("SELECT 1 FROM delivery WHERE seq = $1 FOR UPDATE", [waiting])
    const recorded = node!.runPromise(record([other.lease, first], 200))
    const isWaited = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    while ((await erasure.query(isWaited)).rowCount === 0) await sleep(5)
    // The greater number is free: whoever waits for the lower one has not locked it yet.
    await erasure.query("SELECT 1 FROM delivery WHERE seq = $1 FOR UPDATE NOWAIT", [other.seq])
    await erasure.query("COMMIT")
    expect((await recorded).map(({ outcome }) => outcome)).toEqual(["delivered", "delivered"])
    const [next] = await node!.runPromise(lease)
    expect(next?.place).toEqual({ isInOrder: true, skipped: [] })
  })

  it("lock the deliveries of an erased person and those that show the person in one order, which waits for no deadlock [ORD-2, PII-3]", async () => {
    const [node] = opened.nodes
    const { brand, id, webhook } = await node!.runPromise(
      Effect.gen(function* () {
        const { brand, observe, webhook } = yield* setUp()
        yield* observe("reader", "e1", "author")
        return { brand, id: yield* observe("author", "e2"), webhook }
      })
    )
    const rows = await opened.rows<{ seq: number }>("SELECT seq FROM delivery ORDER BY seq DESC LIMIT 2")
    const [own, shows] = rows
    const recording = opened.client
    await recording.query("BEGIN")
    await recording.query("SELECT 1 FROM delivery WHERE seq = $1 FOR UPDATE", [shows!.seq])
    const erased = node!.runPromise(Leads.erase(brand, id))
    const isWaited = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    while ((await recording.query(isWaited)).rowCount === 0) await sleep(5)
    // The erased person's own is newer: the erasure has not locked it yet.
    await recording.query("SELECT 1 FROM delivery WHERE seq = $1 FOR UPDATE NOWAIT", [own!.seq])
    await recording.query("COMMIT")
    await erased
    const left = await opened.rows<{ seq: number }>("SELECT seq FROM delivery ORDER BY seq DESC LIMIT 1")
    expect(left).toEqual([shows])
    await node!.runPromise(Webhooks.remove(brand.id, webhook.id))
  })

  it("leave nothing aside whose event before ends while a lease looks at it [ORD-2]", async () => {
    const [node] = opened.nodes
    let [reached, goOn] = [(): void => {}, (): void => {}]
    const isReached = new Promise<void>((resolve) => (reached = resolve))
    const mayGoOn = new Promise<void>((resolve) => (goOn = resolve))
    const stepped = ManagedRuntime.make(
      PostgresStore.layer({
        url: await sharedDatabase(),
        schema: opened.schema,
        notifications: false,
        beforeStatement: async (text) => {
          if (!text.startsWith("UPDATE lead_signals.delivery SET due_at")) return
          reached()
          await mayGoOn
        }
      })
    )
    const { brand, observe, webhook } = await node!.runPromise(setUp())
    await node!.runPromise(observe("a", "e1"))
    const [first] = await node!.runPromise(lease)
    await node!.runPromise(observe("a", "e2"))
    // It has seen that the second waits for the first, and is about to set it aside.
    const looking = stepped.runPromise(lease)
    await isReached
    const progress = { isRecorded: false }
    const recorded = node!.runPromise(record([first!], 200)).finally(() => {
      progress.isRecorded = true
    })
    const isWaited = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    while (!progress.isRecorded && (await opened.client.query(isWaited)).rowCount === 0) await sleep(5)
    goOn()
    expect([await looking, (await recorded)[0]!.outcome]).toEqual([[], "delivered"])
    const [second] = await node!.runPromise(lease)
    expect(second?.place).toEqual({ isInOrder: true, skipped: [] })
    await stepped.dispose()
    await node!.runPromise(Webhooks.remove(brand.id, webhook.id))
  })

  /** The failures that statements of all nodes meet: their codes, and the statements' beginnings. */
  const failures = (): ReadonlyArray<string> => {
    const codes: Array<string> = []
    const query = pg.Client.prototype.query as (...given: Array<unknown>) => unknown
    vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (
      this: pg.Client,
      ...given: Array<unknown>
    ) {
      const made = query.apply(this, given)
      if (made instanceof Promise) {
        const [statement] = given as ReadonlyArray<string | { readonly text: string }>
        const text = typeof statement === "string" ? statement : statement?.text
        made.catch(({ code }: { readonly code?: string }) => codes.push(`${code} in ${text?.slice(0, 200)}`))
      }
      return made as never
    } as never)
    return codes
  }

  /** An attempt of an event, from its post to its answer, in the order of both. */
  interface Attempted {
    readonly lead: string
    readonly event: string
    readonly begin: number
    end: number
  }

  /**
   * A receiver that answers after a moment, and fails every third post. It notes each event of each post, at a counter that goes up
   * with each beginning and each end.
   */
  const receiver = () => {
    const attempts: Array<Attempted> = []
    let [posts, instant] = [0, 0]
    const layer = Layer.succeed(
      Sender.Sender,
      Sender.Sender.of({
        post: ({ body }) =>
          Effect.gen(function* () {
            const fails = ++posts % 3 === 0
            const events = [JSON.parse(body)].flat() as ReadonlyArray<{
              readonly data: {
                readonly lead2: { readonly extId: string }
                readonly engagements: readonly [{ readonly id: string }]
              }
            }>
            const begun = events.map(({ data }): Attempted => ({
              lead: data.lead2.extId,
              event: data.engagements[0].id,
              begin: ++instant,
              end: Number.POSITIVE_INFINITY
            }))
            attempts.push(...begun)
            yield* Effect.sleep(1 + (posts % 4)).pipe(
              Effect.ensuring(
                Effect.sync(() => {
                  for (const each of begun) each.end = ++instant
                })
              )
            )
            return {
              status: fails ? 500 : 200,
              retryAfter: null,
              excerpt: new Uint8Array(),
              truncated: false
            }
          })
      })
    )
    return { attempts, layer }
  }

  /** What of the attempts breaks the order: an event that began before one of its lead that was committed before had ended. */
  const disorder = (attempts: ReadonlyArray<Attempted>, lead: string): ReadonlyArray<string> => {
    const own = attempts.filter((each) => each.lead === lead)
    return own.flatMap((each, i) =>
      own
        .slice(0, i)
        .flatMap((before) =>
          before.end > each.begin ||
          Number(before.event.slice(lead.length)) > Number(each.event.slice(lead.length))
            ? [`${before.event} ${each.event}`]
            : []
        )
    )
  }

  const [leads, eventsOfEach] = isThorough ? [60, 20] : [8, 4]

  it.each(isThorough ? [1, 10] : [1])(
    "post each lead's events one after the other, by three emitters, failures and erasures at once, batches of %i [ORD-2, ORD-3, BATCH-1]",
    async (maxBatch) => {
      const codes = failures()
      const { attempts, layer } = receiver()
      const [one, two] = opened.nodes
      const { brand, observe, webhook } = await one!.runPromise(setUp({ maxBatch }))
      // One whose deliveries and webhook go while they are sent.
      const doomed = await one!.runPromise(setUp({ maxBatch }))
      // A delivery whose author is erased while it is sent waits for the end of its lease.
      const options = { scheduleMillis: [5, 5], pollMillis: 20, leaseMillis: 3000 }
      const emitters = opened.nodes.map((node) =>
        node.runFork(
          Effect.never.pipe(
            Effect.provide(Emitter.layer(options).pipe(Layer.provide(layer))),
            Effect.provide(Logger.replace(Logger.defaultLogger, Logger.none))
          )
        )
      )
      const names = Array.from({ length: leads }, (_, l) => `l${maxBatch}-${l}-`)
      const observing = names.map(async (lead, l) => {
        for (let n = 0; n < eventsOfEach; n++) {
          const node = opened.nodes[(l + n) % 3]!
          // Posts of three authors, so that an erasure holds deliveries of many leads.
          await node.runPromise(observe(lead, `${lead}${n}`, `author${maxBatch}-${n % 3}`))
          await node.runPromise(doomed.observe(`doomed ${lead}`, `${lead}${n}`))
        }
      })
      await Promise.all(
        ["0", "1", "2"].map(async (author) => {
          const id = await two!.runPromise(observe(`author${maxBatch}-${author}`, `by ${maxBatch} ${author}`))
          await sleep(isThorough ? 500 : 100)
          await two!.runPromise(Leads.erase(brand, id))
        })
      )
      await two!.runPromise(Webhooks.remove(doomed.brand.id, doomed.webhook.id))
      const prune = Effect.flatMap(Pruning, (pruning) =>
        pruning.prune({ kind: "deliveries", before: Date.now(), after: null, limit: 50, lease: null })
      )
      const isOver = `SELECT 1 FROM delivery WHERE webhook_id = ${webhook.id} AND state = 'pending'`
      await Promise.all(observing)
      while ((await opened.client.query(isOver)).rowCount! > 0) {
        await two!.runPromise(prune)
        await sleep(10)
      }
      for (const emitter of emitters) await Effect.runPromise(Fiber.interrupt(emitter))
      const own = attempts.filter(({ lead }) => names.includes(lead))
      expect(names.flatMap((lead) => disorder(own, lead))).toEqual([])
      const sent = new Set(own.map(({ event }) => event))
      expect(sent.size).toBe(leads * eventsOfEach)
      // Some were sent again after a failure.
      expect(own.length).toBeGreaterThan(sent.size)
      expect(codes).toEqual([])
    }
  )
})
