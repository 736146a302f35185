/** The writing methods of the store, each as one call on a world of its own: what tests of interleaved transactions run at once. */
import {
  type BrandId,
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
  type WebhookId,
  Webhooks,
  WebhookStore
} from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { type MethodGroup, type Needs, now } from "./MethodGroup.ts"

/**
 * A brand with two leads, the second of which engaged with a post of the first, and with a webhook. Another lead was seen before there
 * was a webhook, so that nothing was sent about it; a fourth one was, too, and its activity.detected was pruned since.
 */
export interface World {
  readonly brand: Effect.Effect.Success<ReturnType<typeof Brands.create>>
  readonly signalId: string
  readonly webhookId: WebhookId
  /** Lead ids by person. */
  readonly leads: Readonly<Record<"p0" | "p1" | "p2" | "quiet", number>>
  /** A leased delivery, whose attempt is under way. */
  readonly leased: Leased
  /** A delivery that died. */
  readonly dead: string
}

export const seen = (signalId: string, person: string, engagement: string, author: string | null = null) => ({
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

export const leaseUpTo = (token: string, perWebhook: number) =>
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

interface Leased {
  readonly deliveryId: string
  readonly token: string
}

/** Records attempts on these deliveries, which got the status; answers the outcomes. */
export const record = (
  leased: ReadonlyArray<Leased>,
  status: number,
  schedule: ReadonlyArray<number> = [1000]
) =>
  Effect.flatMap(Outbox, (outbox) => {
    const result = { status, error: null, response: "r", retryAfterSeconds: null }
    return Effect.map(
      outbox.record(
        leased.map(({ deliveryId, token }) => ({
          deliveryId,
          token,
          url: "u",
          at: now,
          durationMillis: 1,
          // An erasure of a person in it removes the answer from the log of each.
          postedAs: { batchId: "wb_1", format: "envelope" as const },
          result,
          settle: (known, at) => Retries.settle(known, result, at, 0.5, schedule)
        }))
      ),
      (all) => all.map(({ outcome }) => outcome)
    )
  })

/** A brand and the webhook that its methods are called for. */
interface WebhookOfBrand {
  readonly brand: { readonly id: BrandId }
  readonly webhookId: WebhookId
}

/** Queues a delivery to the webhook; answers whether one was queued. */
export const queue = (
  { brand, webhookId }: WebhookOfBrand,
  what: Parameters<typeof Deliveries.Service.queue>[1],
  call: string
) =>
  Effect.flatMap(Deliveries, (deliveries) =>
    Effect.map(deliveries.queue({ id: webhookId, brandId: brand.id }, what, idsOf(call)), Option.isSome)
  )

/** Methods on a webhook and its deliveries, whatever else its world has. */
export const webhookMethods = {
  lease: (_: unknown, call: string) =>
    Effect.map(leaseUpTo(`${call}-token`, 2), ({ leases }) => leases.map(({ body }) => body)),
  "queue again": (world: WebhookOfBrand & { readonly dead: string }, call: string) =>
    queue(world, { what: "again", deliveryId: world.dead }, call),
  recover: ({ webhookId }: WebhookOfBrand, call: string) =>
    Effect.flatMap(Deliveries, (deliveries) =>
      deliveries.recover(
        webhookId,
        { since: 0, events: ["lead2.created", "activity.detected"], limit: 10 },
        idsOf(call)
      )
    ),
  "disabling the webhook": ({ brand, webhookId }: WebhookOfBrand) =>
    Effect.map(Webhooks.change(brand.id, webhookId, { enabled: false }), ({ enabled }) => enabled),
  "deletion of the webhook": ({ brand, webhookId }: WebhookOfBrand) =>
    Effect.flatMap(WebhookStore, (store) => store.delete(brand.id, webhookId))
}

const commit = (
  { brand, signalId }: World,
  person: string,
  engagement: string,
  author: string | null = null
) => recordObservations(brand, [seen(signalId, person, engagement, author)])

/** Kinds of which a pruning walks the brands; it finds finished deliveries of all of them at once. */
const prunedByBrand: ReadonlySet<RetentionKind> = new Set(["events", "engagements", "leads"])

/** Prunes what was over before now. One that skips what others hold is as one that finds nothing. */
export const prune =
  (kind: RetentionKind) =>
  ({ brand }: { readonly brand: { readonly id: BrandId } }) =>
    Effect.flatMap(Pruning, (pruning) =>
      Effect.map(
        pruning.prune({
          kind,
          before: now + 1,
          // From the brand on: a piece looks at a hundred brands, and earlier worlds have one each.
          after: prunedByBrand.has(kind) ? [Number(brand.id)] : null,
          limit: 100,
          lease: null
        }),
        ({ removed }) => (removed === 0 ? [] : removed)
      )
    )

/** Leaves no finished delivery of earlier worlds: prunings of them are of all brands. */
export const pruneFinished = (brand: { readonly id: BrandId }) =>
  Effect.forEach(["deliveries", "deadLetters"] as const, (kind) => prune(kind)({ brand }), { discard: true })

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
  ...webhookMethods,
  "lease of another": webhookMethods.lease,
  "record of a success": ({ leased }) => Effect.map(record([leased], 200), ([outcome]) => outcome),
  "record of 410": ({ leased }) => Effect.map(record([leased], 410), ([outcome]) => outcome),
  "queue of the newest event": (world, call) =>
    queue(world, { what: "newest-event", leadId: world.leads.p1, event: "lead2.created" }, call),
  "queue of an event that was never sent": (world, call) =>
    queue(world, { what: "newest-event", leadId: world.leads.p0, event: "activity.detected" }, call),
  "queue of the event of a quiet lead": (world, call) =>
    queue(world, { what: "newest-event", leadId: world.leads.quiet, event: "lead2.created" }, call),
  "pruning of dead letters": prune("deadLetters"),
  "pruning of events": prune("events"),
  "pruning of engagements": prune("engagements"),
  "pruning of leads": prune("leads"),
  "deletion of the signal": ({ brand, signalId }) => Signals.remove(brand.id, signalId),
  "beginning of the brand's deletion": ({ brand }) =>
    Effect.flatMap(BrandStore, (store) => Effect.map(store.startDeletion(brand.id, now), Option.isSome)),
  "end of the brand's deletion": ({ brand }) =>
    Effect.flatMap(BrandStore, (store) => store.finishDeletion(brand.id))
}

/** Makes a world. */
const createWorld: Effect.Effect<World, unknown, Needs> = Effect.gen(function* () {
  const brand = yield* Brands.create("B")
  yield* pruneFinished(brand)
  const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
  const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
  const observe = (person: string, engagement: string, author: string | null) =>
    Effect.map(
      recordObservations(brand, [seen(signal.id, person, engagement, author)]),
      ([one]) => one!.leadId!
    )
  const quiet = yield* observe("quiet", "e-quiet", null)
  yield* prune("events")({ brand })
  const p0 = yield* observe("p0", "e0", null)
  const { id: webhookId } = yield* Webhooks.create(brand.id, {
    url: "u",
    events: ["lead2.created", "activity.detected"],
    description: null,
    enabled: true
  })
  const leads = { quiet, p0, p1: yield* observe("p1", "e1", null), p2: yield* observe("p2", "e2", "p1") }
  const first = yield* leaseUpTo(`first-${brand.id}`, 3)
  const [died, again, other] = first.leases
  yield* record([died!], 500, [])
  yield* record([other!], 500, [0])
  const leased = { deliveryId: again!.deliveryId, token: again!.token }
  return { brand, signalId: signal.id, webhookId, leads, leased, dead: died!.deliveryId }
})

const tables = (schema: string): Readonly<Record<string, string>> => ({
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
})

/** Methods on leads, their events and deliveries, with those that delete what these belong to. */
export const leadMethods: MethodGroup<World> = { methods, createWorld, tables }
