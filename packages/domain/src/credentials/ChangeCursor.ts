/**
 * The cursor of the feed of changes: a position as a text that nobody else can make. It is authenticated with a key that derives from the
 * brand's secret, so every node of a service reads every node's cursors, and no brand reads another's. [CHG-4]
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { Either, Encoding } from "effect"
import type { Brand } from "../model/Brand.ts"
import { type ChangePosition, maxCursorLength } from "../model/LeadChange.ts"

/** Bytes of the authentication code that a cursor ends with. */
const codeBytes = 16

/** No external id of a person begins so: hashes of persons are made with the same secret. */
const keyPurpose = "\u0000cursor of lead changes"

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

const isSame = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.reduce((difference, byte, i) => difference | (byte ^ b[i]!), 0) === 0

/** Reads a cursor of the brand; null for any other text, a cursor of another brand included. */
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
