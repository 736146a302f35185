/**
 * The hash that stays of a person after an erasure. It is keyed with a secret of the brand: the same person is known again,
 * and nothing of the person is kept. [PII-3, EVT-2]
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"

/** Random bytes of a brand's suppression secret, before it is written as hex. */
export const secretBytes = 32

/**
 * Makes the hash function of one brand, for many people: it prepares the key once. `suppressionSecret` is hex, as the
 * brand has it. Throws when it is not. [PII-3]
 */
export const hasher = (suppressionSecret: string): ((extId: string) => string) => {
  const keyed = hmac.create(sha256, hexToBytes(suppressionSecret))
  return (extId) => bytesToHex(keyed.clone().update(utf8ToBytes(extId)).digest())
}

/**
 * The hash by which an erased person is known again: the hex of HMAC-SHA-256 of the external id under the brand's
 * secret, which is hex itself. [PII-3]
 */
export const hash = (suppressionSecret: string, extId: string): string => hasher(suppressionSecret)(extId)
