/** One attempt of a leased delivery: signs its body, posts it, and turns the response into a result of the domain. */
import {
  attemptHeaders,
  placeHeaders,
  type AttemptResult,
  type BodyMaterial,
  deliveryBodyView,
  type Lease,
  Retries,
  type AttemptTransitions,
  WebhookSecrets
} from "@lead-signals/domain"
import { Cause, Clock, Effect, Random } from "effect"
import { logBodyMissing, logDefect } from "./DeliveryLog.ts"
import type { LeaseBatch } from "./LeaseBatch.ts"
import * as ResponseRedactor from "./ResponseRedactor.ts"
import * as RetryAfter from "./RetryAfter.ts"
import { type PostResponse, type Sender, type SendFailed } from "./Sender.ts"
import { type Hmac, sign } from "./WebhookSignature.ts"

/** An attempt ends this long before its lease, so that it is recorded before another process may take the delivery. */
export const leaseReserveMillis = 1000

export interface EndedLease {
  readonly lease: Lease
  /** Null when the lease had run out before its attempt began. */
  readonly attempt: AttemptTransitions.FinishedAttempt | null
}

export interface Posting {
  readonly sender: typeof Sender.Service
  readonly hmac: typeof Hmac.Service
}

const resultOf = (response: PostResponse, body: string, now: number): AttemptResult => ({
  status: response.status,
  error: null,
  response: ResponseRedactor.redact(response.excerpt, response.truncated, body),
  retryAfterSeconds:
    response.status === 429 || response.status === 503
      ? RetryAfter.parseSeconds(response.retryAfter, now)
      : null
})

const failed = (error: NonNullable<AttemptResult["error"]>): AttemptResult => ({
  status: null,
  error,
  response: null,
  retryAfterSeconds: null
})

/** The JSON text of a delivery's body; null when rendering throws, so that the rest of the batch is still sent. */
export const renderBody = (material: BodyMaterial): string | null => {
  try {
    return JSON.stringify(deliveryBodyView(material))
  } catch {
    return null
  }
}

/** Posts a signed body. Fails only by interruption: a defect of the sender is the result `internal`. */
const post = (
  { hmac, sender }: Posting,
  { deliveryId, place, resendOf, webhook }: Lease,
  body: string,
  at: number
): Effect.Effect<AttemptResult> =>
  sender
    .post({
      url: webhook.url,
      body,
      headers: {
        ...attemptHeaders(deliveryId, at),
        ...placeHeaders(place, resendOf),
        ...sign(WebhookSecrets.signing(webhook.secrets, at), { id: deliveryId, now: at, body }, hmac)
      }
    })
    .pipe(
      Effect.flatMap((response) =>
        Effect.map(Clock.currentTimeMillis, (now) => resultOf(response, body, now))
      ),
      Effect.catchTag("SendFailed", ({ error }: SendFailed) => Effect.succeed(failed(error))),
      Effect.catchAllCause((cause) =>
        Cause.isInterruptedOnly(cause)
          ? Effect.failCause(cause as Cause.Cause<never>)
          : Effect.as(logDefect(cause), failed("internal"))
      )
    )

/**
 * Makes the attempt and passes its end to `onEnded`. Only the post itself can be interrupted: a batch that is overdue then
 * gives the result `timeout`, and any other interruption leaves no attempt behind.
 */
export const attemptDelivery = <A>(
  posting: Posting,
  scheduleMillis: ReadonlyArray<number>,
  lease: Lease,
  batch: LeaseBatch,
  onEnded: (ended: EndedLease) => Effect.Effect<A>
): Effect.Effect<A> =>
  Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    if (at >= batch.endsAt) return yield* onEnded({ lease, attempt: null })
    const result =
      lease.body === null
        ? yield* Effect.as(logBodyMissing(lease), failed("internal"))
        : yield* Effect.catchAllCause(
            Effect.interruptible(post(posting, lease, lease.body, at)),
            (cause): Effect.Effect<AttemptResult> =>
              batch.isOverdue ? Effect.succeed(failed("timeout")) : Effect.failCause(cause)
          )
    const durationMillis = Math.max(0, (yield* Clock.currentTimeMillis) - at)
    const draw = yield* Random.next
    const settle: AttemptTransitions.FinishedAttempt["settle"] = (known, now) =>
      Retries.settle(known, result, now, draw, scheduleMillis)
    const {
      deliveryId,
      token,
      webhook: { url }
    } = lease
    return yield* onEnded({
      lease,
      attempt: { deliveryId, token, url, at, durationMillis, result, settle }
    })
  }).pipe(Effect.uninterruptible)
