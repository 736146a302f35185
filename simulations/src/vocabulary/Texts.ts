/** Forms of texts: lengths around their bounds, and Unicode that is hard to handle. [OBS-3] */
import { type Form, otherTypes, refused, taken } from "./Form.ts"

/** Two UTF-16 units, one character. */
export const astral = "\u{1d4b3}"

/** Texts that are well-formed and without U+0000, so that each field of text takes them. */
export const strangeTexts: ReadonlyArray<readonly [name: string, text: string]> = [
  ["beyond the Basic Multilingual Plane", `${astral}𐐀🙂 𠮷野家`],
  ["a joined emoji", "👩‍👩‍👧‍👦 ok"],
  ["combining marks", "e\u0301a\u0308\u0323 q\u0307\u0323"],
  ["composed and decomposed", "\u00c5ngstr\u00f6m A\u030angstro\u0308m"],
  ["right to left", "\u05e9\u05dc\u05d5\u05dd \u202eabc\u202c \u0645\u0631\u062d\u0628\u0627"],
  ["control characters", "a\u0001\u0008\u001f\u007f\u0085b"],
  ["line breaks and tabs", "one\ntwo\r\nthree\tfour"],
  ["full-width", "ＡＢＣ１２３　ｘ"],
  ["Turkish letters", "İstanbul ısı IĞDIR iğne"],
  ["German letters", "Straße STRASSE GROẞ"],
  ["Greek letters", "Σίσυφος ΣΊΣΥΦΟΣ ᾳ"],
  ["ligatures and compatibility forms", "ﬁne ﬀ ① Å K ﷺ"],
  ["no-break and zero-width spaces", "a\u00a0b\u200bc\u2060d\ufeff"],
  ["noncharacters", "a\uffff\ufdd0\u{10ffff}"],
  ["quotes and backslashes", "\"'`\\ ;-- $1 ${x} {{y}}"],
  ["wildcards", "100%_[a-z]*?"],
  ["a name of an object's member", "__proto__"]
]

/** Halves of surrogate pairs, which no text may have. */
export const illFormed: ReadonlyArray<readonly [name: string, text: string]> = [
  ["a lone high surrogate", "a\ud83d"],
  ["a lone low surrogate", "\ude42b"],
  ["a reversed surrogate pair", "\ude42\ud83d"]
]

/** In characters as the contract counts them, both included. */
export interface TextBounds {
  readonly min: number
  /** Null: the contract states none. */
  readonly max: number | null
}

const fill = (character: string, length: number): string => character.repeat(length)

/** The lengths around the bounds, in characters of one and of two UTF-16 units. */
const lengths = ({ max, min }: TextBounds): ReadonlyArray<Form> => [
  min > 0 ? refused("empty", "") : taken("empty", ""),
  taken("one character", "x"),
  taken("one character beyond the BMP", astral),
  ...(max === null
    ? []
    : [
        taken("one less than the longest", fill("x", max - 1)),
        taken("the longest", fill("x", max)),
        taken("the longest, beyond the BMP", fill(astral, max)),
        refused("one too long", fill("x", max + 1)),
        refused("one too long, beyond the BMP", fill(astral, max + 1)),
        refused("one too long, mixed", `${fill(astral, max)}x`),
        refused("three times too long", fill("x", 3 * max))
      ])
]

/** The forms of a field of text in a body. */
export const textForms = (bounds: TextBounds): ReadonlyArray<Form> => [
  ...lengths(bounds),
  taken("a space", " "),
  taken("surrounding spaces", "  x "),
  ...strangeTexts.map(([name, text]) => taken(name, text)),
  ...illFormed.map(([name, text]) => refused(name, text)),
  refused("U+0000", "a\u0000b"),
  ...otherTypes("a text")
]

/**
 * Comments: what is sent, and the plain text that the contract makes of it. U+0000 is a control character like others.
 * [ENG-6]
 */
export const commentTexts: ReadonlyArray<readonly [name: string, sent: string, rendered: string]> = [
  ["tags", "<b>Great</b> <i class='x'>read</i>", "Great read"],
  ["a script", "Hi<script>alert(1)</script> there", "Hi there"],
  ["a comment of HTML", "Hi<!-- hidden --> there", "Hi there"],
  ["entities", "5 &lt; 6 &amp; 7 &gt; 6 &quot;so&quot;", '5 < 6 & 7 > 6 "so"'],
  ["numbered entities", "&#65;&#x1F642;&#X41;", "A🙂A"],
  [
    "numbered entities at the edges",
    "a&#1114111;&#1114112;&#55295;&#55296;&#57343;&#57344;&#1;&#0;b",
    "a\u{10ffff}\ud7ff\ue000b"
  ],
  ["entities of control characters", "a&#7;b&#10;c&#x7f;", "ab\nc"],
  ["what looks like an entity", "&#; &#x; &foo; &amp &#12345678; &;", "&#; &#x; &foo; &amp &#12345678; &;"],
  ["apostrophes and spaces", "&apos;a&nbsp;b&apos;", "'a b'"],
  ["an entity within an entity", "&amp;lt;b&amp;#62;", "&lt;b&#62;"],
  ["a style", "Hi<STYLE media='x'>p { }</STYLE> there", "Hi there"],
  ["a tag that does not end", "a <b and c", "a b and c"],
  ["a less-than sign", "2 < 3 and a <3", "2 < 3 and a <3"],
  ["control characters", "a\u0000b\u0007c\u001bd\u007f", "abcd"],
  ["line breaks and tabs", "one\ntwo\tthree", "one\ntwo\tthree"],
  ["beyond the BMP", `Nice ${astral}🙂`, `Nice ${astral}🙂`],
  ["right to left", "\u05e9\u05dc\u05d5\u05dd", "\u05e9\u05dc\u05d5\u05dd"]
]

/** The forms of a comment's text, which is kept without markup and control characters. */
export const commentForms = (max: number): ReadonlyArray<Form> => [
  ...lengths({ min: 0, max }).filter(({ name }) => name !== "empty"),
  taken("empty", ""),
  ...commentTexts.map(([name, sent, rendered]) => taken(name, sent, { means: rendered })),
  ...illFormed.map(([name, text]) => refused(name, text)),
  ...otherTypes("a text")
]

/** The forms of the query parameter that searches. An empty one is no filter. [LIST-4] */
export const searchForms = (max: number): ReadonlyArray<Form> => [
  ...lengths({ min: 0, max }).filter(({ name }) => name !== "three times too long"),
  ...strangeTexts.map(([name, text]) => taken(name, text)),
  taken("U+0000", "a\u0000b"),
  taken("a space", " ")
]

/** Decimal digits as a text, as ids of companies on the network are. [ENG-8] */
export const digitForms = (max: number): ReadonlyArray<Form> => [
  taken("digits", "880034"),
  taken("leading zeros", "007"),
  taken("the longest", fill("9", max)),
  refused("one too long", fill("9", max + 1)),
  refused("empty", ""),
  refused("a sign", "-7"),
  refused("a fraction", "7.5"),
  refused("letters", "x7"),
  refused("full-width digits", "７"),
  refused("Arabic digits", "٧"),
  refused("a space before", " 7"),
  refused("a line break after", "7\n"),
  ...otherTypes("a text")
]

const urlType = "li-company-url"
const ofUrls = (within = urlType) => ({ within: { "source.type": within } })
const ofWords = { within: { "source.type": "posts-with-keywords" } }

/** What a signal watches: a URL for three types of sources, words for the others. [OPER-7] */
export const sourceValueForms = (max: number): ReadonlyArray<Form> => {
  const long = "https://network.example/"
  return [
    taken("a URL", "https://network.example/company/rival", ofUrls()),
    taken("a URL of http", "http://network.example/company/rival", ofUrls("li-profile-url")),
    taken("a URL with a port and a query", "https://network.example:8443/p?x=1#y", ofUrls("post-url")),
    taken("a URL with letters of other scripts", "https://пример.example/жук/日本", ofUrls()),
    taken("the longest URL", long + fill("x", max - long.length), ofUrls()),
    refused("a URL one too long", long + fill("x", max + 1 - long.length), undefined, ofUrls()),
    refused("no URL", "rival", undefined, ofUrls()),
    refused("a URL of ftp", "ftp://network.example/", undefined, ofUrls("post-url")),
    refused("a URL of javascript", "javascript:alert(1)", undefined, ofUrls()),
    refused("a URL without a host", "https:///company", undefined, ofUrls("li-profile-url")),
    refused("a URL with a space", "https://network.example/a b", undefined, ofUrls()),
    refused("a URL with a line break", "https://network.example/a\nb", undefined, ofUrls()),
    taken("words", "social selling", ofWords),
    taken("a URL as words", "https://network.example/", ofWords),
    taken("the longest words", fill("x", max), ofWords),
    taken("the longest words beyond the BMP", fill(astral, max), ofWords),
    refused("words one too long", fill("x", max + 1), undefined, ofWords),
    refused("words of spaces", " \t ", undefined, ofWords),
    refused("empty", "", undefined, ofWords),
    ...strangeTexts.map(([name, text]) => taken(name, text, ofWords)),
    ...illFormed.map(([name, text]) => refused(name, text, undefined, ofWords)),
    refused("U+0000", "a\u0000b", undefined, ofWords),
    ...otherTypes("a text")
  ]
}
