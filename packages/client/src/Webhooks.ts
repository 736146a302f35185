/** Webhooks at their receiver's: what is signed by the secret is the event, and nothing else is. [DELIV-1] */
import { Signing } from "@lead-signals/webhook"
import { Data } from "effect"
import type { WebhookEvent } from "./Contract.ts"

/** The post is not to be trusted; `message` says why. Answer it 400. */
export class WebhookRefused extends Data.TaggedError("WebhookRefused")<{ readonly message: string }> {}

export interface ReceivedWebhook {
  /** Of the post, with names in any letter case. */
  readonly headers: Headers | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** As it came, byte for byte: parsed and written again it has another signature. */
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
 * The event of a post that is signed by one of the secrets and not older than five minutes. Throws `WebhookRefused`. Events
 * come at least once: keep the ids that you have dealt with (`webhook-id`, which is `id` of the event).
 */
export const verifyWebhook = (
  secret: string | ReadonlyArray<string>,
  { body, headers }: ReceivedWebhook,
  now: number = Date.now()
): WebhookEvent => {
  const text = typeof body === "string" ? body : new TextDecoder().decode(body)
  const signed = signedHeaders(headers)
  const secrets = typeof secret === "string" ? [secret] : secret
  const refusals = secrets.map((each) => Signing.refusal(each, signed, text, now))
  if (!refusals.includes(null)) {
    throw new WebhookRefused({
      message: `The post is not to be trusted: ${refusals[0] ?? "there is no secret to verify it with"}.`
    })
  }
  return JSON.parse(text) as WebhookEvent
}
