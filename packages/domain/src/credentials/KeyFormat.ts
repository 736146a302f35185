/**
 * The form of an API key: `lsk_`, 32 random base62 characters, and 6 base62 characters of the CRC-32 of all before
 * them, so that a mistyped or invented key is refused without a read of the store. An operator's token has the same form after
 * `lst_`. [AUTH-7, OPER-11]
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

/** Before an API key. */
const keyPrefix = "lsk_"
/** Before an operator's token. */
export const tokenPrefix = "lst_"
const randomLength = 32
const checksumLength = 6
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** Characters of a key that listings show, from its beginning. [AUTH-8] */
export const startLength = 12

/**
 * Random bytes that `fromRandom` takes. It passes over a byte of 248 or more to keep the digits equally likely; fewer
 * than 32 of 128 bytes are good with a chance below 2⁻²⁰⁰.
 */
export const randomBytesNeeded = 128

/** What each value of a byte adds to a CRC-32. */
const crcOfByte = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  return crc
})

/** The checksum of a text in ASCII. */
const crc32 = (text: string): number => {
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++) {
    crc = (crc >>> 8) ^ crcOfByte[(crc ^ text.charCodeAt(i)) & 0xff]!
  }
  return (crc ^ 0xffffffff) >>> 0
}

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
 * Makes a key, or what the prefix says, of `randomBytesNeeded` random bytes: 42 characters with their checksum. Throws a `RangeError`
 * when fewer than 32 bytes are below 248. [AUTH-7]
 */
export const fromRandom = (random: Uint8Array, prefix: string = keyPrefix): string => {
  const good = Array.from(random).filter((byte) => byte < 248)
  if (good.length < randomLength) throw new RangeError(`A key needs ${randomBytesNeeded} random bytes`)
  const body =
    prefix +
    good
      .slice(0, randomLength)
      .map((byte) => digits[byte % 62])
      .join("")
  return body + checksum(body)
}

/** Whether the text has the form and the checksum of a key, or of what the prefix says, known or not. [AUTH-7] */
export const isWellFormed = (text: string, prefix: string = keyPrefix): boolean =>
  text.startsWith(prefix) &&
  /^[0-9A-Za-z]{38}$/.test(text.slice(prefix.length)) &&
  checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength)

/**
 * The hex of the key's SHA-256, which a store keeps instead of the key. A key has 190 random bits, so it needs no
 * salt. [AUTH-4]
 */
export const hash = (key: string): string => bytesToHex(sha256(utf8ToBytes(key)))

/** The first instant of the minute, in milliseconds since 1970: a key's last use is kept to the minute. [AUTH-8] */
export const minuteOf = (now: number): number => Math.floor(now / 60_000) * 60_000
