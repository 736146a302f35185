/** A small receiver for trying webhooks out: verifies what it is sent, and says what it is in a line a person can read. */
import { WebhookSignature } from "@lead-signals/webhook"
import { withoutControls } from "./Foreign.ts"

/** The first `count` posts are answered with `status`; null: all of them. */
export interface PlannedFailure {
  readonly status: number
  readonly count: number | null
}

/** `503:3`, or `503` for always. Null when it is neither. */
export const parseFailure = (text: string): PlannedFailure | null => {
  const [, status, count] = /^([3-5][0-9]{2})(?::([1-9][0-9]{0,8}))?$/.exec(text) ?? []
  return status === undefined
    ? null
    : { status: Number(status), count: count === undefined ? null : Number(count) }
}

export interface Post {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/** What was made of a post: what it is answered with, and what is told of it. */
export interface Outcome {
  readonly at: string
  readonly id: string | null
  readonly event: string | null
  /** Null without a secret. */
  readonly verified: boolean | null
  /** Why it is not to be trusted. */
  readonly refusal: string | null
  /** How many times this id has come, this time included. */
  readonly times: number
  readonly answered: number
  readonly summary: string
}

const plain = (text: unknown): string => (typeof text === "string" ? withoutControls(text).slice(0, 120) : "")

// Bodies are looked into freely here: whatever they hold, a line comes out.
type Json = any

const who = (lead: Json): string =>
  [
    plain(lead?.name),
    [plain(lead?.title1 ?? lead?.headline), plain(lead?.leadCompany?.name)].filter(Boolean).join(" at ")
  ]
    .filter(Boolean)
    .join(", ")

const what = (engagement: Json): string => {
  switch (engagement?.type) {
    case "comment":
      return `commented “${plain(engagement.commentText)}”`
    case "reaction":
      return `reacted ${plain(engagement.reactionType)}`.trim()
    case "repost":
      return "reposted"
    default:
      return "engaged"
  }
}

const counted = (n: number): string => (n === 1 ? "1 engagement" : `${n} engagements`)

const summaryOf = ({ data, event }: Json): string => {
  switch (event) {
    case "lead2.created":
      return `${who(data?.lead2)} · ${counted(data?.engagements?.length ?? 0)}`
    case "activity.detected":
      return `${who(data?.lead2)} ${what(data?.engagements?.[0])}${data?.isFirstActivity === true ? " · first activity" : ""}`
    default:
      return plain(data?.message)
  }
}

const parse = (body: string): Json => {
  try {
    return JSON.parse(body) ?? {}
  } catch {
    return {}
  }
}

const accepted = 204
const untrusted = 401

/** Judges one post after the other. `now` is in milliseconds. */
export const receiver = (options: {
  readonly secret: string | null
  readonly failure: PlannedFailure | null
}) => {
  const seen = new Map<string, number>()
  let posts = 0
  return ({ body, headers }: Post, now: number): Outcome => {
    posts++
    const refusal = options.secret === null ? null : WebhookSignature.verificationFailure(options.secret, headers, body, now)
    const envelope = parse(body)
    const id = headers["webhook-id"] ?? null
    const times = id === null ? 1 : (seen.get(id) ?? 0) + 1
    if (id !== null) seen.set(id, times)
    const { failure } = options
    const isPlanned = failure !== null && (failure.count === null || posts <= failure.count)
    return {
      at: new Date(now).toISOString(),
      id,
      event: typeof envelope.event === "string" ? plain(envelope.event) : null,
      verified: options.secret === null ? null : refusal === null,
      refusal,
      times,
      answered: isPlanned ? failure.status : refusal === null ? accepted : untrusted,
      summary: summaryOf(envelope)
    }
  }
}

const marks = { verified: "✓ verified", refused: "✗ refused ", unknown: "  unsigned" }

/** `12:03:01  ✓ verified  activity.detected  Ada Example commented “Nice!”  wh_5f0c…` */
export const line = ({ answered, at, event, id, refusal, summary, times, verified }: Outcome): string => {
  const mark = verified === null ? marks.unknown : verified ? marks.verified : marks.refused
  return [
    at.slice(11, 19),
    mark,
    (event ?? "no event").padEnd(17),
    summary,
    ...(refusal === null ? [] : [`(${refusal})`]),
    ...(times > 1 ? [`(again, ${times})`] : []),
    ...(answered === accepted ? [] : [`→ ${answered}`]),
    plain(id ?? "")
  ]
    .filter((part) => part !== "")
    .join("  ")
}
