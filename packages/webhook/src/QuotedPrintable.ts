/** Decodes the quoted-printable encoding of mails, in which a receiver may echo a payload (RFC 2045, 6.7). [DELIV-5] */

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** A soft line break, which ends a line of a mail that continues in the next; in JSON the break is escaped. */
const softBreak = /=(?:\\r)?(?:\n|\\n)/g

/** A quoted UTF-8 character of several bytes. Only a text with one, or with a soft line break, is taken for quoted-printable. */
const quotedCharacter =
  /=(?:[CD][0-9A-F]|E[0-9A-F]=[89AB][0-9A-F]|F[0-4](?:=[89AB][0-9A-F]){2})=[89AB][0-9A-F]/i

const quotedOctets = /(?:=[0-9A-F]{2})+/gi

/** The ASCII characters that mails quote. Other digits after an equals sign are no quoted character, but for example a value. */
const quotedAscii = /^(?:=(?:3D|20|09|0A|0D))+$/i

/** A quoted character that the cut at the end of an excerpt leaves incomplete. */
const unfinishedQuote =
  /(?:=(?:[CD][0-9A-F]|E[0-9A-F](?:=[89AB][0-9A-F])?|F[0-4](?:=[89AB][0-9A-F]){0,2}))?(?:=[0-9A-F]?)?$/i

/** The text without a quoted character that its end leaves incomplete. */
export const dropUnfinishedQuote = (text: string): string =>
  text.includes("=") ? text.replace(unfinishedQuote, "") : text

/** Decodes a text that contains quoted-printable UTF-8; any other text stays as it is. */
export const unquote = (text: string): string => {
  if (!text.includes("=")) return text
  const joined = text.replace(softBreak, "")
  if (joined === text && !quotedCharacter.test(joined)) return text
  return joined.replace(quotedOctets, (found: string) => {
    const bytes = Uint8Array.from(found.match(/[0-9A-F]{2}/gi)!, (octet) => Number.parseInt(octet, 16))
    if (bytes.every((byte) => byte < 0x80) && !quotedAscii.test(found)) return found
    try {
      return utf8.decode(bytes)
    } catch {
      return found
    }
  })
}
