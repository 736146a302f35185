/** Bugs in the emitter and the signing. */
import { type Bug, bugsIn } from "./Bug.ts"

const emitter = bugsIn("packages/webhook/src/Emitter.ts")

export const inEmitter: ReadonlyArray<Bug> = [
  emitter(
    "body-rebuilt",
    "each attempt sends a body of its own",
    "Effect.interruptible(post(by, lease, lease.body, at))",
    'Effect.interruptible(post(by, lease, lease.body + " ".repeat(at % 5), at))'
  ),
  emitter(
    "retry-under-a-new-id",
    "each attempt has an id of its own",
    "{ id: deliveryId, now: at, body }",
    "{ id: `${deliveryId}${at % 7}`, now: at, body }"
  ),
  emitter(
    "signed-of-old",
    "a post is signed as of an hour before",
    "{ id: deliveryId, now: at, body }",
    "{ id: deliveryId, now: at - 3_600_000, body }"
  ),
  emitter(
    "lease-too-short",
    "a lease runs out while its attempt may still be answered",
    "leaseMillis: Retries.attemptTimeoutMillis + 15_000",
    "leaseMillis: 6_000"
  ),
  emitter(
    "timeout-taken-for-success",
    "no answer counts as a good one",
    'Effect.succeed(unanswered("timeout"))',
    'Effect.succeed({ ...unanswered("timeout"), status: 200, error: null })'
  ),
  emitter(
    "places-not-given-back",
    "an attempt that has ended keeps its place",
    "for (const { lease } of batch) places.change(lease, -1)",
    "for (const { lease } of batch) if (lease.until % 3 !== 0) places.change(lease, -1)"
  ),
  emitter(
    "everyone-waits",
    "all webhooks together have one attempt under way",
    "limits: Leasing.defaultLimits",
    "limits: { ...Leasing.defaultLimits, total: 1, reserved: 0 }"
  ),
  emitter(
    "bell-not-heard",
    "what is queued is found only when the outbox is looked at",
    "Effect.zipRight(outbox.queued, Queue.offer(wake, undefined))",
    "Effect.asVoid(outbox.queued)"
  ),
  emitter(
    "stops-after-a-failure",
    "a store that failed once is not asked again",
    'const pump = takeDue.pipe(\n      Effect.tapErrorTag("@lead-signals/domain/StoreUnavailable", storeFailed),\n      Effect.retry(untilStoreAnswers),',
    'const pump = takeDue.pipe(\n      Effect.tapErrorTag("@lead-signals/domain/StoreUnavailable", () => Effect.never),\n      Effect.retry(untilStoreAnswers),'
  ),
  bugsIn("packages/webhook/src/Signing.ts")(
    "signed-without-id",
    "the signature does not cover the id",
    "`${id}.",
    "`${id.slice(0, 3)}."
  ),
  bugsIn("packages/webhook/src/Excerpt.ts")(
    "echo-in-the-log",
    "what a receiver sends back stands in the log as it is",
    "export const make = (excerpt: Uint8Array, truncated: boolean, body: string): string | null => {",
    'export const make = (excerpt: Uint8Array, truncated: boolean, body: string): string | null => {\n  if (body !== "" && !truncated !== truncated) return new TextDecoder().decode(excerpt)'
  )
]
