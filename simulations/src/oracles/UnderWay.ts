/** Attempts that were begun before something that ends them was acknowledged. */
import type { KnownFacts, ReceivedPost } from "../world/KnownFacts.ts"
import { outboxOf } from "./OutboxReference.ts"

/** Where nobody sees the leases: the 15 s of an attempt, and what it waits before. */
const underWayMillis = 30_000

/** Whether the post may be of an attempt that was begun by `since`, in true time. */
export const isUnderWay = (facts: KnownFacts, { id, sent }: ReceivedPost, since: number): boolean => {
  const lease = outboxOf(facts)
    .leases.get(id)
    ?.findLast(({ at, process }) => at <= sent.at && process === sent.process)
  return lease === undefined ? sent.at <= since + underWayMillis : lease.at <= since
}
