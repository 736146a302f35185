/**
 * Writing methods on a brand whose webhooks are ordered, and one of whose leads is the author of what others read: an erasure of the author
 * holds deliveries of several leads, and a record of attempts those that come next. [ORD-2]
 */
import {
  Brands,
  Deliveries,
  Leads,
  LeadStore,
  Outbox,
  recordObservations,
  Retries,
  Signals,
  Webhooks,
  WebhookStore
} from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { type MethodGroup, now } from "./MethodGroup.ts"
import { idsOf, leadMethods, leaseUpTo, prune, seen } from "./WritingMethods.ts"

interface OrderedWorld {
  readonly brand: Effect.Effect.Success<ReturnType<typeof Brands.create>>
  readonly signalId: string
  readonly webhookId: string
  /** A webhook that was disabled while a later delivery than others waited for its next attempt. */
  readonly disabledId: string
  readonly author: number
  readonly reader: number
  /** Deliveries of three leads whose attempts are under way. */
  readonly leased: ReadonlyArray<{ readonly deliveryId: string; readonly token: string }>
  /** The same of a webhook that is not ordered. */
  readonly unordered: OrderedWorld["leased"]
  readonly dead: string
}

const record = (leased: OrderedWorld["leased"], status: number, schedule: ReadonlyArray<number> = [1000]) =>
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
          result,
          settle: (known, at) => Retries.settle(known, result, at, 0.5, schedule)
        }))
      ),
      (all) => all.map(({ outcome }) => outcome)
    )
  })

const createWorld: MethodGroup<OrderedWorld>["createWorld"] = Effect.gen(function* () {
  for (const kind of ["deliveries", "deadLetters", "events", "engagements"] as const) yield* prune(kind)()
  const brand = yield* Brands.create("B")
  const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
  const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
  const newWebhook = (ordering: "lead" | "none") =>
    Webhooks.create(brand.id, {
      url: "u",
      events: ["lead2.created", "activity.detected"],
      description: null,
      enabled: true,
      ordering
    })
  const observe = (person: string, engagement: string, author: string | null) =>
    Effect.map(
      recordObservations(brand, [seen(signal.id, person, engagement, author)]),
      ([one]) => one!.leadId!
    )
  const other = yield* newWebhook("lead")
  const reader = yield* observe("reader", "e1", "author")
  const author = yield* observe("author", "e2", null)
  const [, later] = (yield* leaseUpTo(`other-${brand.id}`, 10)).leases
  yield* record([later!], 500)
  yield* Webhooks.change(brand.id, other.id, { enabled: false })
  const { id: webhookId } = yield* newWebhook("lead")
  yield* observe("reader", "e3", "author")
  yield* observe("author", "e4", null)
  yield* observe("reader of another", "e5", "author")
  const plain = yield* newWebhook("none")
  yield* observe("reader", "e6", "author")
  yield* observe("author", "e7", null)
  const { leases } = yield* leaseUpTo(`first-${brand.id}`, 10)
  const [first, second, third] = leases.filter(({ webhook }) => webhook.id === webhookId)
  yield* record([second!], 200)
  yield* record([third!], 500, [])
  const next = (yield* leaseUpTo(`next-${brand.id}`, 10)).leases
  return {
    brand,
    signalId: signal.id,
    webhookId,
    disabledId: other.id,
    author,
    reader,
    leased: [first!, ...next].map(({ deliveryId, token }) => ({ deliveryId, token })),
    unordered: leases
      .filter(({ webhook }) => webhook.id === plain.id)
      .map(({ deliveryId, token }) => ({ deliveryId, token })),
    dead: third!.deliveryId
  }
})

const methods: MethodGroup<OrderedWorld>["methods"] = {
  "record of successes": ({ leased }) => record(leased.toReversed(), 200),
  "record of successes without order": ({ unordered }) => record(unordered.toReversed(), 200),
  "record of failures": ({ leased }) => record(leased.toReversed(), 500),
  "record of ends": ({ leased }) => record(leased.toReversed(), 500, []),
  "record of 410": ({ leased }) => record(leased.slice(0, 1), 410),
  lease: (_, call) =>
    Effect.map(leaseUpTo(`${call}-token`, 2), ({ leases }) => leases.map(({ body }) => body)),
  "erase the author": ({ author, brand }) => Leads.erase(brand, author),
  "erase a reader": ({ brand, reader }) => Leads.erase(brand, reader),
  removeSome: ({ brand }) => Effect.flatMap(LeadStore, (store) => store.removeSome(brand.id)),
  "commit on a post of the author": ({ brand, signalId }) =>
    Effect.map(
      recordObservations(brand, [
        seen(signalId, "reader", "e8", "author"),
        seen(signalId, "author", "e9", null),
        seen(signalId, "reader of another", "e10", "author")
      ]),
      (all) => all.map(({ outcome }) => outcome)
    ),
  amend: ({ author, brand }) => Effect.asVoid(Leads.amend(brand.id, author, { qualified: true, score1: 7 })),
  "pruning of deliveries": prune("deliveries"),
  "pruning of dead letters": prune("deadLetters"),
  "pruning of events": prune("events"),
  "pruning of engagements": prune("engagements"),
  "queue of the newest event": ({ author, brand, webhookId }, call) =>
    Effect.flatMap(Deliveries, (deliveries) =>
      Effect.map(
        deliveries.queue(
          { id: webhookId, brandId: brand.id },
          { what: "newest-event", leadId: author, event: "activity.detected" },
          idsOf(call)
        ),
        Option.isSome
      )
    ),
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
  "end of the order": ({ brand, webhookId }) =>
    Effect.map(Webhooks.change(brand.id, webhookId, { ordering: "none" }), ({ ordering }) => ordering),
  "enabling the other without order": ({ brand, disabledId }) =>
    Effect.map(
      Webhooks.change(brand.id, disabledId, { enabled: true, ordering: "none" }),
      ({ enabled, ordering }) => [enabled, ordering]
    ),
  "deletion of the webhook": ({ brand, webhookId }) =>
    Effect.flatMap(WebhookStore, (store) => store.delete(brand.id, webhookId))
}

const tables: MethodGroup<OrderedWorld>["tables"] = (schema) => ({
  ...leadMethods.tables(schema),
  orders: `SELECT d.state, d.due_at, d.ordered_lead IS NULL AS is_unordered, e.engagement_id, e.event FROM ${schema}.delivery d
    LEFT JOIN ${schema}.event e ON e.brand_id = d.brand_id AND e.position = d.position WHERE d.brand_id = $1`
})

/** Methods on leads and deliveries of a brand with ordered webhooks. */
export const orderedMethods: MethodGroup<OrderedWorld> = { methods, createWorld, tables }
