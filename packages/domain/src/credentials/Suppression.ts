/**
 * The hash that remains of a person after an erasure. It is keyed with a secret of the brand, so that the service recognises
 * the person in later observations without keeping personal data. [PII-3, EVT-2]
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"

/** The length of a brand's suppression secret, in random bytes; a brand has it as hex. */
export const secretBytes = 32

/**
 * Makes the hash function of one brand, which prepares the key once for many persons. Throws when `suppressionSecret` is
 * not hex. [PII-3]
 */
export const hasher = (suppressionSecret: string): ((extId: string) => string) => {
  const keyed = hmac.create(sha256, hexToBytes(suppressionSecret))
  return (extId) => bytesToHex(keyed.clone().update(utf8ToBytes(extId)).digest())
}

/**
 * The hash of one person: HMAC-SHA-256 of the external id under the brand's secret, in hex. Throws when
 * `suppressionSecret` is not hex. [PII-3]
 */
export const hash = (suppressionSecret: string, extId: string): string => hasher(suppressionSecret)(extId)
