/**
 * The form of API keys and operators' tokens: a prefix, 32 random base62 characters, and 6 base62 characters of the CRC-32 of
 * everything before them. The checksum refuses a mistyped or invented credential without a read of the store. [AUTH-7, OPER-11]
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

/** The prefix of an API key. */
const keyPrefix = "lsk_"
/** The prefix of an operator's token. */
export const tokenPrefix = "lst_"
const randomLength = 32
const checksumLength = 6
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** How many characters of a key listings show, from its beginning. [AUTH-8] */
export const startLength = 12

/**
 * How many random bytes `fromRandom` takes. It skips bytes of 248 and more, so that all 62 digits are equally likely. The chance
 * that fewer than 32 of 128 bytes remain is below 2⁻²⁰⁰.
 */
export const randomBytesNeeded = 128

/** The CRC-32 table: the remainder of each byte, for the reversed polynomial 0xedb88320. */
const crcOfByte = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  return crc
})

/** The CRC-32 (ISO 3309) of an ASCII text. */
const crc32 = (text: string): number => {
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++) {
    crc = (crc >>> 8) ^ crcOfByte[(crc ^ text.charCodeAt(i)) & 0xff]!
  }
  return (crc ^ 0xffffffff) >>> 0
}

/** The CRC-32 of an ASCII text as base62. */
const checksum = (text: string): string => {
  let rest = crc32(text)
  let out = ""
  for (let i = 0; i < checksumLength; i++) {
    out = digits[rest % 62] + out
    rest = Math.floor(rest / 62)
  }
  return out
}

/**
 * Makes an API key from `randomBytesNeeded` random bytes, or a token with the prefix `tokenPrefix`: 42 characters. Throws a `RangeError` when
 * fewer than 32 of the bytes are below 248. [AUTH-7]
 */
export const fromRandom = (random: Uint8Array, prefix: string = keyPrefix): string => {
  const usable = Array.from(random).filter((byte) => byte < 248)
  if (usable.length < randomLength) throw new RangeError(`A key needs ${randomBytesNeeded} random bytes`)
  const body =
    prefix +
    usable
      .slice(0, randomLength)
      .map((byte) => digits[byte % 62])
      .join("")
  return body + checksum(body)
}

/** Whether the text has the form and the checksum of a credential with this prefix; nobody need ever have created it. [AUTH-7] */
export const isWellFormed = (text: string, prefix: string = keyPrefix): boolean =>
  text.startsWith(prefix) &&
  /^[0-9A-Za-z]{38}$/.test(text.slice(prefix.length)) &&
  checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength)

/**
 * The SHA-256 of a key or token in hex, which a store keeps instead of the credential. A credential has 190 random bits, so its hash needs no
 * salt. [AUTH-4, OPER-11]
 */
export const hash = (key: string): string => bytesToHex(sha256(utf8ToBytes(key)))
