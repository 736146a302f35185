/** Webhooks and deliveries as a naive outbox keeps them. Times are in milliseconds since 1970, by the clock that the store reads unless said. */
import type { Json } from "../world/KnownFacts.ts"

/** Events of one commit are queued in this order. */
export const eventOrder = ["lead2.created", "activity.detected"]

/** One line of a delivery's log. */
interface LoggedAttempt {
  readonly number: number
  readonly at: number
  readonly durationMillis: number
  readonly status: number | null
  readonly error: string | null
  /** The batch in which it went, and in which form; null where it went alone. */
  readonly batchId: string | null
  readonly format: string
  response: string | null
}

/** The right to attempt a delivery, as the store gave it. */
export interface KnownLease {
  readonly token: string
  /** By the clock that the store reads. */
  readonly until: number
  /** In true time: when the delivery was queued, since when it may have been leased, and when it was. */
  readonly queuedAt: number
  readonly readyAt: number
  readonly at: number
  /** Whether it was never leased before, under whatever id. */
  readonly isFirst: boolean
  /** Its place in the answer of the store, from 0. */
  readonly place: number
  /** Where it is posted. [DELIV-3] */
  readonly url: string
  /** Whether it was given as in order, in the word of the header; null where the webhook is not ordered. [ORD-5] */
  readonly order: "lead" | "none" | null
  /** The process that has it, and whether its clock was behind that which the store reads. */
  readonly process: number
  readonly isBehind: boolean
  /** The secrets that sign, the newest first, and until when the older one does. */
  readonly secrets: ReadonlyArray<{ readonly secret: string; readonly until: number }>
  /** Whether it was given with others to go in one post, or may be. */
  readonly isBatched: boolean
  /** In which form its body is. */
  readonly format: string
  /** Whether it was given, or others with it, before there was a place for its attempt: it is given back where none comes free in time. [DELIV-7] */
  isAhead: boolean
  /** Whether the webhook was enabled after it was given. */
  isOfEarlier: boolean
  /** Whether its attempt was recorded. */
  isRecorded: boolean
}

/** Some instant between these, both included. What failed together is due together, and shares it. [BATCH-3] */
export interface Due {
  from: number
  to: number
}

/** A delivery as the outbox must have it. */
export interface KnownDelivery {
  /** Its place among all deliveries of the store, in the order in which they were queued. */
  readonly place: number
  id: string | null
  readonly webhook: OutboxWebhook
  readonly event: string
  readonly leadId: number | null
  readonly engagementId: string | null
  /** When the event occurred; null on a test. */
  readonly occurredAt: number | null
  readonly createdAt: number
  /** The same in true time. */
  readonly queuedAt: number
  state: "pending" | "delivered" | "dead"
  attempts: number
  failures: number
  /** When the first of these failed. */
  firstFailedAt: number | null
  /** Whether it keeps its place among its lead's: its event queued it while the webhook was ordered. */
  isOrdered: boolean
  /** In true time, when it may be leased again at the latest; null before its first lease, under whatever id. */
  againAt: number | null
  /** When the one before it ended, in true time; 0 where it waited for none. */
  releasedAt: number
  /** Whether the store says that it waits: it was passed over by a lease. */
  isDeferred: boolean
  /** It is due at some time between these, both included; null once it is delivered or dead. */
  due: Due | null
  lease: KnownLease | null
  finishedAt: number | null
  /** How many attempts were logged as it was delivered or died: further ones can end after that, and change nothing. Null while it is pending. */
  endedWith: number | null
  resendOf: KnownDelivery | null
  resentAs: KnownDelivery | null
  /** What its attempts send; null before the first lease, and when it is finished. */
  body: string | null
  readonly log: Array<LoggedAttempt>
}

/** How a webhook is sent to, as the operator set it. */
export interface Sending {
  readonly ordering: string
  readonly maxDelay: number | null
  readonly format: string
  readonly maxBatch: number
  readonly maxWait: number
}

/** A webhook as the operator must see it. */
export interface OutboxWebhook {
  readonly id: string
  readonly brandId: string
  url: string
  events: ReadonlyArray<string>
  description: string | null
  enabled: boolean
  disabledReason: string | null
  /** What the reason must name, in words that can change, until it is seen; null where it is known. */
  reasonNames: ReadonlyArray<string> | null
  failingSince: number | null
  sending: Sending
  /** In true time: when it was last enabled, disabled or changed. */
  changedAt: number
  /** When a request for leases last left it no place. */
  fullAt: number
  readonly createdAt: number
  current: string
  previous: { readonly secret: string; readonly until: number } | null
  /** In the order in which they were queued. */
  deliveries: Array<KnownDelivery>
  /** Those whose id nobody has seen, by what they are of. */
  readonly unseen: Map<string, Array<KnownDelivery>>
}

/** What the lead's events were of. */
export interface LeadEvents {
  readonly created: OccurredEvent
  /** Its activity.detected, in the order in which they occurred, without those that were pruned. */
  readonly activities: Array<OccurredEvent>
}

interface OccurredEvent {
  readonly engagementId: string
  readonly occurredAt: number
}

/** Tells an event of a brand from all others. */
export const occurrenceOf = ({
  engagementId,
  event,
  leadId,
  occurredAt
}: Pick<KnownDelivery, "event" | "leadId" | "engagementId" | "occurredAt">): string =>
  `${event} ${leadId} ${engagementId} ${occurredAt}`

/** The deliveries of one webhook that are of one lead. */
interface LeadDeliveries {
  /** In the order in which they were queued. */
  readonly all: Array<KnownDelivery>
  /** How many at the beginning have ended: what has ended stays so. */
  ended: number
}

interface IndexedDeliveries {
  /** How many of the array are in the index: the array only grows, and another takes its place when deliveries are removed. */
  count: number
  readonly byLead: Map<number | null, LeadDeliveries>
}

const indexes = new WeakMap<ReadonlyArray<KnownDelivery>, IndexedDeliveries>()

/** The deliveries of the same webhook and lead. */
const ofLead = ({ leadId: lead, webhook: { deliveries } }: KnownDelivery): LeadDeliveries => {
  const index: IndexedDeliveries = indexes.get(deliveries) ?? { count: 0, byLead: new Map() }
  indexes.set(deliveries, index)
  for (; index.count < deliveries.length; index.count++) {
    const delivery = deliveries[index.count]!
    const known = index.byLead.get(delivery.leadId)
    if (known === undefined) index.byLead.set(delivery.leadId, { all: [delivery], ended: 0 })
    else known.all.push(delivery)
  }
  return index.byLead.get(lead) ?? { all: [], ended: 0 }
}

/** Where the first stands that is pending and keeps a place; −1 where none does. */
const firstPending = (of: LeadDeliveries): number => {
  const { all } = of
  while (of.ended < all.length && all[of.ended]!.state !== "pending") of.ended++
  for (let i = of.ended; i < all.length; i++) if (all[i]!.isOrdered && all[i]!.state === "pending") return i
  return -1
}

/** How many come before the delivery: all of them where it was removed. */
const countBefore = ({ all }: LeadDeliveries, delivery: KnownDelivery): number => {
  const place = all.lastIndexOf(delivery)
  return place < 0 ? all.length : place
}

/** How many deliveries at the beginning of an array have ended. The array only grows, and what has ended stays so. */
const endedFirst = new WeakMap<ReadonlyArray<KnownDelivery>, number>()

/** The pending deliveries of the webhook, in the order in which they were queued. */
export const pendingOf = ({ deliveries }: OutboxWebhook): ReadonlyArray<KnownDelivery> => {
  let first = endedFirst.get(deliveries) ?? 0
  while (first < deliveries.length && deliveries[first]!.state !== "pending") first++
  endedFirst.set(deliveries, first)
  return deliveries.slice(first).filter(({ state }) => state === "pending")
}

/** The deliveries of its webhook and lead before it, where it keeps a place. [ORD-2] */
const before = (delivery: KnownDelivery): ReadonlyArray<KnownDelivery> => {
  if (!delivery.isOrdered) return []
  const of = ofLead(delivery)
  return of.all.slice(0, countBefore(of, delivery)).filter(({ isOrdered }) => isOrdered)
}

/** Whether an earlier event of its lead is pending. [ORD-2] */
export const waits = (delivery: KnownDelivery): boolean => {
  if (!delivery.isOrdered) return false
  const of = ofLead(delivery)
  const first = firstPending(of)
  return first >= 0 && of.all[first] !== delivery && first < countBefore(of, delivery)
}

/** The delivery that may be attempted next of its webhook and lead; none where the ended one kept no place. [ORD-2] */
export const nextInOrder = (ended: KnownDelivery): KnownDelivery | undefined => {
  if (!ended.isOrdered) return undefined
  const of = ofLead(ended)
  const first = firstPending(of)
  return first > 0 && of.all.lastIndexOf(ended, first - 1) >= 0 ? of.all[first] : undefined
}

/** What waited is due as of when it was queued, but not later than now, also where the clock was set back since it was queued. [ORD-2] */
export const release = (delivery: KnownDelivery, now: number): void => {
  if (delivery.attempts > 0 || delivery.lease !== null) return
  const dueAt = Math.min(delivery.createdAt, now)
  delivery.due = { from: dueAt, to: dueAt }
}

/** Whether it was queued before an earlier event of its lead had ended. [ORD-2] */
export const wasHeldBack = (delivery: KnownDelivery): boolean => {
  if (!delivery.isOrdered) return false
  const of = ofLead(delivery)
  for (let i = countBefore(of, delivery) - 1; i >= 0; i--) {
    const { finishedAt, isOrdered } = of.all[i]!
    if (isOrdered && (finishedAt === null || finishedAt > delivery.createdAt)) return true
  }
  return false
}

/** The most dead letters that a post names as skipped. [ORD-5] */
const maxSkipped = 50

/** The dead letters of its lead since the last that was delivered. [ORD-5] */
export const skippedBefore = (delivery: KnownDelivery): ReadonlyArray<string | null> => {
  const skipped: Array<string | null> = []
  if (!delivery.isOrdered) return skipped
  const of = ofLead(delivery)
  for (let i = countBefore(of, delivery) - 1; i >= 0 && skipped.length < maxSkipped; i--) {
    const { id, isOrdered, state } = of.all[i]!
    if (isOrdered && state === "delivered") break
    if (isOrdered) skipped.push(id)
  }
  return skipped.reverse()
}

/** Ends the naming of the dead letters before a delivered one, which goes. [ORD-5] */
export const leaveOrder = (delivered: KnownDelivery): void => {
  for (const each of before(delivered)) if (each.state === "dead") each.isOrdered = false
}

/** Whether the store's answer is an `Option` with a value; false for every other answer. */
export const isSome = (answer: Json): boolean => answer?._tag === "Some"

/** What a body shows of the delivery that it is of. */
export const subjectOf = ({
  engagementId,
  event,
  leadId
}: Pick<KnownDelivery, "event" | "leadId" | "engagementId">): string =>
  event === "activity.detected" ? `${event} ${engagementId}` : `${event} ${leadId}`

/** Once, and in one order, however they were given. */
export const inOrder = (events: ReadonlyArray<string>): ReadonlyArray<string> =>
  eventOrder.filter((event) => events.includes(event))
