/**
 * The headers of every answer and of every post: those that the interface names, with values that can be right, and no others. What
 * is left of a window `limits hold` compares, and signatures `signed`. [ERR-1, ERR-2, ERR-4, AUTH-2, RATE-2, DOC-3, DELIV-1]
 */
import type { Answered, KnownFacts, ReceivedPost } from "../world/KnownFacts.ts"
import { document } from "./OpenApiDocument.ts"
import type { Oracle } from "./Oracle.ts"
import { roomFor } from "./NoDefects.ts"
import { outboxOf } from "./OutboxReference.ts"
import { looksKeyUpAgain, operationOf } from "./Requests.ts"

type Headers = Readonly<Record<string, string>>

const documents: Readonly<Record<string, RegExp>> = {
  "/": /^text\/plain/,
  "/openapi.json": /^application\/json$/,
  "/docs": /^text\/html/,
  "/docs/swagger-ui.css": /^text\/css/,
  "/docs/swagger-ui.js": /^text\/javascript/,
  "/favicon.ico": /^image\/svg\+xml$/
}

const known = new Set([
  "content-type",
  "content-length",
  "x-request-id",
  "cache-control",
  "x-content-type-options",
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "retry-after",
  "www-authenticate",
  "allow",
  "idempotent-replayed",
  // `errors clear` compares what they warn of.
  "x-warnings"
])

/** Where a browser's session begins and ends: `sessions hold` compares the cookie. */
const ofSessions = new Set(["POST /session", "DELETE /session"])

/** Proxies must not collect a stream before they pass it on. */
const ofStreams = new Set(["x-accel-buffering"])

const ofDocuments = new Set(["etag", "vary", "location", "content-security-policy", "content-encoding"])

const posted = ["content-type", "user-agent", "webhook-id", "webhook-signature", "webhook-timestamp"]

const contentType = ({ call, response }: Answered): RegExp | null => {
  // The page of a host that collects no metrics is empty.
  if (response.text === "" && call.route !== "/metrics") return null
  if (response.status >= 400) return /^application\/json$/
  if (call.route === "/metrics") return /^text\/plain; version=0\.0\.4/
  if (call.request.body !== undefined && /ndjson/.test(response.headers["content-type"] ?? ""))
    return /^application\/x-ndjson$/
  if (response.stream !== undefined) return /^text\/event-stream$/
  return documents[call.route] ?? /^application\/json$/
}

/** Whether the header must be there, and what is wrong where it must not. */
const presence = (headers: Headers, name: string, isDue: boolean): string | null => {
  const value = headers[name]
  if (isDue) return value === undefined ? `there is no ${name}` : null
  return value === undefined ? null : `${name} is ${value}`
}

/** The methods that the path takes, as the document has them: in the order of their names, `HEAD` where `GET` is. [ERR-2] */
const allowed = (route: string): string => {
  const methods = route in documents ? ["get"] : Object.keys(document["paths"][route] ?? {})
  return [...methods, ...(methods.includes("get") ? ["head"] : [])]
    .map((method) => method.toUpperCase())
    .sort()
    .join(", ")
}

const ofWindow = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"]

/** A window has three headers or none. [RATE-2] */
const wrongWindow = (headers: Headers, isDue: boolean | null): string | null => {
  const there = ofWindow.filter((name) => headers[name] !== undefined)
  if (isDue === false && there.length > 0) return `${there[0]} is ${headers[there[0]!]}`
  if (isDue === true && there.length === 0) return "there is no x-ratelimit-limit"
  const missing = there.length === 0 ? undefined : ofWindow.find((name) => !there.includes(name))
  return missing === undefined ? null : `there is no ${missing}`
}

/** A host may add headers of its own. */
const strange = (
  { call, response: { headers, status, stream } }: Answered,
  isDocument: boolean
): string | null => {
  const hasCookie = ofSessions.has(operationOf(call)) && status < 300
  if (stream !== undefined && headers["x-accel-buffering"] !== "no") return "there is no X-Accel-Buffering"
  for (const name of Object.keys(headers)) {
    const isMore =
      (isDocument && ofDocuments.has(name)) ||
      (stream !== undefined && ofStreams.has(name)) ||
      (hasCookie && name === "set-cookie")
    if (!known.has(name) && !isMore) return `${name} is ${headers[name]}`
  }
  return null
}

/** A repeated request, whose first one is under way. [IDEM-3] */
const isKeyInUse = ({ body, response }: Answered): boolean =>
  response.status === 409 && body?.error?.code === "idempotency_key_in_use"

/**
 * Whether the answer must have the headers of a window; null where it may. Where the store failed as the key was looked up, or as the request was
 * counted, the service knows none. [ERR-9]
 */
const isWindowDue = ({ call, response: { status } }: Answered): boolean | null => {
  const { key, struck } = call
  if (key === null) return false
  const looksAgain = looksKeyUpAgain(call)
  // Those that look their key up again have been counted before.
  if (status === 401) return looksAgain ? null : false
  if (struck.has("rateWindows.step")) return false
  // A request that waits for a change looks its key up again, and so does a sign-in.
  if (struck.has("keys.findByHash")) return looksAgain ? null : false
  return status >= 500 && struck.size === 0 ? null : true
}

const wrongHeader = (fact: Answered, seen: Set<string>): string | null => {
  const { call, response } = fact
  const { headers, status, text } = response
  const isDocument = call.route in documents && status < 400
  const id = headers["x-request-id"] ?? ""
  if (!/^[\w-]{16}$/.test(id)) return `X-Request-Id is "${id}"`
  if (seen.has(id)) return `X-Request-Id ${id} comes twice`
  seen.add(id)
  const type = contentType(fact)
  if (type === null ? headers["content-type"] !== undefined : !type.test(headers["content-type"] ?? ""))
    return `Content-Type is ${headers["content-type"]}`
  const length = headers["content-length"]
  if (length !== undefined && Number(length) !== new TextEncoder().encode(text).length)
    return `Content-Length is ${length}`
  if (headers["x-content-type-options"] !== "nosniff")
    return `X-Content-Type-Options is ${headers["x-content-type-options"]}`
  if (!isDocument && headers["cache-control"] !== "no-store")
    return `Cache-Control is ${headers["cache-control"]}`
  const isOverload = status === 503 && headers["retry-after"] === roomFor(call)?.retryAfter
  return (
    presence(headers, "www-authenticate", status === 401) ??
    (status === 401 && headers["www-authenticate"] !== "Bearer"
      ? `WWW-Authenticate is ${headers["www-authenticate"]}`
      : null) ??
    presence(headers, "allow", status === 405) ??
    (status === 405 && headers["allow"] !== allowed(call.route)
      ? `Allow is ${headers["allow"]}, not ${allowed(call.route)}`
      : null) ??
    (isOverload ? null : presence(headers, "retry-after", status === 429 || isKeyInUse(fact))) ??
    wrongWindow(headers, isWindowDue(fact))
  )
}

const maxSkipped = 50
const ids = /^wh_[0-9a-f]{32}( wh_[0-9a-f]{32})*$/

/** Where the clock was set, a delivery can be leased anew while a post of it is about to begin. */
const leasedAnewMillis = 60_000

/** Whether the event was leased as the post says: in order, or not. [ORD-5] */
const isOrderLeased = (facts: KnownFacts, { id, sent }: ReceivedPost, order: string | undefined): boolean => {
  const leases = (outboxOf(facts).leases.get(id) ?? []).filter(
    ({ at, process }) => process === sent.process && at <= sent.at
  )
  return leases.some(
    (lease) => lease.order === order && (lease === leases.at(-1) || sent.at - lease.at < leasedAnewMillis)
  )
}

/** What a post says of one event's place. [ORD-6] */
const wrongPlaceOf = (
  facts: KnownFacts,
  post: ReceivedPost,
  order: string | undefined,
  isAlone: boolean,
  again: string | undefined
) => {
  const { envelope } = post
  if (!isOrderLeased(facts, post, order)) return `an event says ${order}, and was not leased so`
  const isOut = envelope.event === "webhook.test" || (isAlone && again !== undefined)
  return order === "lead" && isOut ? "a test, or what is sent again, says that it is in order" : null
}

/**
 * What a post says of the places of its events: whether each is in order, always where the webhook is ordered, and never elsewhere; at most 50
 * that were skipped; and what it sends again. [ORD-5, ORD-6]
 */
const wrongPlace = (
  facts: KnownFacts,
  { headers, message: { posts }, webhook }: ReceivedPost
): string | null => {
  const {
    "lead-signals-ordering": order,
    "lead-signals-resend-of": again,
    "lead-signals-skipped": skipped
  } = headers
  const isOrdered = webhook.ordering === "lead"
  if (isOrdered ? order === undefined : order !== undefined)
    return `a post of a webhook ${isOrdered ? "" : "not "}in order says ${order}`
  const orders = order === undefined ? [] : order.split(" ")
  if (isOrdered && orders.length !== posts.length)
    return `a post of ${posts.length} events says ${orders.length} places`
  if (isOrdered)
    for (const [i, post] of posts.entries()) {
      const wrong = wrongPlaceOf(facts, post, orders[i], posts.length === 1, again)
      if (wrong !== null) return wrong
    }
  if (skipped !== undefined && !orders.includes("lead")) return "a post out of order says what was skipped"
  if (skipped !== undefined && (!ids.test(skipped) || skipped.split(" ").length > maxSkipped))
    return `what was skipped is ${skipped}`
  if (again === undefined) return null
  if (!ids.test(again)) return `a post sends ${again} again`
  const maxAgain = isOrdered ? orders.filter((each) => each === "none").length : posts.length
  return again.split(" ").length > maxAgain
    ? `a post with ${maxAgain} events out of order sends ${again} again`
    : null
}

/** [FMT-3] */
const mediaTypes = {
  envelope: ["application/json", "application/json"],
  cloudevents: ["application/cloudevents+json", "application/cloudevents-batch+json"]
} as const

const wrongPost = (facts: KnownFacts, post: ReceivedPost): string | null => {
  const { headers, id, message, webhook } = post
  const place = wrongPlace(facts, post)
  if (place !== null) return place
  const names = Object.keys(headers)
    .filter((name) => !name.startsWith("lead-signals-"))
    .sort()
  if (names.join() !== posted.join()) return `a post has the headers ${names.join(", ")}`
  if (headers["content-type"] !== mediaTypes[webhook.format][webhook.maxBatch === 1 ? 0 : 1])
    return `a post's Content-Type is ${headers["content-type"]}`
  if (!/^Lead-Signals\/\d+\.\d+ \(webhooks\)$/.test(headers["user-agent"]!))
    return `a post's User-Agent is ${headers["user-agent"]}`
  if (!/^wh_[0-9a-f]{32}$/.test(id)) return `an event's id is ${id}`
  const isBatchId = /^wb_[0-9a-f]{32}$/.test(message.id)
  return webhook.maxBatch === 1 || isBatchId ? null : `a batch's webhook-id is ${message.id}`
}

/** A header that the interface does not name breaks it, too. */
export const headersRight: Oracle = {
  name: "headers right",
  instantiate: (facts, checks) => {
    const answers = checks.rule("the headers of each answer")
    const posts = checks.rule("the headers of each post")
    const seen = new Set<string>()
    return {
      answered: (fact) => {
        if (isWindowDue(fact) === null) answers.weaken("nobody knows whether the request was counted")
        else answers.judged++
        const isDocument = fact.call.route in documents && fact.response.status < 400
        const wrong = wrongHeader(fact, seen) ?? (facts.isStoreSeen ? strange(fact, isDocument) : null)
        return wrong === null
          ? null
          : `${fact.call.request.method} ${fact.call.route}, ${fact.response.status}: ${wrong}`
      },
      posted: (post) => {
        if (post.index > 0) return null
        posts.judged++
        return facts.isStoreSeen ? wrongPost(facts, post) : null
      }
    }
  }
}
