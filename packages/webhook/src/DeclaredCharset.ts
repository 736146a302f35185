/** Reads the excerpt of a response in the charset that the response declares. [DELIV-5] */

/** The parameter of a media type (RFC 9110, 8.3.2), which some senders put into single quotes. */
const charsetParameter = /;\s*charset\s*=\s*["']?([^\s;,"']+)/i

/** Bytes that tell the encoding of the text behind them, whatever is declared (Encoding Standard, 6.1). */
const byteOrderMarks: ReadonlyArray<readonly [string, ReadonlyArray<number>]> = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]]
]

const encodingByMark = (excerpt: Uint8Array): string | undefined =>
  byteOrderMarks.find(([, mark]) => mark.every((byte, at) => excerpt[at] === byte))?.[0]

/**
 * The byte order of UTF-16 without a mark: ASCII characters have a zero as their first byte or as their second. Senders declare both orders as
 * `utf-16`, which the Encoding Standard takes for the little-endian one.
 */
const utf16Order = (excerpt: Uint8Array, declared: string): string => {
  let leadingZeros = 0
  for (const [at, byte] of excerpt.entries()) if (byte === 0) leadingZeros += at % 2 === 0 ? 1 : -1
  return leadingZeros === 0 ? declared : leadingZeros > 0 ? "utf-16be" : "utf-16le"
}

/** Null for a charset that this runtime doesn't know. */
const decoderOf = (label: string) => {
  try {
    return new TextDecoder(label)
  } catch {
    return null
  }
}

/** What an excerpt says in the charset that its response declares. */
interface DeclaredText {
  /** Null in a charset that this runtime can't decode. */
  readonly text: string | null
}

/**
 * Decodes an excerpt by its byte order mark or by the charset of `contentType`. An incomplete last character of a cut excerpt is dropped. Null where
 * nothing is declared, and for UTF-8, Latin-1 and windows-1252, one of which is often declared for another.
 */
export const decodeDeclared = (
  excerpt: Uint8Array,
  isCut: boolean,
  contentType: string | null
): DeclaredText | null => {
  const marked = encodingByMark(excerpt)
  const label = marked ?? (contentType === null ? undefined : charsetParameter.exec(contentType)?.[1])
  if (label === undefined) return null
  const decoder = decoderOf(label)
  if (decoder === null) return { text: null }
  const { encoding } = decoder
  if (encoding === "utf-8" || encoding === "windows-1252") return null
  const isUnmarkedUtf16 = marked === undefined && encoding.startsWith("utf-16")
  const chosen = isUnmarkedUtf16 ? new TextDecoder(utf16Order(excerpt, encoding)) : decoder
  return { text: chosen.decode(excerpt, { stream: isCut }) }
}

/** Whether the excerpt is UTF-8 without control characters. Texts in other encodings than ASCII seldom are. */
export const isTextInUtf8 = (excerpt: Uint8Array, isCut: boolean): boolean => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(excerpt, { stream: isCut })
    return !/[^\P{Cc}\s]/u.test(text)
  } catch {
    return false
  }
}
