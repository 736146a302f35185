/** Verifies webhooks at the receiver. [DELIV-1] */
import { WebhookSignature } from "@lead-signals/webhook"
import { Data } from "effect"
import type { WebhookEvent } from "./ApiTypes.ts"

/** The post is not authentic; `message` says why. Respond with 400. */
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
 * Returns the event of a post that one of the secrets signed within the last five minutes. Throws
 * `WebhookRefused`. An event may arrive more than once: keep the ids that you have processed (`webhook-id`,
 * the same as the event's `id`). `now` is in milliseconds since 1970.
 */
export const verifyWebhook = (
  secret: string | ReadonlyArray<string>,
  { body, headers }: ReceivedWebhook,
  now: number = Date.now()
): WebhookEvent => {
  const text = typeof body === "string" ? body : new TextDecoder().decode(body)
  const signed = signedHeaders(headers)
  const secrets = typeof secret === "string" ? [secret] : secret
  const refusals = secrets.map((each) => WebhookSignature.verificationFailure(each, signed, text, now))
  if (!refusals.includes(null)) {
    throw new WebhookRefused({
      message: `The post can't be verified: ${refusals[0] ?? "no secret was given"}.`
    })
  }
  return JSON.parse(text) as WebhookEvent
}
