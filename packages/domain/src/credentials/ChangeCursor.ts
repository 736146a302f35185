/**
 * The cursor of the feed of changes: a position as text, with an authentication code that only the service can compute. The code's key derives
 * from the brand's secret, so each node of a service accepts the cursors of all nodes, and no brand those of another. [CHG-4]
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { Either, Encoding } from "effect"
import type { Brand } from "../model/Brand.ts"
import { type ChangePosition, maxCursorLength } from "../model/LeadChange.ts"

/** The length of the authentication code at the end of a cursor, in bytes. */
const codeBytes = 16

/**
 * The input from which the key derives. Hashes of persons are made with the same secret, and an external id never contains U+0000, so this input
 * is never hashed for a person.
 */
const keyPurpose = "\u0000cursor of lead changes"

/** The authentication code of a payload: a truncated HMAC-SHA-256. */
const codeOf = ({ id, suppressionSecret }: Pick<Brand, "id" | "suppressionSecret">, payload: Uint8Array) => {
  const key = hmac(sha256, hexToBytes(suppressionSecret), utf8ToBytes(keyPurpose))
  return hmac(sha256, key, concatBytes(utf8ToBytes(`${id} `), payload)).subarray(0, codeBytes)
}

/** Writes the position as a cursor of the brand: printable ASCII that a URL takes as it is. */
export const format = (
  brand: Pick<Brand, "id" | "suppressionSecret">,
  { epoch, position, since }: ChangePosition
): string => {
  const payload = utf8ToBytes(`1 ${position} ${since} ${epoch}`)
  return Encoding.encodeBase64Url(concatBytes(payload, codeOf(brand, payload)))
}

/** Compares in a time that does not depend on where the codes differ. */
const isSame = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.reduce((difference, byte, i) => difference | (byte ^ b[i]!), 0) === 0

/** Reads a cursor of the brand; null for every other text, such as a cursor of another brand or one that was altered. */
export const parse = (
  brand: Pick<Brand, "id" | "suppressionSecret">,
  text: string
): ChangePosition | null => {
  if (text.length > maxCursorLength) return null
  const bytes = Either.getOrNull(Encoding.decodeBase64Url(text))
  if (bytes === null || bytes.length <= codeBytes) return null
  const payload = bytes.subarray(0, -codeBytes)
  if (!isSame(bytes.subarray(-codeBytes), codeOf(brand, payload))) return null
  const [version, position, since, epoch] = String.fromCharCode(...payload).split(" ")
  return version === "1" ? { epoch: epoch ?? "", position: Number(position), since: Number(since) } : null
}
