/** Receivers of webhooks, each with a character of its own. */
import type { Sender } from "@lead-signals/webhook"
import { Clock, Effect } from "effect"
import { signs } from "../oracles/Signed.ts"
import type { ReceiverBehaviour } from "../Scenario.ts"
import type { Decisions } from "../world/Decisions.ts"
import type { Json, KnownFacts, KnownWebhook, ReceivedPost, SentPost } from "../world/KnownFacts.ts"
import type { Consumer } from "../world/World.ts"
import type { ActorContext } from "./ActorContext.ts"
import { echoing, ownWords, silent } from "./ReceiverAnswers.ts"
import { eventsOf, isBatch, type PostedEvent } from "./PostedEvents.ts"

interface Reply {
  /** Null: it never answers. */
  readonly status: number | null
  readonly millis: number
  readonly retryAfter?: RetryAfter
  /** Whether it sends back what it got, as much as is read of it. Others now and then answer in words of their own. */
  readonly echoes?: boolean
}

/** The forms of an HTTP date: the one that is written today, and the two older ones (RFC 9110 §5.6.7). */
type DateForm = "imf" | "rfc850" | "asctime"

/** A header Retry-After: its text and the seconds that it means, or the seconds from now of an HTTP date, and its form. */
type RetryAfter =
  | { readonly text: string; readonly seconds: number | null }
  | { readonly dateInSeconds: number; readonly form: DateForm }

/** Ways to write the header. [DELIV-3] */
const retryAfters: ReadonlyArray<RetryAfter> = [
  { text: "600", seconds: 600 },
  { text: " 600 ", seconds: 600 },
  { dateInSeconds: 600, form: "imf" },
  { dateInSeconds: -600, form: "rfc850" },
  { dateInSeconds: 400 * 86_400, form: "asctime" },
  { text: "0", seconds: 0 },
  // Longer numbers count as the greatest of nine digits.
  { text: "99999999999", seconds: 999_999_999 },
  { text: "-600", seconds: null },
  { text: "600.5", seconds: null },
  { text: "soon", seconds: null },
  { text: "", seconds: null },
  { text: "Mon, 32 Feb 2026 25:00:00 GMT", seconds: null }
]

interface Written {
  readonly header: string | null
  readonly seconds: number | null
  readonly date: number | null
}

const longWeekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

/** The instant, of whole seconds, as an HTTP date. */
const httpDate = (at: number, form: DateForm): string => {
  const text = new Date(at).toUTCString()
  if (form === "imf") return text
  const [weekday, day, month, year, time] = text.split(" ") as [string, string, string, string, string]
  return form === "rfc850"
    ? `${longWeekdays[new Date(at).getUTCDay()]}, ${day}-${month}-${year.slice(2)} ${time} GMT`
    : `${weekday.slice(0, 3)} ${month} ${day.replace(/^0/, " ")} ${time} ${year}`
}

/** An HTTP date has whole seconds. */
const written = (requested: RetryAfter | undefined, now: number): Written => {
  if (requested === undefined) return { header: null, seconds: null, date: null }
  if ("text" in requested) return { header: requested.text, seconds: requested.seconds, date: null }
  const date = Math.ceil(now / 1000 + requested.dateInSeconds) * 1000
  return { header: httpDate(date, requested.form), seconds: null, date }
}

/** Mostly the plain number. */
const retryAfterOf = (label: string, decisions: Decisions): RetryAfter =>
  decisions.chance(`an odd Retry-After to ${label}`, 0.4)
    ? retryAfters[decisions.below(`which Retry-After to ${label}`, retryAfters.length)]!
    : retryAfters[0]!

/** What it answers to its n-th post, from 1, which came at the instant, and after how long. */
type Character = (n: number, label: string, decisions: Decisions, at: number) => Reply

/** After how many posts a receiver that fails is mended, so that everything arrives in the end. */
const mendedAfter = 12

/** Milliseconds from the beginning of an outage of an unsteady receiver to the next one. */
const unsteadyMillis = 7 * 60_000
/** Milliseconds that an outage lasts. */
const outageMillis = 2 * 60_000
/** How much sooner each outage of the next webhook comes, in milliseconds. */
const phaseMillis = 61_000

/** Statuses with which a delivery succeeds or fails, with the bounds of both. [DELIV-3] */
const [successes, failures] = [
  [204, 200, 299, 201, 206],
  [500, 300, 404, 599, 301, 400]
] as const

const characters: { readonly [behaviour in ReceiverBehaviour]: Character } = {
  healthy: () => ({ status: 200, millis: 5 }),
  slow: (_, label, decisions) => ({
    status: 202,
    millis: 2000 + decisions.below(`slowness of ${label}`, 9000)
  }),
  flaky: (n, label, decisions) => {
    const statuses = decisions.chance(`mood of ${label}`, 0.4) ? failures : successes
    return { status: statuses[n % statuses.length]!, millis: 20 }
  },
  failing: (n) => ({ status: n > mendedAfter ? 200 : 503, millis: 20 }),
  busy: (n, label, decisions) =>
    n % 3 === 1
      ? { status: n % 2 === 0 ? 503 : 429, millis: 20, retryAfter: retryAfterOf(label, decisions) }
      : { status: 200, millis: 20 },
  hanging: (n) => ({ status: n > mendedAfter ? 200 : null, millis: 20 }),
  gone: (n) => ({ status: n === 5 ? 410 : 200, millis: 20 }),
  redirecting: (n) => ({ status: n > mendedAfter ? 200 : 302, millis: 20 }),
  truncating: (n) => ({ status: n % 2 === 0 ? 200 : 500, millis: 20, echoes: true }),
  // What is not signed with a secret that it knows it answers 401.
  strict: () => ({ status: 200, millis: 10 }),
  // Ordered events that wait for a minute at most die in each outage, and later ones name them.
  unsteady: (_, __, ___, at) => ({ status: at % unsteadyMillis < outageMillis ? 503 : 200, millis: 20 }),
  broken: () => ({ status: 500, millis: 20 })
}

const subjectOf = (envelope: Json): string => {
  const { data, event } = envelope
  if (event === "lead2.created") return `${event} ${data.lead2.extId}`
  return event === "activity.detected" ? `${event} ${data.engagements[0].id}` : event
}

/** The events of the body; none where nobody could read them, which breaks a rule. */
const readable = (facts: KnownFacts, body: string): ReadonlyArray<PostedEvent> => {
  try {
    const events = eventsOf(body)
    if (events.length === 0) facts.violate("formats right", "a batch has no events")
    return events
  } catch {
    facts.violate("formats right", `the body of a post is no JSON: ${body.slice(0, 60)}`)
    return []
  }
}

/**
 * The receiver of one webhook, with the behaviour that the scenario gives it. It notes every event that it is sent; a body that it can't read breaks
 * a rule.
 */
export const consumer = ({ facts, world }: ActorContext, webhook: KnownWebhook): Consumer => {
  const seen = new Set<string>()
  const labels = new Map<string, number>()
  const known = new WeakMap<Sender.PostRequest, ReadonlyArray<PostedEvent>>()
  const read = (posted: Sender.PostRequest): ReadonlyArray<PostedEvent> => {
    const events = known.get(posted) ?? readable(facts, posted.body)
    known.set(posted, events)
    return events
  }
  /** What the post is of: its first event, and how many come with it. */
  const subjectIn = (posted: Sender.PostRequest): string => {
    const [first, ...others] = read(posted)
    if (first === undefined) return "nothing"
    const subject = subjectOf(first.envelope)
    return isBatch(posted.body) ? `${subject} and ${others.length} more` : subject
  }
  let posts = 0
  return {
    labelOf: (posted) => {
      const label = `post ${webhook.url} ${subjectIn(posted)}`
      const n = (labels.get(label) ?? 0) + 1
      labels.set(label, n)
      return `${label} ${n}`
    },
    receive: Effect.fnUntraced(function* (posted: Sender.PostRequest, label: string, sent: SentPost) {
      const { body, headers } = posted
      const n = ++posts
      const at = yield* Clock.currentTimeMillis
      const {
        echoes = false,
        millis,
        retryAfter,
        status: reply
      } = characters[webhook.behaviour](n, label, world.decisions, at + Number(webhook.id) * phaseMillis)
      const id = headers["webhook-id"] ?? ""
      // An HMAC costs more than all else here; the oracle `signed` judges the signatures of every post.
      const isRefused =
        webhook.behaviour === "strict" &&
        !webhook.secrets.some(({ secret }) => signs(secret, { body, headers, id }))
      const status = isRefused ? 401 : reply
      if (seen.has(id)) facts.coverageMarks.add("an event came again")
      seen.add(id)
      const requested = written(retryAfter, at)
      const answered = { id, body, events: read(posted) }
      const answer =
        status === null ? silent : echoes ? echoing(answered, n) : ownWords(Number(webhook.id), answered, n)
      const isOfBatch = isBatch(body)
      const received: Array<ReceivedPost> = []
      const message = { id, body, posts: received }
      for (const [index, event] of read(posted).entries())
        received.push({
          at,
          sent,
          webhook,
          headers,
          id: isOfBatch ? String(event.envelope.id) : id,
          body: event.body,
          envelope: event.envelope,
          cloudEvent: event.cloudEvent,
          message,
          messageId: id,
          index,
          subject: subjectOf(event.envelope),
          status,
          retryAfterSeconds: requested.seconds,
          retryAfterDate: requested.date,
          logged: answer.logged
        })
      if (isOfBatch) facts.coverageMarks.add("events came in a batch")
      if (received[0]?.cloudEvent) facts.coverageMarks.add("an event came as a CloudEvent")
      for (const { id: delivery, subject } of received)
        world.kernel.record(`webhook ${webhook.url}`, "post", {
          id: delivery,
          subject,
          status,
          ...(isOfBatch ? { batch: id } : {})
        })
      for (const post of received) world.posted(post)
      if (status === null) return yield* Effect.never
      yield* Effect.sleep(millis)
      const { excerpt, truncated } = answer
      return { status, retryAfter: requested.header, excerpt, truncated } satisfies Sender.PostResponse
    })
  }
}
