/** Finds base64 and hexadecimal digits in a text, and decodes them: receivers print bodies of requests in both encodings. [DELIV-5] */

/** Lines of base64 as in mails and keys, separated by single spaces; or a run of at least 16 characters, because shorter ones can be words. */
const runs = /(?:(?:[A-Za-z0-9+/]{60,76} )+[A-Za-z0-9+/]*|[A-Za-z0-9+/_-]{16,})={0,2}/g

const utf8 = new TextDecoder("utf-8")

/**
 * Whether decoded bytes are a text and not any bytes: few of its characters are controls or U+FFFD. Two are always allowed, because the run can
 * begin and end within a character.
 */
const isText = (text: string): boolean =>
  (text.match(/\ufffd|(?![\t\n\r])\p{Cc}/gu)?.length ?? 0) <= 2 + text.length / 10

const ofBase64 = (digits: string): string => {
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits
  return utf8.decode(Uint8Array.from(atob(whole), (byte) => byte.charCodeAt(0)))
}

const ofHexadecimal = (digits: string): string =>
  utf8.decode(Uint8Array.from(digits.match(/../g)!, (byte) => Number.parseInt(byte, 16)))

/** The texts that a run may stand for. It is decoded from each of its first digits, because the echo may begin within a group of digits. */
const readings = (run: string): ReadonlyArray<string> => {
  const digits = run.replace(/[ =]/g, "").replaceAll("-", "+").replaceAll("_", "/")
  // Other letters can adjoin hexadecimal digits: `0x` before them, or a word after them.
  const hexadecimal = digits.match(/[0-9a-f]{16,}/gi) ?? []
  const base64 = hexadecimal[0] === digits ? [] : [0, 1, 2, 3].map((offset) => ofBase64(digits.slice(offset)))
  const bytes = hexadecimal.flatMap((each) => [0, 1].map((offset) => ofHexadecimal(each.slice(offset))))
  return [...bytes, ...base64].filter(isText)
}

/** A run of digits: the index of its first character, the index after its last one, and the texts that it may stand for. */
interface EncodedRun {
  readonly from: number
  readonly to: number
  readonly texts: ReadonlyArray<string>
}

/** The runs of a text that may stand for another text. */
export const encodedRuns = (text: string): ReadonlyArray<EncodedRun> =>
  Array.from(text.matchAll(runs), ({ 0: run, index }) => ({
    from: index,
    to: index + run.length,
    texts: readings(run)
  })).filter(({ texts }) => texts.length > 0)
