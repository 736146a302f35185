/**
 * What is left of a person after an erasure: a hash, keyed with a secret of the brand, by which the same person is
 * known again without anything of the person being kept. [PII-3, EVT-2]
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"

export const secretBytes = 32

/** Hashes many people of one brand: half of the work is the key's. */
export const hasher = (suppressionSecret: string): ((extId: string) => string) => {
  const keyed = hmac.create(sha256, hexToBytes(suppressionSecret))
  return (extId) => bytesToHex(keyed.clone().update(utf8ToBytes(extId)).digest())
}

/** Hex of HMAC-SHA-256. */
export const hash = (suppressionSecret: string, extId: string): string => hasher(suppressionSecret)(extId)
