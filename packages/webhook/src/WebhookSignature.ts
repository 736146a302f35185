/**
 * Signs and verifies webhooks by the Standard Webhooks specification (standardwebhooks.com, version 1):
 * HMAC-SHA-256 over `id.timestamp.body`, in three headers. [DELIV-1]
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Context, Either, Encoding } from "effect"

/** Seconds by which a timestamp may differ from the receiver's clock. */
const toleranceSeconds = 300

/** The headers of Standard Webhooks, which a receiver verifies. */
export interface SignedHeaders {
  /** The delivery's id, the same at every attempt. [EVT-1] */
  readonly "webhook-id": string
  /** The time of the attempt, in seconds since 1970. */
  readonly "webhook-timestamp": string
  /** One `v1,<base64>` for each secret, with spaces between them. */
  readonly "webhook-signature": string
}

/**
 * The key in a secret `whsec_<base64>`; null when the secret has another form, or a key that is not 24 to 64
 * bytes long.
 */
export const parseSecret = (secret: string): Uint8Array | null => {
  const decoded = secret.startsWith("whsec_") ? Encoding.decodeBase64(secret.slice(6)) : null
  if (decoded === null || Either.isLeft(decoded)) return null
  const key = decoded.right
  return key.length >= 24 && key.length <= 64 ? key : null
}

/**
 * HMAC-SHA-256 of a text in UTF-8. The default runs on any platform; a host may provide its platform's own.
 */
export class Hmac extends Context.Reference<Hmac>()("@lead-signals/webhook/Hmac", {
  defaultValue: () => (key: Uint8Array, text: string) => hmac(sha256, key, utf8ToBytes(text))
}) {}

const portableHmac = Hmac.defaultValue()

/** Secrets whose keys are kept at a time: the oldest goes first. */
const maxKeys = 1000
const keys = new Map<string, Uint8Array | null>()

/** The key of a secret, the same bytes each time, so that an implementation of `Hmac` can keep what it prepares of them. */
const keyOf = (secret: string): Uint8Array | null => {
  const known = keys.get(secret)
  if (known !== undefined) return known
  const key = parseSecret(secret)
  if (keys.size >= maxKeys) keys.delete(keys.keys().next().value!)
  keys.set(secret, key)
  return key
}

/** What is signed of a post; `timestamp` as its header has it. */
interface Signed {
  readonly id: string
  readonly timestamp: string
  readonly body: string
}

const signature = (hmacOf: typeof Hmac.Service, key: Uint8Array, { body, id, timestamp }: Signed): string =>
  `v1,${Encoding.encodeBase64(hmacOf(key, `${id}.${timestamp}.${body}`))}`

/**
 * The headers of a post, signed with each secret. Malformed secrets are skipped. `now` is in milliseconds
 * since 1970.
 */
export const sign = (
  secrets: ReadonlyArray<string>,
  { body, id, now }: { readonly id: string; readonly now: number; readonly body: string },
  hmacOf: typeof Hmac.Service = portableHmac
): SignedHeaders => {
  const timestamp = String(Math.floor(now / 1000))
  const signatures = secrets.flatMap((secret) => {
    const key = keyOf(secret)
    return key === null ? [] : [signature(hmacOf, key, { id, timestamp, body })]
  })
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" ")
  }
}

/** Takes the same time wherever the texts differ. */
const equalsInConstantTime = (a: string, b: string): boolean => {
  let difference = a.length ^ b.length
  for (let i = 0; i < Math.min(a.length, b.length); i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}

/**
 * Verifies a post. Returns null when it is authentic, else the reason. `now` is in milliseconds since 1970.
 */
export const verificationFailure = (
  secret: string,
  headers: Readonly<Record<string, string | undefined>>,
  body: string,
  now: number
): string | null => {
  const key = parseSecret(secret)
  if (key === null) return "the secret takes whsec_ and the base64 of 24 to 64 bytes"
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(
    (name) => headers[name] ?? ""
  ) as [string, string, string]
  if (id === "" || timestamp === "" || signatures === "") return "it has no signature"
  if (!/^[0-9]{1,15}$/.test(timestamp)) return "its timestamp can't be read"
  if (Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds) {
    return "its timestamp is more than five minutes off"
  }
  const expected = signature(portableHmac, key, { id, timestamp, body })
  return signatures.split(" ").some((each) => equalsInConstantTime(each, expected))
    ? null
    : "its signature does not match"
}
