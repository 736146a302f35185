/** How error pages, logs and mails write what they repeat. */

/** Writes a text so that a reader of that form takes it for the same. */
export type Quotation = (text: string) => Uint8Array

const codesOf = (text: string, write: (unit: number) => string): string =>
  Array.from({ length: text.length }, (_, i) => write(text.charCodeAt(i))).join("")

/** The text in bytes. */
export const utf8: Quotation = (text) => new TextEncoder().encode(text)

const octets = (text: string, write: (octet: number) => string): string =>
  Array.from(utf8(text), write).join("")

const hex = (octet: number): string => octet.toString(16).padStart(2, "0")

const binary = (text: string): string => octets(text, (octet) => String.fromCharCode(octet))

const entities: Readonly<Record<string, string>> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos"
}

/** An encoding of a byte a character, where the text is of such alone. */
const latin: Quotation = (text) =>
  /^[\0-\xff]*$/.test(text) ? Uint8Array.from(text, (character) => character.charCodeAt(0)) : utf8(text)

/** The characters of ASCII as they are, and each octet of the others as it is written. */
const othersAs = (text: string, write: (octet: number) => string): string =>
  octets(text, (octet) => (octet < 0x7f ? String.fromCharCode(octet) : write(octet)))

/** Each resolves a character or an octet by itself, so that a part of the result is a part of the text. */
export const escapes: ReadonlyArray<Quotation> = [
  utf8,
  (text) => utf8(octets(text, (octet) => `%${hex(octet)}`)),
  (text) => utf8(codesOf(text, (unit) => `\\u${unit.toString(16).padStart(4, "0")}`)),
  (text) => utf8(text.replace(/[^\w .-]/gu, (character) => `&#${character.codePointAt(0)!};`)),
  (text) => utf8(octets(text, (octet) => `\\x${hex(octet)}`)),
  (text) => utf8(encodeURIComponent(text)),
  (text) => utf8(othersAs(text, (octet) => `=${hex(octet).toUpperCase()}`)),
  (text) => utf8(othersAs(text, (octet) => `\\${octet.toString(8)}`)),
  (text) => utf8(text.replace(/[^ -~]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)),
  (text) => utf8(text.replace(/[^\w .-]/gu, (character) => `&#x${character.codePointAt(0)!.toString(16)};`))
]

/** Texts as strings of JSON and HTML, and in other encodings. */
export const quotations: ReadonlyArray<Quotation> = [
  ...escapes,
  (text) => utf8(JSON.stringify(text).slice(1, -1)),
  latin,
  (text) => utf8(text.replace(/[&<>"']/g, (character) => `&${entities[character]!};`)),
  (text) =>
    utf8(JSON.stringify(codesOf(text, (unit) => `\\u${unit.toString(16).padStart(4, "0")}`)).slice(1, -1)),
  (text) => utf8(text.replaceAll(" ", "+"))
]

/** The fewest octets of a text that are recognised as digits. [DELIV-5] */
const minDigitised = 12

const digitised =
  (write: (text: string) => string): Quotation =>
  (text) =>
    utf8(utf8(text).length < minDigitised ? text : write(text))

/** In digits, where the text is long enough for that. */
export const digits: ReadonlyArray<Quotation> = [
  digitised((text) => btoa(binary(text))),
  digitised((text) => octets(text, hex)),
  digitised((text) => btoa(binary(text)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")),
  digitised((text) => octets(text, hex).toUpperCase())
]
