/** One attempt: signs the bodies of the deliveries that go in one post, posts them, and turns the response into a result of the domain. */
import {
  attemptHeaders,
  placeHeaders,
  type AttemptResult,
  batchBody,
  type BodyMaterial,
  cloudEventView,
  deliveryBodyView,
  DeliveryIds,
  formatOfBody,
  type Lease,
  type PostedAs,
  Retries,
  type AttemptTransitions,
  WebhookSecrets
} from "@lead-signals/domain"
import { Cause, Effect, Option, Random } from "effect"
import { logBodyMissing, logDefect } from "./DeliveryLog.ts"
import type { LeaseBatch, LeasedPost } from "./LeaseBatch.ts"
import * as ResponseRedactor from "./ResponseRedactor.ts"
import * as RetryAfter from "./RetryAfter.ts"
import { type PostResponse, type Sender, type SendFailed } from "./Sender.ts"
import { type Hmac, sign } from "./WebhookSignature.ts"

/** An attempt ends this long before its lease, so that it is recorded before another process may take the delivery. */
export const leaseReserveMillis = 1000

/** The leases of one answer by the posts that they go in. [BATCH-1] */
export const postsOf = (leases: ReadonlyArray<Lease>): ReadonlyArray<LeasedPost> => {
  const posts: Array<[Lease, ...Array<Lease>]> = []
  const batches = new Map<number, [Lease, ...Array<Lease>]>()
  for (const lease of leases) {
    const known = lease.batch === null ? undefined : batches.get(lease.batch)
    if (known !== undefined) {
      known.push(lease)
      continue
    }
    const post: [Lease, ...Array<Lease>] = [lease]
    posts.push(post)
    if (lease.batch !== null) batches.set(lease.batch, post)
  }
  return posts
}

/** A post that has ended, whatever its end. */
export interface EndedPost {
  readonly leases: LeasedPost
  /** The attempt of each lease, in their order; none when the leases had run out before the post began. */
  readonly attempts: ReadonlyArray<AttemptTransitions.FinishedAttempt>
}

/** What a post needs. */
export interface Posting {
  readonly sender: typeof Sender.Service
  /** Waits after failures. [DELIV-3] */
  readonly scheduleMillis: ReadonlyArray<number>
  readonly hmac: typeof Hmac.Service
}

const resultOf = (response: PostResponse, bodies: ReadonlyArray<string>, now: number): AttemptResult => ({
  status: response.status,
  error: null,
  response: ResponseRedactor.redact(response.excerpt, response.truncated, bodies),
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

/**
 * Makes the JSON text of a delivery's body in its webhook's format; null when rendering throws, so that the rest is still sent. `apiUrl` is
 * the URL of the API as its clients know it, for `dataschema`; null when it is not known. [EVT-1, FMT-1]
 */
export const renderBody =
  (apiUrl: string | null) =>
  (material: BodyMaterial): string | null => {
    try {
      const envelope = deliveryBodyView(material)
      return JSON.stringify(material.format === "cloudevents" ? cloudEventView(envelope, apiUrl) : envelope)
    } catch {
      return null
    }
  }

interface Message {
  /** As the deliveries with a body are posted, and what the log keeps of it. */
  readonly postedAs: PostedAs
  readonly id: string
  readonly body: string
  /** What the body is made of. */
  readonly bodies: ReadonlyArray<string>
  /** The headers of the places of its deliveries. */
  readonly places: Readonly<Record<string, string>>
}

/** What the leases are posted as; null when none has a body. A batch is an array, also of one event. [BATCH-1, BATCH-5] */
const messageOf = (leases: LeasedPost): Message | null => {
  const withBody = leases.flatMap(({ body, deliveryId }) => (body === null ? [] : { body, deliveryId }))
  const [first] = withBody
  const places = placeHeaders(leases.filter(({ body }) => body !== null))
  if (first === undefined) return null
  const format = formatOfBody(first.body)
  if (leases[0].batch === null) {
    const { body, deliveryId } = first
    return { postedAs: { batchId: null, format }, id: deliveryId, body, bodies: [body], places }
  }
  const bodies = withBody.map(({ body }) => body)
  const batchId = DeliveryIds.batchId(withBody.map(({ deliveryId }) => deliveryId))
  return { postedAs: { batchId, format }, id: batchId, body: batchBody(bodies), bodies, places }
}

/** Posts a signed body. */
const post = (
  { hmac, sender }: Posting,
  { webhook }: Lease,
  { body, id, places, postedAs }: Message,
  at: number
): Effect.Effect<PostResponse, SendFailed> =>
  sender.post({
    url: webhook.url,
    body,
    headers: {
      ...attemptHeaders(id, at, postedAs),
      ...places,
      ...sign(WebhookSecrets.signing(webhook.secrets, at), { id, now: at, body }, hmac)
    }
  })

/** The result of a post without a response. Fails by an interruption that is no timeout; a defect of the sender is the result `internal`. */
const resultOfFailure = (cause: Cause.Cause<SendFailed>, batch: LeaseBatch): Effect.Effect<AttemptResult> => {
  const failure = Cause.failureOption(cause)
  if (Option.isSome(failure)) return Effect.succeed(failed(failure.value.error))
  if (!Cause.isInterruptedOnly(cause)) return Effect.as(logDefect(cause), failed("internal"))
  return batch.isOverdue ? Effect.succeed(failed("timeout")) : Effect.failCause(cause as Cause.Cause<never>)
}

/**
 * Makes the attempt and passes its end to `onEnded`. Only the post itself can be interrupted: a batch of leases that is overdue then
 * gives the result `timeout`, and any other interruption leaves no attempt behind. The result counts for each delivery of the post, with
 * one draw, so that those that failed together are due again together; a delivery without a body fails alone. [BATCH-3]
 */
export const attemptPost = <A>(
  posting: Posting,
  leases: LeasedPost,
  batch: LeaseBatch,
  onEnded: (ended: EndedPost) => Effect.Effect<A>
): Effect.Effect<A> =>
  Effect.uninterruptible(
    Effect.clockWith((clock) => {
      const at = clock.unsafeCurrentTimeMillis()
      if (at >= batch.endsAt) return onEnded({ leases, attempts: [] })
      const message = messageOf(leases)
      const { scheduleMillis } = posting
      const posted =
        message === null
          ? Effect.succeed(failed("internal"))
          : Effect.interruptible(post(posting, leases[0], message, at)).pipe(
              Effect.map((response) => resultOf(response, message.bodies, clock.unsafeCurrentTimeMillis())),
              Effect.catchAllCause((cause) => resultOfFailure(cause, batch))
            )
      const end = (result: AttemptResult, draw: number): Effect.Effect<A> => {
        const durationMillis = Math.max(0, clock.unsafeCurrentTimeMillis() - at)
        const attempts = leases.map((lease): AttemptTransitions.FinishedAttempt => {
          const { body, deliveryId, token, webhook } = lease
          const own = body === null ? failed("internal") : result
          const postedAs = body === null ? { batchId: null, format: webhook.format } : message!.postedAs
          return {
            deliveryId,
            token,
            url: webhook.url,
            at,
            durationMillis,
            postedAs,
            result: own,
            settle: (known, now) => Retries.settle(known, own, now, draw, scheduleMillis)
          }
        })
        const bodiless = leases.filter(({ body }) => body === null)
        const ended = onEnded({ leases, attempts })
        return bodiless.length === 0
          ? ended
          : Effect.zipRight(Effect.forEach(bodiless, logBodyMissing, { discard: true }), ended)
      }
      return Effect.flatMap(posted, (result) => Effect.flatMap(Random.next, (draw) => end(result, draw)))
    })
  )
