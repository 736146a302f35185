/** What receivers answer in the body: words of their own in whatever encoding, and what error pages and logs repeat of the post. [DELIV-5] */
import { Prng } from "@lead-signals/simulation-kernel"
import type { PostedEvent } from "./PostedEvents.ts"
import { quotations, utf8 } from "./Quotations.ts"
import { readBytes, repetitionOf } from "./RepeatedTexts.ts"

/** The body of an answer, as a sender reads it. */
interface AnswerBody {
  readonly excerpt: Uint8Array
  /** Whether there is more than is read. */
  readonly truncated: boolean
  /** What the log must have of it; undefined where it repeats the post, of which the log may have less. */
  readonly logged?: string | null
}

/** An answer without a body. */
export const silent: AnswerBody = { excerpt: new Uint8Array(), truncated: false, logged: null }

const said = (bytes: Uint8Array, logged: string): AnswerBody => ({
  excerpt: bytes.slice(0, readBytes),
  truncated: bytes.length > readBytes,
  logged
})

/** The longest beginning of the text that takes at most `max` bytes of UTF-8. */
const wholeWithin = (text: string, max: number): string => {
  let [whole, bytes] = ["", 0]
  for (const character of text) {
    bytes += utf8(character).length
    if (bytes > max) break
    whole += character
  }
  return whole
}

const inPlain = (text: string): AnswerBody => said(utf8(text), text)

/** A quotation mark, and its byte in windows-1252, which is no UTF-8. */
const quote = "\u201c"
const quoteByte = 0x93

/** Characters of two, three and four bytes, in each text one byte later: an excerpt ends behind each byte of each character in one of them. */
const longTexts = Array.from({ length: 9 }, (_, i) => "J".repeat(i) + "\u0298\u16a0\u{1f062}".repeat(130))

/**
 * Texts with nothing that a payload has, and what the log shows of them: UTF-8, and windows-1252 where a byte is none, without control characters,
 * whole characters alone where the answer is longer than what is logged.
 */
const wordsOfTheirOwn: ReadonlyArray<AnswerBody> = [
  inPlain("JV/QK: \u16a0\u16c7\u16bb \u1230\u120b\u121d \u{1f062}"),
  inPlain('{"VJ":"JV\\u0051K &amp; %4A"}'),
  said(utf8("JV\u0000\u0007\tQ\u007f\u0085K\r\nZV"), "JV\tQK\nZV"),
  said(Uint8Array.of(0x93, 0x4a, 0x56, 0x94, 0x20, 0x80, 0xdf), "\u201cJV\u201d \u20ac\u00df"),
  said(Uint8Array.of(quoteByte, ...utf8("\u16a0JV")), `${quote}\u16a0JV`),
  said(
    Uint8Array.of(quoteByte, ...utf8("J".repeat(1020)), 0x80, 0x80, 0x80, 0x80),
    `${quote}${"J".repeat(1020)}\u20ac\u20ac\u20ac`
  ),
  ...longTexts.map((text) => said(utf8(text), wholeWithin(text, readBytes))),
  ...longTexts.map((text) =>
    said(Uint8Array.of(quoteByte, ...utf8(text)), quote + wholeWithin(text, readBytes - 1))
  )
]

/** Where the n-th answer begins to repeat the body: at its begin, at a name, or within the longest text that it has. */
const echoedFrom = (body: string, n: number): number => {
  if (n % 3 === 0) return Math.max(0, body.indexOf('"name"'))
  if (n % 3 === 1) return 0
  const longest = (body.match(/"(?:[^"\\]|\\.)*"/g) ?? []).reduce((a, b) => (b.length > a.length ? b : a), "")
  return body.indexOf(longest) + 1 + (n % Math.max(1, longest.length - 20))
}

/** What some answers say before they repeat anything: long enough for the bytes that are read to end within what they repeat. */
const preamble = (n: number): Uint8Array =>
  n % 4 === 0 ? utf8("\u16a0".repeat(250 + ((n * 37) % 89))) : silent.excerpt

/** What an answer repeats of the body of the n-th post: from somewhere on, as it is or quoted. */
const echoOf = (body: string, n: number): AnswerBody => {
  const from = echoedFrom(body, n)
  const quoteAll = quotations[Math.floor((n - 1) / 3) % quotations.length]!
  const repeated = quoteAll(body.slice(from, from + readBytes).toWellFormed())
  const excerpt = Uint8Array.of(...preamble(n), ...repeated).slice(0, readBytes)
  return { excerpt, truncated: excerpt.length === readBytes }
}

/** A post as its receiver answers it. */
interface Posted {
  readonly id: string
  readonly body: string
  readonly events: ReadonlyArray<PostedEvent>
}

/** Single texts of the post in the n-th answer, between other words; null where there are none. */
const repeating = ({ events, id }: Posted, n: number): AnswerBody | null => {
  const made = repetitionOf(
    events.map(({ envelope }) => envelope.data),
    Prng.of(n, id)
  )
  return made === null ? null : said(made.bytes, made.logged)
}

/** Posts of this many characters have texts of the greatest length: to compare one with an answer takes as long as a hundred others. */
const longPost = 32_768

/** Whether the n-th answer has no body, since the post is long. */
const isSpared = ({ body }: Posted, n: number): boolean => body.length >= longPost && n % 9 !== 3

/** The n-th answer of a receiver that sends back what it gets: all of the post from somewhere on, or some of its texts. */
export const echoing = (posted: Posted, n: number): AnswerBody => {
  if (isSpared(posted, n)) return silent
  return (n % 4 > 1 ? repeating(posted, n) : null) ?? echoOf(posted.body, n)
}

/**
 * The n-th answer of another receiver. Only every third has a body, in words of its own or with texts of the post: the service compares each with the
 * payload, which takes time.
 */
export const ownWords = (receiver: number, posted: Posted, n: number): AnswerBody => {
  if (isSpared(posted, n)) return silent
  if (n % 6 === 0) return wordsOfTheirOwn[(receiver * 5 + n / 6) % wordsOfTheirOwn.length]!
  return (n % 6 === 3 ? repeating(posted, n) : null) ?? silent
}
