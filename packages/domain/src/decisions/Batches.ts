/**
 * Which due deliveries of a webhook share one post. Batches are formed anew for each attempt. Deliveries that failed together are due again
 * together, but in smaller batches each time: so an event that its receiver refuses ends alone, and takes no other event to the dead letters
 * with it. [BATCH-1, BATCH-3]
 */
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { formatOfBody } from "../model/Delivery.ts"
import type { Instant } from "../model/Instant.ts"
import type { Webhook, WebhookFormat } from "../model/Webhook.ts"

/** The greatest size of a post with several events, in bytes: common receivers take 1 MiB. A larger event goes alone. [BATCH-4] */
export const maxBatchBytes = 1024 * 1024

/** How many deliveries of one webhook a store reads at most for one lease of batches. */
const maxRows = 500

/** A due delivery, as far as its batch depends on it. */
export interface DueDelivery {
  /** When it became due. */
  readonly dueAt: Instant
  /** Failed attempts since it was queued or its webhook was enabled. */
  readonly failures: number
  /** Whether it is a test: an operator waits for it, so its batch is sent at once. */
  readonly isTest: boolean
}

type Settings = Pick<Webhook, "maxBatch" | "maxWait">

/** Whether the webhook gets arrays of events, of one event, too. [BATCH-1] */
export const isBatched = ({ maxBatch }: Pick<Webhook, "maxBatch">): boolean => maxBatch > 1

/** How many due deliveries a store reads for `posts` posts: whole batches, at least one. */
export const rowsFor = ({ maxBatch }: Pick<Webhook, "maxBatch">, posts: number): number =>
  maxBatch === 1 ? posts : maxBatch * Math.max(1, Math.min(posts, Math.floor(maxRows / maxBatch)))

/** The greatest size of a batch with a delivery that has failed `failures` times: each failure quarters it, down to one. [BATCH-3] */
export const sizeAfter = ({ maxBatch }: Pick<Webhook, "maxBatch">, failures: number): number =>
  Math.max(1, Math.floor(maxBatch / 4 ** failures))

/** The due deliveries of a webhook, in batches. */
export interface Formed<A> {
  /** The batches to send now, in the order of due times; each has at least one delivery. */
  readonly batches: ReadonlyArray<ReadonlyArray<A>>
  /** When the deliveries that wait for others become due without them; null when none waits. */
  readonly readyAt: Instant | null
}

/**
 * Forms the batches of a webhook from its due deliveries, which are in the order of due times. A batch is sent when it is full, when its first
 * delivery has been due for `maxWait` seconds, or when it contains a test. Only the last batch can wait. [BATCH-1, BATCH-2]
 */
export const form = <A extends DueDelivery>(
  due: ReadonlyArray<A>,
  webhook: Settings,
  now: Instant
): Formed<A> => {
  const batches: Array<Array<A>> = []
  let room = 0
  for (const each of due) {
    const size = sizeAfter(webhook, each.failures)
    const last = batches.at(-1)
    if (last === undefined || room === 0 || last.length >= size) {
      batches.push([each])
      room = size - 1
    } else {
      last.push(each)
      room = Math.min(room - 1, size - last.length)
    }
  }
  const last = batches.at(-1)
  if (last === undefined) return { batches, readyAt: null }
  const readyAt = last[0]!.dueAt + webhook.maxWait * 1000
  const waits = room > 0 && readyAt > now && !last.some(({ isTest }) => isTest)
  return waits ? { batches: batches.slice(0, -1), readyAt } : { batches, readyAt: null }
}

/**
 * How many of a batch's first deliveries fit into one post, at least one: together their bodies have at most `maxBatchBytes`, and all have one
 * format. A body that was made before the webhook's format changed keeps its own format. A body of null takes no room. [BATCH-4, FMT-3]
 */
export const fitting = (bodies: ReadonlyArray<string | null>): number => {
  let bytes = 1
  let format: WebhookFormat | null = null
  for (const [i, body] of bodies.entries()) {
    if (body === null) continue
    const own = formatOfBody(body)
    bytes += utf8ToBytes(body).length + 1
    if (i > 0 && (bytes > maxBatchBytes || (format !== null && format !== own))) return i
    format = own
  }
  return bodies.length
}

/**
 * The leased deliveries without those that do not fit into the post of their batch. The members of a batch are adjacent in `taken`; a delivery
 * whose `batch` is null goes alone. [BATCH-4]
 */
export const withoutOverflow = <A extends { readonly batch: number | null; readonly body: string | null }>(
  taken: ReadonlyArray<A>
): ReadonlyArray<A> => {
  const kept: Array<A> = []
  for (let from = 0; from < taken.length;) {
    const { batch } = taken[from]!
    if (batch === null) {
      kept.push(taken[from++]!)
      continue
    }
    let to = from
    while (to < taken.length && taken[to]!.batch === batch) to++
    const members = taken.slice(from, to)
    kept.push(...members.slice(0, fitting(members.map(({ body }) => body))))
    from = to
  }
  return kept
}
