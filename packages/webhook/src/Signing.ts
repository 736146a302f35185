/**
 * Signatures by the Standard Webhooks specification (standardwebhooks.com, version 1): HMAC-SHA-256 over
 * `id.timestamp.body`, in three headers. [DELIV-1]
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Context, Either, Encoding } from "effect"

/** How far a receiver lets the timestamp be from its own clock. */
const toleranceSeconds = 300

export interface SignedHeaders {
  readonly "webhook-id": string
  /** Unix seconds. */
  readonly "webhook-timestamp": string
  /** One `v1,<base64>` for each secret, with a space between them. */
  readonly "webhook-signature": string
}

/** The key of a secret `whsec_<base64>`; null when it is none, or is not of 24 to 64 bytes. */
export const keyOf = (secret: string): Uint8Array | null => {
  const decoded = secret.startsWith("whsec_") ? Encoding.decodeBase64(secret.slice(6)) : null
  if (decoded === null || Either.isLeft(decoded)) return null
  const key = decoded.right
  return key.length >= 24 && key.length <= 64 ? key : null
}

/** HMAC-SHA-256 of a text in UTF-8; one that needs no platform, unless a host brings its platform's. */
export class Hmac extends Context.Reference<Hmac>()("@lead-signals/webhook/Hmac", {
  defaultValue: () => (key: Uint8Array, text: string) => hmac(sha256, key, utf8ToBytes(text))
}) {}

const portableHmac = Hmac.defaultValue()

const signature = (
  hmacOf: typeof Hmac.Service,
  key: Uint8Array,
  id: string,
  timestamp: string,
  body: string
): string => `v1,${Encoding.encodeBase64(hmacOf(key, `${id}.${timestamp}.${body}`))}`

/** Each secret signs; one that is none signs nothing. `now` is in milliseconds. */
export const sign = (
  secrets: ReadonlyArray<string>,
  { body, id, now }: { readonly id: string; readonly now: number; readonly body: string },
  hmacOf: typeof Hmac.Service = portableHmac
): SignedHeaders => {
  const timestamp = String(Math.floor(now / 1000))
  const signatures = secrets.flatMap((secret) => {
    const key = keyOf(secret)
    return key === null ? [] : [signature(hmacOf, key, id, timestamp, body)]
  })
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" ")
  }
}

/** Compares without telling by its time how much was right. */
const isSame = (a: string, b: string): boolean => {
  let difference = a.length ^ b.length
  for (let i = 0; i < Math.min(a.length, b.length); i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}

/** Why a message is not to be trusted; null when it is. */
export const refusal = (
  secret: string,
  headers: Readonly<Record<string, string | undefined>>,
  body: string,
  now: number
): string | null => {
  const key = keyOf(secret)
  if (key === null) return "the secret takes whsec_ and the base64 of 24 to 64 bytes"
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(
    (name) => headers[name] ?? ""
  ) as [string, string, string]
  if (id === "" || timestamp === "" || signatures === "") return "it is not signed"
  if (!/^[0-9]{1,15}$/.test(timestamp)) return "its timestamp can't be read"
  if (Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds) {
    return "its timestamp is more than five minutes off"
  }
  const expected = signature(portableHmac, key, id, timestamp, body)
  return signatures.split(" ").some((each) => isSame(each, expected)) ? null : "its signature does not match"
}
