/** Receivers of webhooks, each with a character of its own. */
import { Sender } from "@lead-signals/webhook"
import { Clock, Effect } from "effect"
import { signs } from "../oracles/Signed.ts"
import type { ReceiverBehaviour } from "../Scenario.ts"
import type { Decisions } from "../world/Decisions.ts"
import type { Json, KnownWebhook, ReceivedPost } from "../world/KnownFacts.ts"
import type { Consumer } from "../world/World.ts"
import type { ActorContext } from "./ActorContext.ts"

interface Reply {
  /** Null: it never answers. */
  readonly status: number | null
  readonly millis: number
  readonly retryAfter?: RetryAfter
  /** Whether it sends back what it got, as much as is read of it. */
  readonly echoes?: boolean
}

/** A header Retry-After: a text, or an HTTP date so many seconds from now. */
interface RetryAfter {
  readonly text?: string
  readonly dateInSeconds?: number
  /** For how long a text asks to be left alone; null where it asks for nothing that counts. */
  readonly seconds: number | null
}

/** What counts of a longer wait. [DELIV-3] */
const longestSeconds = 86_400

/** Ways to write the header, with what the contract makes of each. [DELIV-3] */
const retryAfters: ReadonlyArray<RetryAfter> = [
  { text: "600", seconds: 600 },
  { text: " 600 ", seconds: 600 },
  { dateInSeconds: 600, seconds: null },
  { dateInSeconds: -600, seconds: null },
  { dateInSeconds: 400 * 86_400, seconds: null },
  { text: "0", seconds: null },
  { text: "999999999", seconds: longestSeconds },
  { text: "-600", seconds: null },
  { text: "600.5", seconds: null },
  { text: "soon", seconds: null },
  { text: "", seconds: null },
  { text: "Mon, 32 Feb 2026 25:00:00 GMT", seconds: null }
]

/** The header, and the seconds for which it asks by the service's clock, which is what a date counts by. */
const written = (
  { dateInSeconds, seconds, text }: RetryAfter,
  now: number,
  serviceNow: number
): { readonly header: string; readonly seconds: number | null } => {
  if (dateInSeconds === undefined) return { header: text!, seconds }
  const at = Math.ceil(now / 1000 + dateInSeconds) * 1000
  const left = Math.floor((at - serviceNow) / 1000)
  return { header: new Date(at).toUTCString(), seconds: left <= 0 ? null : Math.min(left, longestSeconds) }
}

/** Mostly the plain number. */
const retryAfterOf = (label: string, decisions: Decisions): RetryAfter =>
  decisions.chance(`an odd Retry-After to ${label}`, 0.4)
    ? retryAfters[decisions.below(`which Retry-After to ${label}`, retryAfters.length)]!
    : retryAfters[0]!

/** What it answers to its n-th post, from 1, and after how long. */
type Character = (n: number, label: string, decisions: Decisions) => Reply

/** A receiver that fails is mended after so many posts, so that everything can be seen to arrive in the end. */
const mendedAfter = 12

const characters: { readonly [behaviour in ReceiverBehaviour]: Character } = {
  healthy: () => ({ status: 200, millis: 5 }),
  slow: (_, label, decisions) => ({
    status: 202,
    millis: 2000 + decisions.below(`slowness of ${label}`, 9000)
  }),
  flaky: (_, label, decisions) => ({
    status: decisions.chance(`mood of ${label}`, 0.4) ? 500 : 204,
    millis: 20
  }),
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
  strict: () => ({ status: 200, millis: 10 })
}

const subjectOf = (envelope: Json): string => {
  const { data, event } = envelope
  if (event === "lead2.created") return `${event} ${data.lead2.extId}`
  return event === "activity.detected" ? `${event} ${data.engagements[0].id}` : event
}

const nothing = new Uint8Array()

export const consumer = ({ facts, world }: ActorContext, webhook: KnownWebhook): Consumer => {
  const seen = new Set<string>()
  const labels = new Map<string, number>()
  let posts = 0
  return {
    labelOf: ({ body }) => {
      const label = `post ${webhook.url} ${subjectOf(JSON.parse(body))}`
      const n = (labels.get(label) ?? 0) + 1
      labels.set(label, n)
      return `${label} ${n}`
    },
    receive: ({ body, headers }, label, sent) =>
      Effect.gen(function* () {
        const {
          echoes = false,
          millis,
          retryAfter,
          status: reply
        } = characters[webhook.behaviour](++posts, label, world.decisions)
        const at = yield* Clock.currentTimeMillis
        const id = headers["webhook-id"] ?? ""
        const isSigned = webhook.secrets.some(({ secret }) => signs(secret, { body, headers, id }))
        const status = webhook.behaviour === "strict" && !isSigned ? 401 : reply
        if (seen.has(id)) facts.coverageMarks.add("an event came again")
        seen.add(id)
        const envelope = JSON.parse(body)
        const asked = retryAfter === undefined ? null : written(retryAfter, at, world.serviceNow)
        const post: ReceivedPost = {
          at,
          sent,
          webhook,
          headers,
          id,
          body,
          envelope,
          subject: subjectOf(envelope),
          status,
          retryAfterSeconds: asked?.seconds ?? null
        }
        world.kernel.record(`webhook ${webhook.url}`, "post", { id, subject: post.subject, status })
        world.posted(post)
        if (status === null) return yield* Effect.never
        yield* Effect.sleep(millis)
        const echo = echoes ? new TextEncoder().encode(body).slice(0, Sender.maxExcerptBytes) : nothing
        return {
          status,
          retryAfter: asked?.header ?? null,
          excerpt: echo,
          truncated: echo.length === Sender.maxExcerptBytes
        } satisfies Sender.PostResponse
      })
  }
}
