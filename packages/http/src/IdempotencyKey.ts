/**
 * An Idempotency-Key and what is derived from it. The server keeps none of it but the id, the fingerprint and the sealed answer: only who
 * sends the key again can open the answer, in which a new API key or a webhook's secret may stand. [IDEM-1, IDEM-5]
 */
import { xchacha20poly1305 } from "@noble/ciphers/chacha.js"
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { Either, Encoding } from "effect"

/** The name of the header, as Node and fetch write it. */
export const headerName = "idempotency-key"

const minLength = 16
const maxLength = 255

/** What a key is made of, in words that follow the header's name. */
const takes = `Idempotency-Key takes one key of ${minLength} to ${maxLength} visible ASCII characters, such as a UUID, in double quotes or without.`

/** A string of RFC 8941, section 3.3.3, with parameters that count for nothing. */
const quoted = /^"((?:[ !#-[\]-~]|\\["\\])*)"(?:;.*)?$/
/** What clients send that quote nothing. */
const bare = /^[!#-+\--:<-[\]-~]+$/

/** The key in the header. Left: what the header takes. [IDEM-1] */
export const parse = (header: string): Either.Either<string, string> => {
  const text = header.trim()
  const inside = quoted.exec(text)?.[1]?.replace(/\\(["\\])/g, "$1")
  const key = inside ?? (bare.test(text) ? text : "")
  return key.length >= minLength && key.length <= maxLength ? Either.right(key) : Either.left(takes)
}

/** The call that bears a key: keys of other operators, methods and paths are other keys. */
export interface KeyScope {
  /** Whose key it is. */
  readonly actor: string
  readonly method: string
  /** Without the query. */
  readonly path: string
}

/** What is kept under a key, and what opens it. */
export interface DerivedKey {
  /** Hex. */
  readonly id: string
  readonly sealingKey: Uint8Array
}

const derived = (key: string, purpose: string, parts: ReadonlyArray<string>): Uint8Array =>
  hmac(sha256, utf8ToBytes(key), utf8ToBytes([`lead-signals ${purpose}`, ...parts].join("\n")))

/** Neither says anything of the other, nor of the key, to whom the key is not known. */
export const derive = (key: string, { actor, method, path }: KeyScope): DerivedKey => {
  const scope = [actor, method, path]
  return {
    id: bytesToHex(derived(key, "id", scope)),
    sealingKey: derived(key, "seal", scope)
  }
}

/** Tells the request from others with the same key, without its body. [IDEM-2] */
export const fingerprint = (key: string, target: string, body: Uint8Array): string =>
  bytesToHex(
    hmac(sha256, utf8ToBytes(key), concatBytes(utf8ToBytes(`lead-signals request\n${target}\n`), body))
  )

/** An answer as it is kept. */
export interface KeptAnswer {
  readonly status: number
  /** JSON. */
  readonly body: string
}

/** Random bytes that the sealing of one answer takes. */
export const nonceBytes = 24

/** Bytes of a body that is kept at most: more than any call of the API answers. */
const maxAnswerBytes = 262_144

/** Encrypts and authenticates the answer; null for one that is too long to keep. `nonce` has `nonceBytes` random bytes. */
export const seal = (
  { id, sealingKey }: DerivedKey,
  nonce: Uint8Array,
  { body, status }: KeptAnswer
): string | null => {
  const plain = utf8ToBytes(`${status}\n${body}`)
  if (plain.length > maxAnswerBytes) return null
  return Encoding.encodeBase64Url(
    concatBytes(nonce, xchacha20poly1305(sealingKey, nonce, utf8ToBytes(id)).encrypt(plain))
  )
}

/** Opens a sealed answer; null for one that was not sealed so. */
export const open = ({ id, sealingKey }: DerivedKey, sealed: string): KeptAnswer | null => {
  try {
    const bytes = Either.getOrThrow(Encoding.decodeBase64Url(sealed))
    const cipher = xchacha20poly1305(sealingKey, bytes.slice(0, nonceBytes), utf8ToBytes(id))
    const plain = new TextDecoder().decode(cipher.decrypt(bytes.slice(nonceBytes)))
    const end = plain.indexOf("\n")
    return { status: Number(plain.slice(0, end)), body: plain.slice(end + 1) }
  } catch {
    return null
  }
}
