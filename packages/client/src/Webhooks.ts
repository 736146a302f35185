/** Verifies webhooks at the receiver. [DELIV-1] */
import { WebhookEvents, WebhookSignature } from "@lead-signals/webhook"
import { Data } from "effect"
import type { WebhookEvent } from "./ApiTypes.ts"

/** The post is not authentic, or holds no event that can be read; `message` says why. Respond with 400. */
export class WebhookRefused extends Data.TaggedError("WebhookRefused")<{
  /** One sentence with the reason, without anything of the body. */
  readonly message: string
}> {}

/** A post as an HTTP server received it. */
export interface ReceivedWebhook {
  /** The headers of the post; names in any letter case. */
  readonly headers: Headers | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The unparsed body: parsing and writing it again changes its signature. */
  readonly body: string | Uint8Array
}

const isHeaders = (headers: ReceivedWebhook["headers"]): headers is Headers =>
  typeof (headers as Headers).get === "function"

const signedHeaders = (headers: ReceivedWebhook["headers"]): Record<string, string> => {
  const entries = isHeaders(headers)
    ? [...headers.entries()]
    : Object.entries(headers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, typeof value === "string" ? value : value.join(",")] as const]
      )
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]))
}

/**
 * Returns the events of a post that one of the secrets signed within the last five minutes, in their order: one, or those of a batch. Events in
 * the format CloudEvents are returned as the envelopes that say the same. Throws `WebhookRefused`. An event may arrive more than once, in
 * another batch too: keep the `id`s of the events that you have processed. `now` is in milliseconds since 1970. [DELIV-1, BATCH-1, FMT-3]
 */
export const verifyWebhooks = (
  secret: string | ReadonlyArray<string>,
  { body, headers }: ReceivedWebhook,
  now: number = Date.now()
): ReadonlyArray<WebhookEvent> => {
  const text = typeof body === "string" ? body : new TextDecoder().decode(body)
  const signed = signedHeaders(headers)
  const secrets = typeof secret === "string" ? [secret] : secret
  const refusals = secrets.map((each) => WebhookSignature.verificationFailure(each, signed, text, now))
  if (!refusals.includes(null)) {
    throw new WebhookRefused({
      message: `The post can't be verified: ${refusals[0] ?? "no secret was given"}.`
    })
  }
  const events = WebhookEvents.read(text)
  if (events === null) throw new WebhookRefused({ message: "The post holds no events." })
  return events as ReadonlyArray<WebhookEvent>
}

/**
 * Returns the event of a post that holds one, as `verifyWebhooks` does. Throws `WebhookRefused`, also for a batch of several events, which
 * a webhook with `maxBatch` above 1 sends. `now` is in milliseconds since 1970. [DELIV-1]
 */
export const verifyWebhook = (
  secret: string | ReadonlyArray<string>,
  post: ReceivedWebhook,
  now: number = Date.now()
): WebhookEvent => {
  const events = verifyWebhooks(secret, post, now)
  if (events.length !== 1) {
    throw new WebhookRefused({
      message: `The post is a batch of ${events.length} events: verifyWebhooks reads it.`
    })
  }
  return events[0]!
}
