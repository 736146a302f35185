/** Runs of base64 and of hexadecimal digits in a text, and what they may stand for: receivers print bodies as they keep bytes. [DELIV-5] */

/** Lines of base64 as in mails and keys, between which a space stands; or a run of 16 characters at least, since shorter ones are words. */
const runs = /(?:(?:[A-Za-z0-9+/]{60,76} )+[A-Za-z0-9+/]*|[A-Za-z0-9+/_-]{16,})={0,2}/g

const utf8 = new TextDecoder("utf-8")

/** Whether the characters are more than bytes by chance come to: those at both ends may be cut. */
const isText = (text: string): boolean =>
  (text.match(/\ufffd|(?![\t\n\r])\p{Cc}/gu)?.length ?? 0) <= 2 + text.length / 10

const ofBase64 = (digits: string): string => {
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits
  return utf8.decode(Uint8Array.from(atob(whole), (byte) => byte.charCodeAt(0)))
}

const ofHexadecimal = (digits: string): string =>
  utf8.decode(Uint8Array.from(digits.match(/../g)!, (byte) => Number.parseInt(byte, 16)))

/** An echo may begin anywhere in the encoded text. */
const readings = (run: string): ReadonlyArray<string> => {
  const digits = run.replace(/[ =]/g, "").replaceAll("-", "+").replaceAll("_", "/")
  // Other letters can touch hexadecimal digits: 0x before them, or the word after a line.
  const hexadecimal = digits.match(/[0-9a-f]{16,}/gi) ?? []
  const base64 = hexadecimal[0] === digits ? [] : [0, 1, 2, 3].map((offset) => ofBase64(digits.slice(offset)))
  const bytes = hexadecimal.flatMap((each) => [0, 1].map((offset) => ofHexadecimal(each.slice(offset))))
  return [...bytes, ...base64].filter(isText)
}

/** A run of digits, from a place of the text up to another, with the texts that it may stand for. */
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
