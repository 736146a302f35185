/**
 * Writing methods on a brand whose webhooks are ordered, and one of whose leads is the author of what others read: an erasure of the author
 * holds deliveries of several leads, and a record of attempts those that come next. [ORD-2]
 */
import {
  Brands,
  Leads,
  LeadStore,
  recordObservations,
  Signals,
  type WebhookId,
  Webhooks
} from "@lead-signals/domain"
import { Effect } from "effect"
import type { MethodGroup } from "./MethodGroup.ts"
import {
  leadMethods,
  leaseUpTo,
  prune,
  pruneFinished,
  queue,
  record,
  seen,
  webhookMethods
} from "./WritingMethods.ts"

interface OrderedWorld {
  readonly brand: Effect.Effect.Success<ReturnType<typeof Brands.create>>
  readonly signalId: string
  readonly webhookId: WebhookId
  /** A webhook that was disabled while a later delivery than others waited for its next attempt. */
  readonly disabledId: WebhookId
  readonly author: number
  readonly reader: number
  /** Deliveries of three leads whose attempts are under way. */
  readonly leased: ReadonlyArray<{ readonly deliveryId: string; readonly token: string }>
  /** The same of a webhook that is not ordered. */
  readonly unordered: OrderedWorld["leased"]
  readonly dead: string
}

const createWorld: MethodGroup<OrderedWorld>["createWorld"] = Effect.gen(function* () {
  const brand = yield* Brands.create("B")
  yield* pruneFinished(brand)
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
  ...webhookMethods,
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
  "queue of the newest event": (world, call) =>
    queue(world, { what: "newest-event", leadId: world.author, event: "activity.detected" }, call),
  "end of the order": ({ brand, webhookId }) =>
    Effect.map(Webhooks.change(brand.id, webhookId, { ordering: "none" }), ({ ordering }) => ordering),
  "enabling the other without order": ({ brand, disabledId }) =>
    Effect.map(
      Webhooks.change(brand.id, disabledId, { enabled: true, ordering: "none" }),
      ({ enabled, ordering }) => [enabled, ordering]
    )
}

const tables: MethodGroup<OrderedWorld>["tables"] = (schema) => ({
  ...leadMethods.tables(schema),
  orders: `SELECT d.state, d.due_at, d.ordered_lead IS NULL AS is_unordered, e.engagement_id, e.event FROM ${schema}.delivery d
    LEFT JOIN ${schema}.event e ON e.brand_id = d.brand_id AND e.position = d.position WHERE d.brand_id = $1`
})

/** Methods on leads and deliveries of a brand with ordered webhooks. */
export const orderedMethods: MethodGroup<OrderedWorld> = { methods, createWorld, tables }
