/**
 * Redacts the excerpt of a receiver's response for the delivery log: receivers echo the payload, above all in
 * error messages. Personal data that the response repeats from the payload becomes `[…]`. [DELIV-5, PII-2]
 */
import { maxExcerptBytes } from "./Sender.ts"

/** Fields of a payload that identify no person: our ids, types and times. */
const impersonalKeys = new Set([
  "id",
  "type",
  "reactionType",
  "signalType",
  "signal",
  "emittedAt",
  "trackedAt",
  "postPostedAt"
])

const isOtherScript = (text: string): boolean => /[^\p{ASCII}]/u.test(text)

/**
 * A single ASCII character would match everywhere; a single character of another script can be a whole name.
 */
const isIdentifying = (text: string): boolean => text.length >= 2 || isOtherScript(text)

/** Each word of a name identifies the person; words of other texts are common ones. */
const isName = (key: string): boolean => key === "name" || key === "firstName" || key === "lastName"

/** Lines of at least this length count as phrases of their own: an echo may begin or end at any line. */
const minLineLength = 8

/** A payload with more phrases than this is not compared: the response is withheld. */
const maxPhrases = 5000

/** Folded characters of other scripts that are kept: to fold one takes as long as to look up fifty. */
const maxFolded = 4096
const folded = new Map<string, string>()

/** In lower case, by way of capitals, which ς and σ, and ı and i, have in common. As long as the character, so that positions stay valid. */
const lowerCharacter = (character: string): string => {
  const upper = character.toUpperCase()
  const lower = (upper.length === character.length ? upper : character).toLowerCase()
  return lower.length === character.length ? lower : character
}

/** Letters whose stroke no form of Unicode takes off. */
const strokes = new Map(Object.entries({ ł: "l", ø: "o", đ: "d", ð: "d", ħ: "h", ŧ: "t" }))

/** Letters that are written as two without their form; capitals, among which ß is two already. */
const ligatures = new Map(Object.entries({ Æ: "AE", Œ: "OE", Þ: "TH" }))

/** In lower case, without accents and strokes, which receivers that keep ASCII alone leave out. As long as the character. */
const foldCharacter = (character: string): string => {
  const known = folded.get(character)
  if (known !== undefined) return known
  const lower = lowerCharacter(character)
  const plain = lower.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()
  const made = plain.length === character.length ? (strokes.get(plain) ?? plain) : lower
  if (folded.size >= maxFolded) folded.clear()
  folded.set(character, made)
  return made
}

const foldBy = (text: string, foldOther: (character: string) => string): string =>
  isOtherScript(text)
    ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replace(/[^\p{ASCII}]/gu, foldOther)
    : text.toLowerCase()

const foldCase = (text: string): string => foldBy(text, foldCharacter)

/** In lower case, with accents. */
const lowerCase = (text: string): string => foldBy(text, lowerCharacter)

/**
 * Without control characters: an excerpt has none, and an echo can have them escaped. Composed, since a receiver may have kept the text in
 * another form of Unicode than it got it in.
 */
const collapseSpaces = (text: string): string =>
  text
    .replace(/[^\P{Cc}\s]/gu, "")
    .replace(/\s+/g, " ")
    .normalize("NFC")

interface PersonalTexts {
  /** Matched as a whole: names and their words, texts and their lines. */
  readonly phrases: Set<string>
  /** Matched with their accents: without them they are ASCII, and so short that they would match everywhere. */
  readonly short: Set<string>
  /** Matched in fragments of at least `minFragmentLength` characters. */
  readonly longTexts: Set<string>
  /** Whether the response is ASCII. */
  readonly isPlain: boolean
}

const normalize = (text: string): string => foldCase(collapseSpaces(text))

const utf8Encoder = new TextEncoder()
/** Receivers take UTF-8 for this encoding of western Europe, or answer in it. */
const latinDecoder = new TextDecoder("windows-1252")

/**
 * Adds the text as it is, with two letters for each such as ß, as it is misread and, when it contains something like an escape, as it reads
 * unescaped; none in ASCII that is shorter than `minLength`.
 */
const addSpellings = (texts: Set<string>, text: string, isPlain: boolean, minLength: number): void => {
  const add = (spelling: string): void => {
    if (spelling.length >= minLength || isOtherScript(spelling)) texts.add(spelling)
  }
  add(normalize(text))
  if (isOtherScript(text)) {
    const capitals = text.toUpperCase()
    const latin = capitals.replace(/[ÆŒÞ]/g, (letter) => ligatures.get(letter)!)
    for (const longer of [text.toLowerCase(), capitals, latin]) {
      if (longer.length !== text.length) add(normalize(longer))
    }
    const read = isPlain ? "" : latinDecoder.decode(utf8Encoder.encode(text))
    // In the older form of the encoding these are control characters, which no excerpt has.
    for (const each of [read, read.replace(/[\u0152-\u2122]/g, "")]) {
      const misread = normalize(each)
      if (misread.length > 1) add(misread)
    }
  }
  if (/[\\&%]/.test(text)) add(foldCase(unescapeTwice(text, false)))
}

/** Letters that are written with their accents behind them take more characters. */
const maxShortLength = 8

const addPhrase = ({ isPlain, phrases, short }: PersonalTexts, text: string, minLength = 2): void => {
  // An excerpt can't repeat more of a text than it holds.
  const phrase = text.slice(0, maxExcerptBytes).trim()
  addSpellings(phrases, phrase, isPlain, minLength)
  const composed = phrase.length > maxShortLength ? phrase : collapseSpaces(phrase)
  if (composed.length < minLength && isOtherScript(composed)) short.add(lowerCase(composed))
}

const collectPersonalTexts = (value: unknown, key: string, found: PersonalTexts): void => {
  const { isPlain, longTexts, phrases } = found
  if (typeof value === "string") {
    if (isIdentifying(value.trim())) addPhrase(found, value)
    if (value.length >= minFragmentLength) addSpellings(longTexts, value, isPlain, minFragmentLength)
    if (isName(key)) {
      for (const part of value.split(/\s+/)) {
        if (part.length > 2 || isOtherScript(part)) addPhrase(found, part, 3)
      }
    } else if (value.includes("\n")) {
      for (const line of value.split("\n")) {
        if (phrases.size > maxPhrases) return
        if (line.trim().length >= minLineLength) addPhrase(found, line)
      }
    }
  } else if (Array.isArray(value)) {
    for (const each of value) collectPersonalTexts(each, key, found)
  } else if (typeof value === "object" && value !== null) {
    for (const [name, each] of Object.entries(value)) {
      if (phrases.size > maxPhrases) return
      if (!impersonalKeys.has(name)) collectPersonalTexts(each, name, found)
    }
  }
}

/** Accents by the end of an entity's name, such as `&euml;`. */
const accents: { readonly [name: string]: string } = {
  grave: "\u0300",
  acute: "\u0301",
  circ: "\u0302",
  tilde: "\u0303",
  uml: "\u0308",
  ring: "\u030a",
  caron: "\u030c",
  cedil: "\u0327",
  ogon: "\u0328",
  breve: "\u0306",
  macr: "\u0304",
  dblac: "\u030b",
  dot: "\u0307"
}

const accented = new RegExp(`^([A-Za-z])(${Object.keys(accents).join("|")})$`)

/** The letters from U+0391, and from U+03B1 in lower case; two places have none. */
const greek =
  "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega".split(
    " "
  )

/** The letters from U+0410, and from U+0430 in lower case. */
const cyrillic = "A B V G D IE ZH Z I J K L M N O P R S T U F KH TS CH SH SHCH HARD Y SOFT E YU YA".split(" ")

const entities = new Map([
  ...Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", szlig: "ß" }),
  ...Object.entries({ AElig: "Æ", aelig: "æ", OElig: "Œ", oelig: "œ", Oslash: "Ø", oslash: "ø" }),
  ...Object.entries({ Lstrok: "Ł", lstrok: "ł", Dstrok: "Đ", dstrok: "đ", imath: "ı", inodot: "ı" }),
  ...Object.entries({ ETH: "Ð", eth: "ð", THORN: "Þ", thorn: "þ" }),
  ...Object.entries({ IOcy: "Ё", iocy: "ё" }),
  ...cyrillic.map((name, i) => [`${name}cy`, String.fromCharCode(0x410 + i)] as const),
  ...cyrillic.map((name, i) => [`${name.toLowerCase()}cy`, String.fromCharCode(0x430 + i)] as const),
  ...greek.map((name, i) => [name, String.fromCharCode(0x3b1 + i)] as const),
  ...greek.map(
    (name, i) => [`${name[0]!.toUpperCase()}${name.slice(1)}`, String.fromCharCode(0x391 + i)] as const
  )
])

const characterNamed = (name: string, otherwise: string): string => {
  const [, letter, accent] = accented.exec(name) ?? []
  return accent === undefined ? (entities.get(name) ?? otherwise) : letter! + accents[accent]!
}

const characterOf = (code: number, otherwise: string): string =>
  code >= 0x20 && code <= 0x10ffff ? String.fromCodePoint(code) : otherwise

const escapes = /\\(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|([nrtf])|(["\\/])|b)/g
const references = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z]{2,8}));/g
/** Bytes as URLs, and as programs print strings of bytes. */
const octets = /(?:%[0-9a-fA-F]{2})+|(?:\\x[0-9a-fA-F]{2})+/g
/** An escape that the cut at the end of an excerpt leaves incomplete. */
const unfinishedEscape =
  /(?:\\(?:u(?:[0-9a-fA-F]{0,3}|\{[0-9a-fA-F]{0,6})|x[0-9a-fA-F]?)?|&(?:#[xX]?[0-9a-fA-F]{0,7}|[A-Za-z]{0,8})|%[0-9a-fA-F]?)$/

const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const utf8Sequences =
  /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\xff]/g

/** Reads UTF-8, and bytes that are none as of western Europe. An incomplete last character of a cut text is dropped. */
const decodeBytes = (bytes: Uint8Array, isCut: boolean): string => {
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
    Uint8Array.from(text.match(/[0-9a-fA-F]{2}/g)!, (octet) => Number.parseInt(octet, 16)),
    isCut
  )

/** Resolves one layer of JSON, HTML and URL escapes, and of those of programs. */
const unescapeOnce = (text: string, isCut: boolean): string =>
  (isCut ? text.replace(unfinishedEscape, "") : text)
    .replace(escapes, (_, hex?: string, point?: string, space?: string, itself?: string) =>
      hex !== undefined
        ? String.fromCharCode(Number.parseInt(hex, 16))
        : point !== undefined
          ? characterOf(Number.parseInt(point, 16), "")
          : (itself ?? (space === undefined ? "" : " "))
    )
    .replace(references, (all, decimal?: string, hex?: string, name?: string) =>
      name === undefined
        ? characterOf(decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal), all)
        : characterNamed(name, all)
    )
    .replace(octets, (found: string, at: number, all: string) =>
      decodeOctets(found, isCut && at + found.length === all.length)
    )

/**
 * Resolves two layers, such as JSON in JSON or a URL in JSON, and replaces the half of a surrogate pair that
 * may remain.
 */
const unescapeTwice = (text: string, isCut: boolean): string =>
  collapseSpaces(unescapeOnce(unescapeOnce(text, isCut), isCut).replace(/\p{Cs}/gu, "\ufffd"))

const redactionMark = "[…]"

/** A match of up to this many characters at the end of a cut excerpt counts as coincidence. */
const maxCoincidentalMatch = 2

/** For each character of a text: 1 where it repeats the payload. */
type RedactionMask = Uint8Array

const maskOccurrences = (text: string, part: string, mask: RedactionMask): void => {
  if (part.length > text.length) return
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
    mask.fill(1, at, at + part.length)
  }
}

/**
 * The prefix function of Knuth, Morris and Pratt: for each prefix of the part, the length of its longest
 * proper border.
 */
const prefixFunction = (part: string): Uint16Array => {
  const found = new Uint16Array(part.length)
  for (let at = 1, length = 0; at < part.length; at++) {
    while (length > 0 && part[at] !== part[length]) length = found[length - 1]!
    if (part[at] === part[length]) length++
    found[at] = length
  }
  return found
}

/**
 * Masks the beginning of a part that the end of a cut excerpt repeats. Linear in both lengths, whatever their
 * characters.
 */
const maskTruncatedEnd = (text: string, part: string, mask: RedactionMask): void => {
  const from = Math.max(0, text.length - part.length + 1)
  if (part.length <= maxCoincidentalMatch || text.indexOf(part.slice(0, maxCoincidentalMatch + 1), from) < 0)
    return
  const found = prefixFunction(part)
  let length = 0
  for (let at = from; at < text.length; at++) {
    while (length > 0 && (length === part.length || text[at] !== part[length])) length = found[length - 1]!
    if (text[at] === part[length]) length++
  }
  if (length > maxCoincidentalMatch) mask.fill(1, text.length - length)
}

/** A common fragment of this many characters counts as an echo, wherever the receiver cut it. */
const minFragmentLength = 16

/**
 * Every fragment of `minFragmentLength` contains a seed of this length that begins at one of its multiples in
 * the source.
 */
const seedLength = minFragmentLength / 2

/** Bounds the work for a seed that occurs again and again in the response. */
const maxSeedPositions = 16

/** Maps each seed to the positions at which it occurs in the text. */
const seedPositions = (text: string): Map<string, Array<number>> => {
  const places = new Map<string, Array<number>>()
  for (let at = 0; at + seedLength <= text.length; at++) {
    const piece = text.slice(at, at + seedLength)
    const known = places.get(piece)
    if (known === undefined) places.set(piece, [at])
    else known.push(at)
  }
  return places
}

/** The index of the first of ascending numbers that is not less than one. */
const firstFrom = (numbers: ReadonlyArray<number>, min: number): number => {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (numbers[middle]! < min) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Masks every fragment of the source that the text contains: receivers shorten what they repeat. What other sources have masked hides
 * none of its seeds: a fragment can begin or end with what two of them have in common.
 */
const maskFragments = (
  text: string,
  positions: Map<string, ReadonlyArray<number>>,
  source: string,
  mask: RedactionMask
): void => {
  const covered = new Uint8Array(text.length)
  for (let piece = 0; piece + seedLength <= source.length; piece += seedLength) {
    const at = positions.get(source.slice(piece, piece + seedLength))
    if (at === undefined) continue
    for (let i = 0, tried = 0; i < at.length && tried < maxSeedPositions;) {
      const place = at[i]!
      if (covered[place] !== 0) {
        const open = covered.indexOf(0, place)
        if (open < 0) break
        i = firstFrom(at, open)
        continue
      }
      let [before, after] = [0, seedLength]
      while (before < piece && before < place && source[piece - before - 1] === text[place - before - 1])
        before++
      while (place + after < text.length && source[piece + after] === text[place + after]) after++
      if (before + after >= minFragmentLength) {
        covered.fill(1, place - before, place + after)
        mask.fill(1, place - before, place + after)
      }
      i++
      tried++
    }
  }
}

const replaceMasked = (text: string, mask: RedactionMask): string => {
  let out = ""
  for (let at = 0; at < text.length;) {
    const isCovered = mask[at] === 1
    const next = mask.indexOf(isCovered ? 0 : 1, at)
    const to = next < 0 ? text.length : next
    out += isCovered ? redactionMark : text.slice(at, to)
    at = to
  }
  // A fragment can end within a character.
  return out.replace(/\p{Cs}/gu, "")
}

const printableOnly = (text: string): string => text.replace(/[^\P{Cc}\n\t]/gu, "")

/**
 * The text of an excerpt without the personal data of the payload, whose events are `bodies`. A response that repeats nothing stays as
 * it came. In one that repeats something, each repetition is replaced, and escapes are resolved. Null for an empty
 * excerpt; a notice instead of the text when the payload has more than 5,000 phrases. `truncated` says that the
 * response was longer than the excerpt. [DELIV-5]
 */
export const redact = (
  excerpt: Uint8Array,
  truncated: boolean,
  bodies: ReadonlyArray<string>
): string | null => {
  if (excerpt.length === 0) return null
  const text = printableOnly(decodeBytes(excerpt, truncated))
  const read = unescapeTwice(text, truncated)
  const [phrases, short, longTexts] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const found = { phrases, short, longTexts, isPlain: !isOtherScript(read) }
  for (const body of bodies) {
    collectPersonalTexts((JSON.parse(body) as { data?: unknown }).data, "", found)
    if (phrases.size > maxPhrases) break
  }
  phrases.delete("")
  if (phrases.size > maxPhrases)
    return "[withheld: the payload is too large to be compared with the response]"
  const compared = foldCase(read)
  const mask = new Uint8Array(read.length)
  // Form encoding writes spaces as plus signs; positions stay the same.
  for (const each of new Set([compared, compared.replaceAll("+", " ")])) {
    for (const part of phrases) {
      maskOccurrences(each, part, mask)
      if (truncated) maskTruncatedEnd(each, part, mask)
    }
    const places = seedPositions(each)
    for (const source of longTexts) maskFragments(each, places, source, mask)
  }
  const lower = lowerCase(read)
  for (const part of short) maskOccurrences(lower, part, mask)
  return mask.includes(1) ? replaceMasked(read, mask) : text
}
