/**
 * Group commit: calls that wait at the same time share one transaction, and with it the wait for the server's disk.
 */
import type { StoreUnavailable } from "@lead-signals/domain"
import { Cause, Deferred, Effect, Exit, FiberId } from "effect"
import { concernsOneCall } from "./Failures.ts"

interface Waiting<Call, Result> {
  readonly call: Call
  readonly answer: Deferred.Deferred<Result, StoreUnavailable>
}

/** How much goes into one transaction. */
export interface GroupCommitOptions<Call> {
  /** The weight of a call, such as the number of its rows. */
  readonly weight: (call: Call) => number
  /** Calls of more weight together don't share a transaction; a call alone may weigh more. */
  readonly maxWeight: number
  /** Transactions under way at once: further ones would wait for the same rows. */
  readonly maxUnderWay: number
}

/**
 * Runs calls in groups. `run` commits a group and answers a result for each call, in their order. When a group fails because of what it
 * writes, each of its calls runs again by itself: only the failing one fails.
 */
export const groupCommit = <Call, Result>(
  run: (calls: ReadonlyArray<Call>) => Effect.Effect<ReadonlyArray<Result>, StoreUnavailable>,
  { maxUnderWay, maxWeight, weight }: GroupCommitOptions<Call>
): ((call: Call) => Effect.Effect<Result, StoreUnavailable>) => {
  let waiting: Array<Waiting<Call, Result>> = []
  let underWay = 0

  const takeGroup = (): ReadonlyArray<Waiting<Call, Result>> => {
    let size = 0
    let sum = 0
    for (const { call } of waiting) {
      sum += weight(call)
      if (size > 0 && sum > maxWeight) break
      size++
    }
    const group = waiting.slice(0, size)
    waiting = waiting.slice(size)
    return group
  }

  const commit = (group: ReadonlyArray<Waiting<Call, Result>>): Effect.Effect<void> =>
    Effect.flatMap(Effect.exit(run(group.map(({ call }) => call))), (exit) => {
      if (Exit.isSuccess(exit)) {
        return Effect.forEach(group, ({ answer }, i) => Deferred.succeed(answer, exit.value[i]!), {
          discard: true
        })
      }
      const failure = Cause.failureOption(exit.cause)
      const isOfOne = failure._tag === "None" || concernsOneCall(failure.value)
      return group.length > 1 && isOfOne
        ? Effect.forEach(group, (each) => commit([each]), { discard: true })
        : Effect.forEach(group, ({ answer }) => Deferred.failCause(answer, exit.cause), { discard: true })
    })

  const commitAll = Effect.ensuring(
    Effect.whileLoop({ while: () => waiting.length > 0, body: () => commit(takeGroup()), step: () => {} }),
    Effect.sync(() => {
      underWay--
    })
  )

  return (call) =>
    Effect.suspend(() => {
      const answer = Deferred.unsafeMake<Result, StoreUnavailable>(FiberId.none)
      waiting.push({ call, answer })
      if (underWay >= maxUnderWay) return Deferred.await(answer)
      underWay++
      // Callers that are about to call, too, share the first group.
      return Effect.zipRight(
        Effect.forkDaemon(Effect.zipRight(Effect.yieldNow(), commitAll)),
        Deferred.await(answer)
      )
    })
}
