/**
 * The text of what a receiver answers, as a program would read it: bytes become characters, and escapes the characters that they stand for.
 */
import { decodeHTMLStrict } from "entities/decode"

/**
 * Without control characters: an excerpt has none, and an echo can have them escaped. Composed, since a receiver may have kept the text in
 * another form of Unicode than it got it in.
 */
export const collapseSpaces = (text: string): string =>
  text
    .replace(/[^\P{Cc}\s]/gu, "")
    .replace(/\s+/g, " ")
    .normalize("NFC")

const utf8Encoder = new TextEncoder()

/** Receivers take UTF-8 for this encoding of western Europe, or answer in it. */
const latinDecoder = new TextDecoder("windows-1252")

/** The text as one reads its UTF-8 who takes it for windows-1252. */
export const misreadAsLatin = (text: string): string => latinDecoder.decode(utf8Encoder.encode(text))

/**
 * The text as one reads numbered references to its characters: those to control characters from 0x80 on mean what windows-1252 has there
 * (HTML Standard, numeric character reference end state).
 */
export const readAsReferences = (text: string): string =>
  text.replace(/[\x80-\x9f]/g, (control) => decodeHTMLStrict(`&#${control.charCodeAt(0)};`))

/** Empty for what is no character, or controls. */
const characterOf = (code: number): string =>
  code >= 0x20 && code <= 0x10ffff ? String.fromCodePoint(code) : ""

const escapes = /\\(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|([nrtf])|(["\\/])|b)/g
/** Bytes as URLs, and as programs print strings of bytes. */
const octets = /(?:%[0-9a-fA-F]{2})+|(?:\\x[0-9a-fA-F]{2})+|(?:\\[0-3][0-7]{2})+/g
/** An escape that the cut at the end of an excerpt leaves incomplete. */
const unfinishedEscape =
  /(?:\\(?:u(?:[0-9a-fA-F]{0,3}|\{[0-9a-fA-F]{0,6})|x[0-9a-fA-F]?|[0-3][0-7]?)?|&(?:#[xX]?[0-9a-fA-F]{0,7}|[A-Za-z]{0,8})|%[0-9a-fA-F]?)$/

const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const utf8Sequences =
  /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\xff]/g

/** Reads UTF-8, and each byte that is no part of it as windows-1252. An incomplete last character of a cut text is dropped. */
export const decodeBytes = (bytes: Uint8Array, isCut: boolean): string => {
  const text = new TextDecoder("utf-8").decode(bytes, { stream: isCut })
  if (!text.includes("\ufffd")) return text
  const whole = isCut ? bytes.subarray(0, bytes.length - lengthOfUnfinished(bytes)) : bytes
  return Array.from(whole, (byte) => String.fromCharCode(byte))
    .join("")
    .replace(utf8Sequences, (sequence) => {
      const own = Uint8Array.from(sequence, (byte) => byte.charCodeAt(0))
      try {
        return strictDecoder.decode(own)
      } catch {
        return latinDecoder.decode(own)
      }
    })
}

/** Bytes at the end that begin a character of UTF-8. */
const lengthOfUnfinished = (bytes: Uint8Array): number => {
  for (let length = 1; length <= 3 && length <= bytes.length; length++) {
    const byte = bytes[bytes.length - length]!
    if (byte >= 0xc2) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > length ? length : 0
    if (byte < 0x80) return 0
  }
  return 0
}

const decodeOctets = (text: string, isCut: boolean): string =>
  decodeBytes(
    /^\\[0-3]/.test(text)
      ? Uint8Array.from(text.match(/[0-7]{3}/g)!, (octet) => Number.parseInt(octet, 8))
      : Uint8Array.from(text.match(/[0-9a-fA-F]{2}/g)!, (octet) => Number.parseInt(octet, 16)),
    isCut
  )

/** Ends a line of a mail that goes on in the next; within JSON, too. */
const softBreak = /=(?:\\r)?(?:\n|\\n)/g

/** A character of several bytes, as mails quote it: by it a text is known that quotes others, too. */
const quotedCharacter =
  /=(?:[CD][0-9A-F]|E[0-9A-F]=[89AB][0-9A-F]|F[0-4](?:=[89AB][0-9A-F]){2})=[89AB][0-9A-F]/i

const quotedOctets = /(?:=[0-9A-F]{2})+/gi

/** ASCII that mails quote. What else follows an equals sign, such as a value that begins with digits, is none. */
const quotedAscii = /^(?:=(?:3D|20|09|0A|0D))+$/i

/** What a cut leaves of a quoted character. */
const unfinishedQuote =
  /(?:=(?:[CD][0-9A-F]|E[0-9A-F](?:=[89AB][0-9A-F])?|F[0-4](?:=[89AB][0-9A-F]){0,2}))?(?:=[0-9A-F]?)?$/i

/** Resolves the quoted-printable encoding of mails (RFC 2045, 6.7) of UTF-8. */
const unquote = (text: string, isCut: boolean): string => {
  if (!text.includes("=")) return text
  const whole = isCut ? text.replace(unfinishedQuote, "") : text
  const joined = whole.replace(softBreak, "")
  if (joined === whole && !quotedCharacter.test(joined)) return whole
  return joined.replace(quotedOctets, (found: string) => {
    const bytes = Uint8Array.from(found.match(/[0-9A-F]{2}/gi)!, (octet) => Number.parseInt(octet, 16))
    if (bytes.every((byte) => byte < 0x80) && !quotedAscii.test(found)) return found
    try {
      return strictDecoder.decode(bytes)
    } catch {
      return found
    }
  })
}

const dropUnfinished = (text: string, isCut: boolean): string =>
  isCut ? text.replace(unfinishedEscape, "") : text

/** Resolves one layer of JSON, HTML and URL escapes, and of those of mails and of programs. */
const unescapeOnce = (text: string, isCut: boolean): string =>
  decodeHTMLStrict(
    dropUnfinished(unquote(text, isCut), isCut).replace(
      escapes,
      (_, hex?: string, point?: string, space?: string, itself?: string) =>
        hex !== undefined
          ? String.fromCharCode(Number.parseInt(hex, 16))
          : point !== undefined
            ? characterOf(Number.parseInt(point, 16))
            : (itself ?? (space === undefined ? "" : " "))
    )
  ).replace(octets, (found: string, at: number, all: string) =>
    decodeOctets(found, isCut && at + found.length === all.length)
  )

/**
 * Resolves two layers, such as JSON in JSON or a URL in JSON, and replaces the half of a surrogate pair that
 * may remain.
 */
export const unescapeTwice = (text: string, isCut: boolean): string =>
  collapseSpaces(unescapeOnce(unescapeOnce(text, isCut), isCut).replace(/\p{Cs}/gu, "\ufffd"))
