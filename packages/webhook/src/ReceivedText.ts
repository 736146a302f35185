/**
 * Decodes a receiver's response to the text that a program would read: bytes to characters, and escapes to the characters that they stand for.
 */
import { decodeHTMLStrict } from "entities/decode"
import { dropUnfinishedQuote, unquote } from "./QuotedPrintable.ts"

/** A run of more than thirty combining marks; the first thirty stay, as in Unicode's stream-safe text format (UAX #15, 13). */
const longRunOfMarks = /(\p{M}{30})\p{M}+/gu

/** Composes characters (NFC). Without the cut the order of marks would take time quadratic in the length of their run. */
export const compose = (text: string): string => text.replace(longRunOfMarks, "$1").normalize("NFC")

/**
 * Normalises text for comparison. It drops control characters, which an excerpt has not and an echo may have escaped, makes each run of white space
 * one space, and composes characters, because a receiver may have stored the text in another form.
 */
export const collapseSpaces = (text: string): string =>
  compose(text.replace(/[^\P{Cc}\s]/gu, "").replace(/\s+/g, " "))

const utf8Encoder = new TextEncoder()

/** The characters of windows-1252 from 0x80 to 0x9f; the others are those of Latin-1 (Encoding Standard, index windows-1252). */
const windows1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ"

/**
 * Decodes windows-1252, the encoding of western Europe, for which receivers mistake UTF-8, or in which they answer. The `TextDecoder` of Node 22.14
 * takes it for Latin-1.
 */
const decodeLatin = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) =>
    byte >= 0x80 && byte < 0xa0 ? windows1252[byte - 0x80]! : String.fromCharCode(byte)
  ).join("")

/** The text that results when its UTF-8 is decoded as windows-1252. */
export const misreadAsLatin = (text: string): string => decodeLatin(utf8Encoder.encode(text))

/**
 * The text that results when its characters are written as numeric HTML references and decoded again: references to the control characters from
 * 0x80 on stand for characters of windows-1252 (HTML Standard, numeric character reference end state).
 */
export const readAsReferences = (text: string): string =>
  text.replace(/[\x80-\x9f]/g, (control) => decodeHTMLStrict(`&#${control.charCodeAt(0)};`))

/** The character; the empty text for a control character and for a number that is no code point. */
const characterOf = (code: number): string =>
  code >= 0x20 && code <= 0x10ffff ? String.fromCodePoint(code) : ""

const escapes = /\\(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|([nrtf])|(["\\/])|b)/g
/** Runs of bytes in escapes: of URLs, and of the string literals of programs. Where one `\x` is followed by many digits, as databases print bytes, the digits stay as they are. */
const octets = /(?:%[0-9a-fA-F]{2})+|(?:\\x[0-9a-fA-F]{2}(?![0-9a-fA-F]{14}))+|(?:\\[0-3][0-7]{2})+/g
/** An escape that the cut at the end of an excerpt leaves incomplete. */
const unfinishedEscape =
  /(?:\\(?:u(?:[0-9a-fA-F]{0,3}|\{[0-9a-fA-F]{0,6})|x[0-9a-fA-F]?|[0-3][0-7]?)?|&(?:#[xX]?[0-9a-fA-F]{0,7})?|%[0-9a-fA-F]?)$/
/** A named reference of HTML that the cut leaves incomplete, or a word behind an ampersand. */
const unfinishedName = /&[A-Za-z]{1,8}$/

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
        return decodeLatin(own)
      }
    })
}

/** The number of bytes at the end that begin a UTF-8 character and do not complete it. */
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

/** The end of a text: whole, or cut, where letters behind its last ampersand count as the beginning of a reference or as those of a word. */
export type TextEnd = "whole" | "cut in a reference" | "cut in a word"

/** Drops an incomplete escape at the end of a cut text. */
const dropUnfinished = (text: string, end: TextEnd): string => {
  if (end === "whole") return text
  const dropped = dropUnfinishedQuote(text).replace(unfinishedEscape, "")
  return end === "cut in a word" ? dropped : dropped.replace(unfinishedName, "")
}

/** Resolves one layer of escapes: of JSON, HTML, URLs, mails and string literals. */
const unescapeOnce = (text: string, isCut: boolean): string =>
  decodeHTMLStrict(
    unquote(text).replace(escapes, (_, hex?: string, point?: string, space?: string, itself?: string) =>
      hex !== undefined
        ? String.fromCharCode(Number.parseInt(hex, 16))
        : point !== undefined
          ? characterOf(Number.parseInt(point, 16))
          : (itself ?? (space === undefined ? "" : " "))
    )
  ).replace(octets, (found: string, at: number, all: string) =>
    decodeOctets(found, isCut && at + found.length === all.length)
  )

/** The layers that are resolved at most: more than anybody writes around a post, and few enough that they take no long time. */
const maxLayers = 16

/**
 * Resolves escapes in escapes until none is left, such as JSON in a string of JSON that a gateway quotes in its own answer: a text of the payload, whose
 * own escapes are resolved in the same way, then reads the same behind any number of layers. Replaces the half of a surrogate pair that may remain.
 */
export const unescapeAll = (text: string, end: TextEnd): string => {
  let read = text
  for (let layer = 1; layer <= maxLayers; layer++) {
    const whole = dropUnfinished(read, end)
    read = unescapeOnce(whole, end !== "whole")
    // Behind an escape that the end leaves incomplete there can be another.
    if (read === whole && layer > 1) break
  }
  return collapseSpaces(read.replace(/\p{Cs}/gu, "\ufffd"))
}
