/**
 * What is left of a person after an erasure: a hash, keyed with a secret of the brand, by which the same person is
 * known again without anything of the person being kept. [PII-3, EVT-2]
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"

export const secretBytes = 32

/** Hex of HMAC-SHA-256. */
export const hash = (suppressionSecret: string, extId: string): string =>
  bytesToHex(hmac(sha256, hexToBytes(suppressionSecret), utf8ToBytes(extId)))
