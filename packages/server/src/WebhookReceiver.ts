/** A receiver for trying webhooks out: verifies each post and renders each of its events as one readable line. */
import { WebhookEvents, WebhookSignature } from "@lead-signals/webhook"
import { stripControlCharacters } from "./UntrustedText.ts"
import type { Forwarded } from "./WebhookForwarder.ts"

/** Responds with `status` to the first `count` posts; null: to all posts. */
export interface PlannedFailure {
  readonly status: number
  readonly count: number | null
}

/** Parses `503:3`, or `503` for all posts. Returns null for other texts. */
export const parseFailure = (text: string): PlannedFailure | null => {
  const [, status, count] = /^([3-5][0-9]{2})(?::([1-9][0-9]{0,8}))?$/.exec(text) ?? []
  return status === undefined
    ? null
    : { status: Number(status), count: count === undefined ? null : Number(count) }
}

/** A request that the receiver got. */
export interface Post {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/** An event of a post as the receiver judged it, or a post without one. */
export interface ReceivedEvent {
  readonly at: string
  /** The event's id, or that of the post. */
  readonly id: string | null
  /** The id of the batch in which the event came; null when it came alone. */
  readonly batchId: string | null
  readonly event: string | null
  /** Null when no secret was given. */
  readonly verified: boolean | null
  /** Why the signature is not valid; null when it is, or was not checked. */
  readonly refusal: string | null
  /** How many times this id has arrived, including this one. */
  readonly times: number
  readonly answered: number
  readonly summary: string
}

const plainText = (text: unknown): string =>
  typeof text === "string" ? stripControlCharacters(text).slice(0, 120) : ""

// Untyped: a body of any form must still give a line.
type Json = any

const describeLead = (lead: Json): string =>
  [
    plainText(lead?.name),
    [plainText(lead?.title1 ?? lead?.headline), plainText(lead?.leadCompany?.name)]
      .filter(Boolean)
      .join(" at ")
  ]
    .filter(Boolean)
    .join(", ")

const describeEngagement = (engagement: Json): string => {
  switch (engagement?.type) {
    case "comment":
      return `commented “${plainText(engagement.commentText)}”`
    case "reaction":
      return `reacted ${plainText(engagement.reactionType)}`.trim()
    case "repost":
      return "reposted"
    default:
      return "engaged"
  }
}

const countOfEngagements = (n: number): string => (n === 1 ? "1 engagement" : `${n} engagements`)

const summaryOf = ({ data, event }: Json): string => {
  switch (event) {
    case "lead2.created":
      return `${describeLead(data?.lead2)} · ${countOfEngagements(data?.engagements?.length ?? 0)}`
    case "activity.detected":
      return `${describeLead(data?.lead2)} ${describeEngagement(data?.engagements?.[0])}${data?.isFirstActivity === true ? " · first activity" : ""}`
    default:
      return data?.lead2 === undefined ? plainText(data?.message) : describeLead(data.lead2)
  }
}

const accepted = 204
const untrusted = 401

/** A function that judges posts in their order of arrival. Its `now` is in milliseconds since 1970. */
export const makeReceiver = (options: {
  readonly secret: string | null
  readonly failure: PlannedFailure | null
}) => {
  const seen = new Map<string, number>()
  let posts = 0
  /** Answers what to respond, and the events: one at least, so that each post gives a line. */
  return (
    { body, headers }: Post,
    now: number
  ): { readonly answered: number; readonly events: ReadonlyArray<ReceivedEvent> } => {
    posts++
    const refusal =
      options.secret === null
        ? null
        : WebhookSignature.verificationFailure(options.secret, headers, body, now)
    const { failure } = options
    const isPlanned = failure !== null && (failure.count === null || posts <= failure.count)
    const answered = isPlanned ? failure.status : refusal === null ? accepted : untrusted
    const postId = headers["webhook-id"] ?? null
    const isBatch = body.trimStart().startsWith("[")
    const read: ReadonlyArray<Json> = WebhookEvents.read(body) ?? []
    const events = (read.length === 0 ? [{}] : read).map((event): ReceivedEvent => {
      const id = isBatch && typeof event.id === "string" ? plainText(event.id) : postId
      const times = id === null ? 1 : (seen.get(id) ?? 0) + 1
      if (id !== null) seen.set(id, times)
      return {
        at: new Date(now).toISOString(),
        id,
        batchId: isBatch ? postId : null,
        event: typeof event.event === "string" ? plainText(event.event) : null,
        verified: options.secret === null ? null : refusal === null,
        refusal,
        times,
        answered,
        summary: summaryOf(event)
      }
    })
    return { answered, events }
  }
}

const verificationMarks = { verified: "✓ verified", refused: "✗ refused ", unknown: "  unsigned" }

/**
 * `12:03:01  ✓ verified  activity.detected  Ada Example commented “Nice!”  wh_5f0c…`. A post that was forwarded says what became of it:
 * `→ 200 in 12 ms`.
 */
export const formatReceivedEvent = (
  { answered, at, batchId, event, id, refusal, summary, times, verified }: ReceivedEvent,
  forwarded: Pick<Forwarded, "status" | "error" | "millis"> | null = null
): string => {
  const mark =
    verified === null
      ? verificationMarks.unknown
      : verified
        ? verificationMarks.verified
        : verificationMarks.refused
  return [
    at.slice(11, 19),
    mark,
    (event ?? "no event").padEnd(17),
    summary,
    ...(refusal === null ? [] : [`(${refusal})`]),
    ...(times > 1 ? [`(again, ${times})`] : []),
    ...(forwarded === null
      ? answered === accepted
        ? []
        : [`→ ${answered}`]
      : [
          `→ ${forwarded.status} in ${forwarded.millis} ms${forwarded.error === null ? "" : ` (${forwarded.error})`}`
        ]),
    plainText(id ?? ""),
    ...(batchId === null ? [] : [`in ${plainText(batchId)}`])
  ]
    .filter((part) => part !== "")
    .join("  ")
}
