/** Which deliveries may go in one post, by the specification alone. [BATCH-1, BATCH-2, BATCH-3, FMT-3] */
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { parsedBody } from "../world/PostedBodies.ts"
import { type Due, type KnownDelivery, type OutboxWebhook, pendingOf, waits } from "./OutboxRecords.ts"

const maxBytes = 1024 * 1024

/** A delivery as it was leased. */
export interface LeasedDelivery {
  readonly delivery: KnownDelivery
  /** When it was due, before it was leased. */
  readonly due: { readonly from: number; readonly to: number }
  readonly batch: number | null
  readonly body: string
  /** Shared by those that failed together. */
  readonly shared: Due
}

/** Told by the body alone; of a batch, by the first event. Throws where the body is no JSON. */
export const formatOf = (body: string): string =>
  parsedBody(body).specversion === undefined ? "envelope" : "cloudevents"

/** How many a batch with this delivery may hold. [BATCH-3] */
const maxWith = ({ delivery: { failures, webhook } }: LeasedDelivery): number =>
  Math.max(1, Math.floor(webhook.sending.maxBatch / 4 ** failures))

const maxOf = (batch: ReadonlyArray<LeasedDelivery>): number => Math.min(...batch.map(maxWith))

const isTest = ({ delivery }: LeasedDelivery): boolean => delivery.event === "webhook.test"

/** Whether the next delivery might have gone in the batch: it is not full, and the bodies allow it. */
const hasRoomFor = (batch: ReadonlyArray<LeasedDelivery>, next: LeasedDelivery): boolean => {
  const bodies = [...batch, next].map(({ body }) => body)
  return (
    batch.length < Math.min(maxOf(batch), maxWith(next)) &&
    new Set(bodies.map(formatOf)).size === 1 &&
    utf8ToBytes(bodies.join()).length + 2 <= maxBytes
  )
}

/**
 * One that failed together with some of the batch, so that it is due together with them, and is not given out though there is room. Where the
 * first of them has none, by its bytes, those after it go with it. [BATCH-3, BATCH-4]
 */
const leftBehind = (
  pending: ReadonlyArray<KnownDelivery>,
  leased: ReadonlyArray<LeasedDelivery>,
  batch: ReadonlyArray<LeasedDelivery>
): KnownDelivery | undefined => {
  const given = new Set(leased.map(({ delivery }) => delivery))
  const dues = new Set(batch.map(({ shared }) => shared))
  const next = pending.find(({ body, due }, i) => body !== null && !given.has(pending[i]!) && dues.has(due!))
  return next !== undefined && hasRoomFor(batch, { ...batch[0]!, delivery: next, body: next.body! })
    ? next
    : undefined
}

/**
 * What is wrong with the batches of one webhook that one lease gave out, in their order; null where nothing is.
 */
export const wrongBatches = (
  webhook: OutboxWebhook,
  leased: ReadonlyArray<LeasedDelivery>,
  now: number
): string | null => {
  const { format, maxBatch, maxWait } = webhook.sending
  const batches = new Map<number, Array<LeasedDelivery>>()
  for (const each of leased) {
    if ((each.batch === null) !== (maxBatch === 1))
      return `${each.delivery.id} is leased ${each.batch === null ? "alone" : "in a batch"}, and maxBatch is ${maxBatch}`
    if (each.batch === null) continue
    batches.set(each.batch, [...(batches.get(each.batch) ?? []), each])
  }
  if (batches.size === 0) return null
  const pending = pendingOf(webhook)
  // After a change of the format one that is due in between, in the other format, ends a batch, and goes later itself. [FMT-3]
  const isMixed = () => pending.some(({ body }) => body !== null && formatOf(body) !== format)
  // What did not fit by its bytes stays due, and goes later than what comes after it. [BATCH-4]
  const isCutBetween = (batch: ReadonlyArray<LeasedDelivery>, next: LeasedDelivery): boolean =>
    pending.some(
      (each) =>
        !leased.some(({ delivery }) => delivery === each) &&
        !waits(each) &&
        each.due!.from <= next.due.to &&
        each.due!.to >= batch.at(-1)!.due.from
    )
  let before: ReadonlyArray<LeasedDelivery> | null = null
  for (const batch of batches.values()) {
    const [first] = batch
    if (batch.length > maxOf(batch))
      return `${batch.length} deliveries are leased together from ${first!.delivery.id} on, and ${maxOf(batch)} may be`
    if (new Set(batch.map(({ body }) => formatOf(body))).size > 1)
      return `${first!.delivery.id} is leased together with another format`
    for (const [i, each] of batch.entries())
      if (i > 0 && batch[i - 1]!.due.from > each.due.to)
        return `${each.delivery.id} was due before ${batch[i - 1]!.delivery.id}, and comes after it`
    if (before !== null && hasRoomFor(before, first!) && !isMixed() && !isCutBetween(before, first!))
      return `${first!.delivery.id} is leased in another batch than those before it`
    const left = leftBehind(pending, leased, batch)
    if (left !== undefined)
      return `${left.id} failed together with ${first!.delivery.id}, and is not leased with it`
    before = batch
  }
  if (before === null || before.length >= maxOf(before) || before.some(isTest)) return null
  const readyAt = before[0]!.due.from + maxWait * 1000
  if (now >= readyAt) return null
  // One that is due and may go only in a smaller batch, or in a form of its own, ends the batch before it.
  const given = new Set(leased.map(({ delivery }) => delivery))
  const isEnded = pending.some((each) => each.due!.from <= now && !given.has(each) && !waits(each))
  return isEnded
    ? null
    : `${before.length} deliveries are leased together from ${before[0]!.delivery.id} on, ${readyAt - now} ms before they need to go`
}

/** A store may look for what is due this long before it gives it out. */
const lookedBeforeMillis = 1000

/**
 * A delivery of a webhook that takes batches, none of whose deliveries was given out, and that was to go: a test, one that waited its time, or
 * one of as many as fill a batch; undefined where there is none. [BATCH-2]
 */
export const leftToGo = ({ sending }: OutboxWebhook, pending: ReadonlyArray<KnownDelivery>, now: number) => {
  const { maxBatch, maxWait } = sending
  const due = pending.filter((each) => each.due!.to <= now - lookedBeforeMillis && !waits(each))
  return due.length >= maxBatch
    ? due[0]
    : due.find(
        ({ due, event }) => event === "webhook.test" || due!.to + maxWait * 1000 <= now - lookedBeforeMillis
      )
}
