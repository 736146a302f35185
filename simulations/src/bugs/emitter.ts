/** Bugs in the emitter and the signing. */
import { type Bug, bugsIn } from "./Bug.ts"

const emitter = bugsIn("webhook", "Emitter")
const attempt = bugsIn("webhook", "DeliveryAttempt")

/** In the package `webhook`, whatever the store. */
export const inEmitter: ReadonlyArray<Bug> = [
  attempt("body-rebuilt", "each attempt sends a body of its own", {
    in: "startAttempt",
    find: "$requestOf($hmac, $lease, $message, $at)",
    put: '$requestOf($hmac, $lease, { ...$message, body: $message.body + " ".repeat($at % 5) }, $at)'
  }),
  attempt("retry-under-a-new-id", "each attempt has an id of its own", {
    in: "requestOf",
    find: "{ id: $id, now: $at, body: $body }",
    put: "{ id: `${$id}${$at % 7}`, now: $at, body: $body }"
  }),
  attempt("signed-of-old", "a post is signed as of an hour before", {
    in: "requestOf",
    find: "{ id: $id, now: $at, body: $body }",
    put: "{ id: $id, now: $at - 3_600_000, body: $body }"
  }),
  emitter("lease-too-short", "a lease runs out while its attempt may still be answered", {
    in: "defaultOptions",
    find: "leaseMillis: $millis",
    put: "leaseMillis: 6_000"
  }),
  attempt("timeout-taken-for-success", "no answer counts as a good one", {
    in: "startAttempt",
    find: '$failed("timeout")',
    put: '{ ...$failed("timeout"), status: 200, error: null }'
  }),
  bugsIn("webhook", "AttemptRecorder")("places-not-given-back", "an attempt that has ended keeps its slot", {
    in: "AttemptRecorder.release",
    find: "this.options.slots.release($lease)",
    put: "if ($lease.until % 3 !== 0) this.options.slots.release($lease)"
  }),
  emitter("everyone-waits", "all webhooks together have one attempt under way", {
    in: "defaultOptions",
    find: "limits: $limits",
    put: "limits: { ...$limits, total: 1, reserved: 0 }"
  }),
  emitter("bell-not-heard", "the emitter finds queued deliveries only when it polls the outbox", {
    in: "make",
    find: "Effect.zipRight($outbox.queued, $wake)",
    put: "Effect.asVoid($outbox.queued)"
  }),
  emitter("retries-wait-for-a-poll", "the emitter finds retries that are due only when it polls the outbox", {
    in: "make",
    find: "Math.min($options.pollMillis, $millis > 0 ? $millis : $again)",
    put: "$millis > 0 ? $options.pollMillis : $again"
  }),
  emitter("stops-after-a-failure", "the emitter does not call a store again that failed once", {
    in: "make",
    find: "$retry($lease).pipe(Effect.flatMap($sleep), $$rest)",
    put: "$lease.pipe(Effect.catchTag('@lead-signals/domain/StoreUnavailable', () => Effect.never), Effect.flatMap($sleep), $$rest)"
  }),
  bugsIn("webhook", "WebhookSignature")("signed-without-id", "the signature does not cover the id", {
    in: "signature",
    find: "`${$id}.${$timestamp}.${$body}`",
    put: "`${$id.slice(0, 3)}.${$timestamp}.${$body}`"
  }),
  bugsIn("webhook", "ResponseRedactor")(
    "echo-in-the-log",
    "what a receiver sends back stands in the log as it is",
    {
      in: "redact",
      given: ["($excerpt, $truncated, $body) => { $$statements }"],
      before: "if ($excerpt.length === 0) return null",
      insert: 'if ($body !== "" && !$truncated !== $truncated) return new TextDecoder().decode($excerpt)'
    }
  )
]
