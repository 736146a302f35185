/**
 * Two transactions of writing methods, of two nodes, stepped statement by statement: whatever the order, the answers and the end state are
 * those of one after the other.
 */
import {
  BrandStore,
  Brands,
  Deliveries,
  Leads,
  LeadStore,
  Outbox,
  Pruning,
  recordObservations,
  type RetentionKind,
  Retries,
  Signals,
  type StorePorts,
  Webhooks,
  WebhookStore,
  WebhookTargets
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as PostgresStore from "@lead-signals/store-postgres"
import { Clock, Effect, Layer, ManagedRuntime, Option } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { newSchema, sharedDatabase } from "./Databases.ts"
import { firstLine, interleave, SteppedNode } from "./Stepper.ts"

const now = Date.UTC(2026, 0, 1)
const stillClock: Clock.Clock = {
  [Clock.ClockTypeId]: Clock.ClockTypeId,
  unsafeCurrentTimeMillis: () => now,
  unsafeCurrentTimeNanos: () => BigInt(now) * 1_000_000n,
  currentTimeMillis: Effect.succeed(now),
  currentTimeNanos: Effect.succeed(BigInt(now) * 1_000_000n),
  sleep: () => Effect.void
}
const anyTarget = Layer.succeed(WebhookTargets, { check: (url: string) => Effect.succeed(url) })
const runtimeOf = (store: Layer.Layer<StorePorts, unknown>) =>
  ManagedRuntime.make(Layer.mergeAll(store, webCrypto, anyTarget))
type Needs = ManagedRuntime.ManagedRuntime.Context<ReturnType<typeof runtimeOf>>

/**
 * A brand with two leads, the second of which engaged with a post of the first, and with a webhook. Another lead was seen before there
 * was a webhook, so that nothing was sent about it.
 */
interface World {
  readonly brand: Effect.Effect.Success<ReturnType<typeof Brands.create>>
  readonly signalId: string
  readonly webhookId: string
  /** Lead ids by person. */
  readonly leads: Readonly<Record<"p0" | "p1" | "p2", number>>
  /** A leased delivery, whose attempt is under way. */
  readonly leased: { readonly deliveryId: string; readonly token: string }
  /** A delivery that died. */
  readonly dead: string
}

const seen = (signalId: string, person: string, engagement: string, author: string | null = null) => ({
  signalId,
  person: { extId: person, name: person },
  engagement: {
    id: engagement,
    ...(author === null ? {} : { postAuthorDetail: { extId: author, name: author } })
  }
})

let ids = 0
/** Ids of deliveries that say which call drew them. */
const idsOf = (call: string) => {
  const run = ++ids
  let count = 0
  return () => `${run}-${call}-${++count}`
}

const leaseUpTo = (token: string, perWebhook: number) =>
  Effect.flatMap(Outbox, (outbox) =>
    outbox.lease({
      token,
      leaseMillis: 30_000,
      limits: { total: 1000, reserved: 0, perWebhook, failingTotal: 1000, perFailingWebhook: perWebhook },
      underWay: { total: 0, failingTotal: 0, byWebhook: new Map() },
      body: ({ engagements, lead }) =>
        JSON.stringify([
          lead?.extId,
          engagements.map((read) => [read.engagement.id, read.engagement.postAuthorDetail?.extId])
        ])
    })
  )

const record = (
  deliveryId: string,
  token: string,
  status: number,
  schedule: ReadonlyArray<number> = [1000]
) =>
  Effect.flatMap(Outbox, (outbox) => {
    const result = { status, error: null, response: "r", retryAfterSeconds: null }
    return outbox.record([
      {
        deliveryId,
        token,
        url: "u",
        at: now,
        durationMillis: 1,
        result,
        settle: (known, at) => Retries.settle(known, result, at, 0.5, schedule)
      }
    ])
  })

const commit = (
  { brand, signalId }: World,
  person: string,
  engagement: string,
  author: string | null = null
) => recordObservations(brand, [seen(signalId, person, engagement, author)])

/** Prunes what was over before now. One that skips what others hold is as one that finds nothing. */
const prune = (kind: RetentionKind) => () =>
  Effect.flatMap(Pruning, (pruning) =>
    Effect.map(pruning.prune({ kind, before: now + 1, after: null, limit: 100, turn: null }), ({ removed }) =>
      removed === 0 ? [] : removed
    )
  )

const lease = (_: World, call: string) =>
  Effect.map(leaseUpTo(`${call}-token`, 2), ({ leases }) => leases.map(({ body }) => body))

/** Each writing method that another's write can bear on. The answer is compared, too. */
const methods: Readonly<
  Record<string, (world: World, call: string) => Effect.Effect<unknown, unknown, Needs>>
> = {
  "commit of a new lead": (world) => Effect.map(commit(world, "p3", "e3"), ([one]) => one!.outcome),
  "commit of the same new lead": (world) => Effect.map(commit(world, "p3", "e3b"), ([one]) => one!.outcome),
  "commit of a known lead": (world) => Effect.map(commit(world, "p1", "e4"), ([one]) => one!.outcome),
  "commit on a post of a lead": (world) =>
    Effect.map(commit(world, "p2", "e5", "p1"), ([one]) => one!.outcome),
  amend: ({ brand, leads }) => Effect.asVoid(Leads.amend(brand.id, leads.p1, { qualified: true, score1: 7 })),
  erase: ({ brand, leads }) => Leads.erase(brand, leads.p1),
  removeSome: ({ brand }) => Effect.flatMap(LeadStore, (store) => store.removeSome(brand.id)),
  lease,
  "lease of another": lease,
  "record of a success": ({ leased }) =>
    Effect.map(record(leased.deliveryId, leased.token, 200), ([one]) => one!.outcome),
  "record of 410": ({ leased }) =>
    Effect.map(record(leased.deliveryId, leased.token, 410), ([one]) => one!.outcome),
  "queue of the newest event": ({ brand, leads, webhookId }, call) =>
    Effect.flatMap(Deliveries, (deliveries) =>
      Effect.map(
        deliveries.queue(
          { id: webhookId, brandId: brand.id },
          { what: "newest-event", leadId: leads.p1, event: "lead2.created" },
          idsOf(call)
        ),
        Option.isSome
      )
    ),
  "queue of an event that was never sent": ({ brand, leads, webhookId }, call) =>
    Effect.flatMap(Deliveries, (deliveries) =>
      Effect.map(
        deliveries.queue(
          { id: webhookId, brandId: brand.id },
          { what: "newest-event", leadId: leads.p0, event: "activity.detected" },
          idsOf(call)
        ),
        Option.isSome
      )
    ),
  "pruning of dead letters": prune("deadLetters"),
  "pruning of events": prune("events"),
  "pruning of engagements": prune("engagements"),
  "queue again": ({ brand, dead, webhookId }, call) =>
    Effect.flatMap(Deliveries, (deliveries) =>
      Effect.map(
        deliveries.queue(
          { id: webhookId, brandId: brand.id },
          { what: "again", deliveryId: dead },
          idsOf(call)
        ),
        Option.isSome
      )
    ),
  recover: ({ webhookId }, call) =>
    Effect.flatMap(Deliveries, (deliveries) =>
      deliveries.recover(
        webhookId,
        { since: 0, events: ["lead2.created", "activity.detected"], limit: 10 },
        idsOf(call)
      )
    ),
  "disabling the webhook": ({ brand, webhookId }) =>
    Effect.map(Webhooks.change(brand.id, webhookId, { enabled: false }), ({ enabled }) => enabled),
  "deletion of the webhook": ({ brand, webhookId }) =>
    Effect.flatMap(WebhookStore, (store) => store.delete(brand.id, webhookId)),
  "deletion of the signal": ({ brand, signalId }) => Signals.remove(brand.id, signalId),
  "beginning of the brand's deletion": ({ brand }) =>
    Effect.flatMap(BrandStore, (store) => Effect.map(store.startDeletion(brand.id, now), Option.isSome)),
  "end of the brand's deletion": ({ brand }) =>
    Effect.flatMap(BrandStore, (store) => store.finishDeletion(brand.id))
}

describe.skipIf(isWithoutPostgres)("transactions of two nodes, stepped statement by statement,", () => {
  const schema = newSchema()
  const nodes = [new SteppedNode("node-a"), new SteppedNode("node-b")] as const
  let admin: pg.Client
  let runtimes: ReadonlyArray<ReturnType<typeof runtimeOf>>

  const run = <A, E>(node: 0 | 1, work: Effect.Effect<A, E, Needs>): Promise<A> =>
    runtimes[node]!.runPromise(Effect.withClock(work, stillClock))

  beforeAll(async () => {
    const url = await sharedDatabase()
    admin = new pg.Client({ connectionString: url })
    await admin.connect()
    runtimes = nodes.map(({ beforeStatement, name }) =>
      runtimeOf(
        PostgresStore.layer({
          url,
          schema,
          beforeStatement,
          applicationName: name,
          maxConnections: 2,
          notifications: false
        })
      )
    )
    for (const runtime of runtimes) await runtime.runPromise(Effect.void)
  })
  afterAll(async () => {
    for (const runtime of runtimes ?? []) await runtime.dispose()
    await admin?.end()
  })

  const create = async (): Promise<World> => {
    // Leases of all brands are one call's: earlier worlds have nothing due.
    await admin.query(`UPDATE ${schema}.webhook SET enabled = false, disabled_reason = 'over' WHERE enabled`)
    return run(
      0,
      Effect.gen(function* () {
        // Prunings are of all brands, too: earlier worlds have nothing due.
        for (const kind of ["deliveries", "deadLetters", "events", "engagements"] as const)
          yield* prune(kind)()
        const brand = yield* Brands.create("B")
        const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
        const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
        const observe = (person: string, engagement: string, author: string | null) =>
          Effect.map(
            recordObservations(brand, [seen(signal.id, person, engagement, author)]),
            ([one]) => one!.leadId!
          )
        const p0 = yield* observe("p0", "e0", null)
        const { id: webhookId } = yield* Webhooks.create(brand.id, {
          url: "u",
          events: ["lead2.created", "activity.detected"],
          description: null,
          enabled: true
        })
        const leads = { p0, p1: yield* observe("p1", "e1", null), p2: yield* observe("p2", "e2", "p1") }
        const first = yield* leaseUpTo(`first-${brand.id}`, 3)
        const [died, again, other] = first.leases
        yield* record(died!.deliveryId, died!.token, 500, [])
        yield* record(other!.deliveryId, other!.token, 500, [0])
        const leased = { deliveryId: again!.deliveryId, token: again!.token }
        return { brand, signalId: signal.id, webhookId, leads, leased, dead: died!.deliveryId }
      })
    )
  }

  /** All that the ports and the counters show of the world, without what only the order of calls decides. */
  const stateOf = async ({ brand }: World): Promise<string> => {
    const tables = {
      leads: `SELECT ext_id, flags, score1, created_at, updated_at, signal_ids::jsonb = '[]'::jsonb AS has_none FROM ${schema}.lead WHERE brand_id = $1`,
      engagements: `SELECT e.id, l.ext_id, e.author_ext_id, e.post_author_detail FROM ${schema}.engagement e LEFT JOIN ${schema}.lead l ON l.brand_id = e.brand_id AND l.id = e.lead_id WHERE e.brand_id = $1`,
      suppressed: `SELECT count(*)::int AS n FROM ${schema}.suppression WHERE brand_id = $1`,
      events: `SELECT e.event, e.engagement_id, e.is_first_activity, l.ext_id FROM ${schema}.event e LEFT JOIN ${schema}.lead l ON l.brand_id = e.brand_id AND l.id = e.lead_id WHERE e.brand_id = $1`,
      deliveries: `SELECT d.state, d.attempts, d.failures, d.lease IS NULL AS is_free, d.lease LIKE '%~' AS is_earlier, d.due_at, d.finished_at, d.resend_of IS NULL AS is_first, d.resent_as IS NULL AS is_last, b.body, e.event, e.engagement_id, w.id IS NULL AS is_orphan,
          d.resend_of IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${schema}.delivery o WHERE o.id = d.resend_of) AS dangles
        FROM ${schema}.delivery d LEFT JOIN ${schema}.delivery_body b ON b.brand_id = d.brand_id AND b.seq = d.seq
          LEFT JOIN ${schema}.event e ON e.brand_id = d.brand_id AND e.position = d.position LEFT JOIN ${schema}.webhook w ON w.id = d.webhook_id WHERE d.brand_id = $1`,
      bodies: `SELECT count(*)::int AS orphans FROM ${schema}.delivery_body b WHERE b.brand_id = $1 AND NOT EXISTS (SELECT 1 FROM ${schema}.delivery d WHERE d.brand_id = b.brand_id AND d.seq = b.seq)`,
      attempts: `SELECT number, status, response FROM ${schema}.attempt WHERE brand_id = $1`,
      webhooks: `SELECT enabled, disabled_reason, failing_since FROM ${schema}.webhook WHERE brand_id = $1`,
      signals: `SELECT name, deleted_at FROM ${schema}.signal WHERE brand_id = $1`,
      brand: `SELECT name, deletion_started_at, deleted_at FROM ${schema}.brand WHERE id = $1`,
      // Counters are what there is to be counted.
      deliveryCounts: `SELECT coalesce(c.state, d.state) AS state, coalesce(c.n, 0) - coalesce(d.n, 0) AS error FROM
          (SELECT state, sum(n)::int AS n FROM ${schema}.delivery_count WHERE brand_id = $1 GROUP BY state) c
          FULL JOIN (SELECT state, count(*)::int AS n FROM ${schema}.delivery WHERE brand_id = $1 GROUP BY state) d ON d.state = c.state
          WHERE coalesce(c.n, 0) <> coalesce(d.n, 0)`,
      leadCounts: `SELECT coalesce(sum(n), 0)::int - (SELECT count(*) FROM ${schema}.lead WHERE brand_id = $1)::int AS error FROM ${schema}.lead_count WHERE brand_id = $1 AND signal_id = 0`
    }
    const state: Record<string, ReadonlyArray<string>> = {}
    for (const [name, text] of Object.entries(tables)) {
      const { rows } = await admin.query(text, [brand.id])
      state[name] = rows.map((row) => JSON.stringify(row)).sort()
    }
    return JSON.stringify(state, null, 1)
  }

  const workOf = (name: string) => methods[name] ?? (() => Effect.succeed([]))

  const answerOf = (exit: unknown): string =>
    JSON.stringify(exit, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))

  /** The answers and the end state of the two in this order. */
  const serially = async (
    names: readonly [string, string],
    order: readonly [0 | 1, 0 | 1]
  ): Promise<string> => {
    const world = await create()
    const answers: Array<unknown> = []
    for (const i of order) {
      answers[i] = await run(i, workOf(names[i])(world, `c${i}`)).then(
        (value) => ({ value }),
        (error: unknown) => ({ error: firstLine(error) })
      )
    }
    return `${answerOf(answers)}\n${await stateOf(world)}`
  }

  /** Lets the first run so many statements, then the other so many, then each to its end. */
  const stepped = async (names: readonly [string, string], first: 0 | 1, one: number, other: number) => {
    const world = await create()
    let count = 0
    const answers = await interleave(
      nodes,
      ([0, 1] as const).map((i) => () => run(i, workOf(names[i])(world, `c${i}`))),
      admin,
      (standing) => {
        count++
        const wanted = nodes[count <= one || count > one + other ? first : 1 - first]!
        return standing.includes(wanted) ? wanted : standing[0]!
      }
    )
    const steps = nodes[first]!.passed.length
    for (const node of nodes) node.passed.length = 0
    return { outcome: `${answerOf(answers)}\n${await stateOf(world)}`, steps }
  }

  /** A pruning passes over what others have locked, and a lease over deliveries that an erasure has: each may find nothing. */
  const withoutLease = async (names: readonly [string, string]): Promise<ReadonlyArray<string>> => {
    const prunings = ([0, 1] as const).filter((i) => names[i].startsWith("pruning"))
    if (prunings.length > 0) {
      const nothing = "pruning that finds nothing"
      const found = names.map((name, i) => (i === prunings[0] ? nothing : name)) as [string, string]
      const both = prunings.length === 2 ? [await serially([names[0], nothing], [0, 1])] : []
      return [await serially(found, [0, 1]), ...both]
    }
    const leases = ([0, 1] as const).filter((i) => names[i].startsWith("lease"))
    const others = ([0, 1] as const).filter((i) => /^(?:erase|removeSome)$/.test(names[i]))
    if (leases.length === 0 || others.length === 0) return []
    const found: [string, string] = [...names]
    found[leases[0]!] = "lease that finds nothing"
    return [await serially(found, [0, 1])]
  }

  const check = async (names: readonly [string, string]): Promise<void> => {
    const expected = [
      await serially(names, [0, 1]),
      await serially(names, [1, 0]),
      ...(await withoutLease(names))
    ]
    const others = isThorough ? [1, 3, 100] : [100]
    for (const first of [0, 1] as const) {
      for (const other of others) {
        for (let one = 1, steps = Number.POSITIVE_INFINITY; one < steps; one++) {
          const made = await stepped(names, first, one, other)
          steps = made.steps
          if (!expected.includes(made.outcome)) {
            expect(
              made.outcome,
              `${names[first]} stopped after ${one} statements, ${other} of the other`
            ).toBe(expected[0])
          }
        }
      }
    }
  }

  const all = Object.keys(methods)
  const pairs = all.flatMap((a, i) => all.slice(i).map((b) => [a, b] as const))
  /** Few statements of each bear on the other's. All pairs take minutes. */
  const sample = [
    ["commit on a post of a lead", "erase"],
    ["lease", "lease of another"],
    ["deletion of the webhook", "queue of the newest event"],
    ["commit of a new lead", "removeSome"],
    ["pruning of events", "queue of an event that was never sent"],
    ["pruning of dead letters", "queue again"]
  ] as const

  it.each(isThorough ? pairs : sample)("%s and %s end as one after the other", async (a, b) => {
    await check([a, b])
  })
})
