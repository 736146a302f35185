/** One attempt: signs the body of a post, posts it, and turns the response into results of the post's deliveries. */
import {
  attemptHeaders,
  type AttemptResult,
  type AttemptTransitions,
  batchBody,
  type BodyMaterial,
  cloudEventView,
  deliveryBodyView,
  DeliveryIds,
  elapsedMillisOf,
  formatOfBody,
  type Instant,
  type Lease,
  placeHeaders,
  type PostedAs,
  Retries,
  WebhookSecrets
} from "@lead-signals/domain"
import { Cause, type Clock, Effect, Exit, FiberId, Option } from "effect"
import type { LeaseBatch, LeasedPost } from "./LeaseBatch.ts"
import * as ResponseRedactor from "./ResponseRedactor.ts"
import * as RetryAfter from "./RetryAfter.ts"
import type { PostRequest, PostResponse, SendFailed, StartPost } from "./Sender.ts"
import { type Hmac, sign } from "./WebhookSignature.ts"

/** Milliseconds before the end of its lease at which an attempt ends, so that it is recorded before another process may lease the delivery. */
export const leaseReserveMillis = 1000

/** Groups the leases of one answer by their posts, in the order of each post's first lease. [BATCH-1] */
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

/** A post that has ended, by a response or otherwise. */
export interface EndedPost {
  readonly leases: LeasedPost
  /** When it began, in milliseconds since 1970. */
  readonly at: Instant
  readonly durationMillis: number
  /** How the leases with a body were posted; null when none has one, or the post did not begin. */
  readonly postedAs: PostedAs | null
  /** The result of the leases with a body; null when the leases ran out before the post began, or it was given up: that is no attempt. */
  readonly result: AttemptResult | null
  /** The defect by which the sender ended; null where it ended with a result. */
  readonly defect: Cause.Cause<unknown> | null
}

/** What a post needs. */
export interface Posting {
  readonly start: StartPost
  readonly clock: Clock.Clock
  readonly hmac: typeof Hmac.Service
}

const resultOf = (response: PostResponse, bodies: ReadonlyArray<string>, now: number): AttemptResult => ({
  status: response.status,
  error: null,
  response: ResponseRedactor.redactResponse(response, bodies),
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

/** A post that takes at most this many milliseconds is fast. */
const fastMillis = 100

/** Whether the post was successful and fast. */
export const isFast = (post: EndedPost): boolean => post.durationMillis <= fastMillis && isSuccessful(post)

/** Whether the post was an attempt, and all of its deliveries are delivered. */
export const isSuccessful = ({ leases, result }: EndedPost): boolean =>
  result !== null && Retries.isSuccess(result) && leases.every(({ body }) => body !== null)

/**
 * The attempts of the post's leases, in their order; none when the post was no attempt. The result counts for each delivery of the post, with one
 * random number `draw` of at least 0 and below 1, so that deliveries that failed together are due again together. A delivery without a body fails
 * by itself. `scheduleMillis` has the delays after failures. [DELIV-3, BATCH-3]
 */
export const finishedAttempts = (
  { at, durationMillis, leases, postedAs, result }: EndedPost,
  draw: number,
  scheduleMillis: ReadonlyArray<number>
): ReadonlyArray<AttemptTransitions.FinishedAttempt> =>
  result === null
    ? []
    : leases.map((lease): AttemptTransitions.FinishedAttempt => {
        const { body, deliveryId, token, webhook } = lease
        const own = body === null ? failed("internal") : result
        return {
          deliveryId,
          token,
          url: webhook.url,
          at,
          durationMillis,
          postedAs: (body === null ? null : postedAs) ?? { batchId: null, format: webhook.format },
          result: own,
          settle: (known, now) => Retries.settle(known, own, now, draw, scheduleMillis)
        }
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

/** What a post sends. */
interface Message {
  /** The form of the post, as the log of attempts has it. */
  readonly postedAs: PostedAs
  /** The delivery's id, or that of the batch. */
  readonly id: string
  readonly body: string
  /** The bodies of the deliveries, which `body` is made of. */
  readonly bodies: ReadonlyArray<string>
  /** The headers about the order and repetition of the deliveries. */
  readonly places: Readonly<Record<string, string>>
}

/** What the post of the leases sends; null when none has a body. A batch is an array, also of one event. [BATCH-1, BATCH-5] */
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

/** Signs the message. */
const requestOf = (
  hmac: typeof Hmac.Service,
  { webhook }: Lease,
  { body, id, places, postedAs }: Message,
  at: number
): PostRequest => ({
  url: webhook.url,
  body,
  headers: {
    ...attemptHeaders(id, at, postedAs),
    ...places,
    ...sign(WebhookSecrets.signing(webhook.secrets, at), { id, now: at, body }, hmac)
  }
})

/**
 * Starts the attempt, or ends it at once where it may not post. `onEnd` gets the ended post once, maybe within the call, whatever the sender does.
 * Returns the effect that interrupts the attempt: its result is then `timeout` where the batch of leases is overdue; when the emitter stops, it is
 * no attempt, and `onEnd` gets null. [DELIV-3]
 */
export const startAttempt = (
  { clock, hmac, start }: Posting,
  leases: LeasedPost,
  batch: LeaseBatch,
  mayPost: boolean,
  onEnd: (ended: EndedPost | null) => void
): Effect.Effect<void> => {
  const at = clock.unsafeCurrentTimeMillis()
  const begunAt = elapsedMillisOf(clock)
  let message: Message | null = null
  let hasEnded = false
  const endOnce = (ended: EndedPost | null): void => {
    if (hasEnded) return
    hasEnded = true
    onEnd(ended)
  }
  const end = (result: AttemptResult | null, defect: Cause.Cause<unknown> | null = null): void => {
    const durationMillis = Math.max(0, elapsedMillisOf(clock) - begunAt)
    endOnce({ leases, at, durationMillis, postedAs: message?.postedAs ?? null, result, defect })
  }
  /** Ends the attempt with the error `internal` where the work throws; otherwise its slot would stay taken. */
  const endWith = (work: () => void): void => {
    try {
      work()
    } catch (thrown) {
      end(failed("internal"), Cause.die(thrown))
    }
  }
  const endPost = (exit: Exit.Exit<PostResponse, SendFailed>): void => {
    if (Exit.isSuccess(exit)) {
      endWith(() => end(resultOf(exit.value, message!.bodies, clock.unsafeCurrentTimeMillis())))
      return
    }
    const failure = Cause.failureOption(exit.cause)
    if (Option.isSome(failure)) end(failed(failure.value.error))
    else if (!Cause.isInterruptedOnly(exit.cause) || !batch.isInterrupted) end(failed("internal"), exit.cause)
    else if (batch.isOverdue) end(failed("timeout"))
    else endOnce(null)
  }
  if (!mayPost || batch.isOverdue || at >= batch.endsAt) {
    end(null)
    return Effect.void
  }
  let interrupt: Effect.Effect<void> = Effect.void
  endWith(() => {
    message = messageOf(leases)
    if (message === null) end(failed("internal"))
    else interrupt = start(requestOf(hmac, leases[0], message, at), endPost)
  })
  // Ends the post even if the sender's interruption does not; otherwise its slot would stay taken.
  return Effect.map(Effect.exit(interrupt), () => endPost(Exit.interrupt(FiberId.none)))
}
