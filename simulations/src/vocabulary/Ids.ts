/** Forms of ids: a brand's own, another brand's, deleted ones, and texts that are no id at all. [AUTH-3, DET-3, OPER-3] */
import {
  type Form,
  IdOf,
  type IdKind,
  invalid,
  notFound,
  otherTypes,
  type Refusal,
  refused,
  taken
} from "./Form.ts"

const never = "999999999"

/** Texts that are an integer to a lenient reader, and no id. */
const nearlyIds: ReadonlyArray<readonly [name: string, write: (id: string) => string]> = [
  ["with a sign", (id) => `+${id}`],
  ["negative", (id) => `-${id}`],
  ["with a fraction of zero", (id) => `${id}.0`],
  ["with an exponent", (id) => `${id}e0`],
  ["hexadecimal", (id) => `0x${Number(id).toString(16)}`],
  ["with a space before", (id) => ` ${id}`],
  ["with a space after", (id) => `${id} `],
  ["with a line break after", (id) => `${id}\n`],
  ["with U+0000 after", (id) => `${id}\u0000`],
  ["with a semicolon", (id) => `${id};x`],
  ["with a quote", (id) => `${id}' OR '1'='1`],
  ["with a slash", (id) => `${id}/x`],
  [
    "in full-width digits",
    (id) => id.replace(/[0-9]/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))
  ],
  ["in Arabic digits", (id) => id.replace(/[0-9]/g, (digit) => String.fromCharCode(0x660 + Number(digit)))]
]

const others = (refusal: Refusal): ReadonlyArray<Form> => [
  refused("zero", "0", refusal),
  refused("beyond 64 bits", "18446744073709551617", refusal),
  refused("a word", "abc", refusal),
  refused("a name of an object's member", "__proto__", refusal),
  refused("beyond the BMP", "\u{1d7d9}", refusal),
  refused("dots", "..", refusal),
  refused("long", "9".repeat(4000), refusal)
]

/** A lead's id in a path: an integer of at least 1. [DET-3] */
const leadIdForms: ReadonlyArray<Form> = [
  taken("own", new IdOf("lead", "own")),
  taken("own, leading zeros", new IdOf("lead", "own", (id) => `00${id}`)),
  refused("another brand's", new IdOf("lead", "foreign"), notFound),
  refused("erased", new IdOf("lead", "deleted"), notFound),
  refused("never given", never, notFound),
  refused("the greatest safe integer", "9007199254740991", notFound),
  refused("beyond the safe integers", "9007199254740993", invalid),
  ...nearlyIds.map(([name, write]) => refused(name, new IdOf("lead", "own", write), invalid)),
  ...others(invalid)
]

/** An id that is a text of decimal digits. Written otherwise it is another text, which nothing has. [OPER-2, OPER-3] */
const textIdForms = (kind: IdKind): ReadonlyArray<Form> => [
  taken("own", new IdOf(kind, "own")),
  // Any brand is the operator's, and so is any token.
  ...(kind === "brand" || kind === "token"
    ? []
    : [refused("another brand's", new IdOf(kind, "foreign"), notFound)]),
  // To revoke a key or token again is no error.
  kind === "key" || kind === "token"
    ? taken("revoked", new IdOf(kind, "deleted"))
    : refused("deleted", new IdOf(kind, "deleted"), notFound),
  refused("never given", never, notFound),
  refused("leading zeros", new IdOf(kind, "own", (id) => `0${id}`), notFound),
  refused("beyond the safe integers", "9007199254740993", notFound),
  ...nearlyIds.map(([name, write]) => refused(name, new IdOf(kind, "own", write), notFound)),
  ...others(notFound)
]

/** A delivery's id: `wh_` and what follows. */
const deliveryIdForms: ReadonlyArray<Form> = [
  taken("own", new IdOf("delivery", "own")),
  refused("another brand's", new IdOf("delivery", "foreign"), notFound),
  refused("deleted", new IdOf("delivery", "deleted"), notFound),
  refused("never given", "wh_0", notFound),
  refused("in upper case", new IdOf("delivery", "own", (id) => id.toUpperCase()), notFound),
  refused("without its prefix", new IdOf("delivery", "own", (id) => id.slice(3)), notFound),
  refused("cut short", new IdOf("delivery", "own", (id) => id.slice(0, -1)), notFound),
  refused("with more behind it", new IdOf("delivery", "own", (id) => `${id}0`), notFound),
  refused("a wildcard", "wh_%", notFound),
  ...others(notFound)
]

/** Forms of an id in a path, where an id of any text is looked up and not found. */
export const pathIdForms = (kind: IdKind): ReadonlyArray<Form> =>
  kind === "lead" ? leadIdForms : kind === "delivery" ? deliveryIdForms : textIdForms(kind)

/** A webhook's id in a body. */
export const webhookIdForms: ReadonlyArray<Form> = [
  ...textIdForms("webhook"),
  refused("empty", "", notFound),
  ...otherTypes("a text"),
  refused("as a number", new IdOf("webhook", "own", Number))
]

/** A signal's id in an observation: decimal digits, of a signal that the brand has. [OBS-2, DEL-2] */
export const observedSignalForms: ReadonlyArray<Form> = [
  taken("own", new IdOf("signal", "own")),
  refused("another brand's", new IdOf("signal", "foreign")),
  refused("deleted", new IdOf("signal", "deleted")),
  refused("never given", never),
  refused("leading zeros", new IdOf("signal", "own", (id) => `0${id}`)),
  ...nearlyIds.map(([name, write]) => refused(name, new IdOf("signal", "own", write))),
  refused("empty", ""),
  ...others(invalid),
  ...otherTypes("a text"),
  refused("as a number", new IdOf("signal", "own", Number))
]

/** A list of brands' ids in a body. [OPER-12] */
export const brandIdsForms = (max: number): ReadonlyArray<Form> => [
  taken("own", [new IdOf("brand", "own")]),
  taken("own and another", [new IdOf("brand", "own"), new IdOf("brand", "foreign")]),
  refused("deleted", [new IdOf("brand", "deleted")], notFound),
  refused("never given", [never], notFound),
  refused("empty", []),
  refused("a word", ["abc"], { ...invalid, names: "brandIds[0] " }),
  refused("as a number", [7], { ...invalid, names: "brandIds[0] " }),
  refused("with null", [null], { ...invalid, names: "brandIds[0] " }),
  refused(
    "one too many",
    Array.from({ length: max + 1 }, () => never)
  ),
  ...otherTypes("an array")
]

/** The id of a brand as the filter of a list: one that does not exist finds nothing. [AUD-4] */
export const brandFilterForms: ReadonlyArray<Form> = [
  taken("own", new IdOf("brand", "own")),
  taken("never given", never),
  refused("negative", "-1"),
  refused("a word", "abc"),
  refused("with a fraction", "1.5"),
  refused("empty", ""),
  refused("long", "9".repeat(4000))
]

/** Ids of signals in a query, besides the forms of an integer: one that the brand does not have finds nothing. [LIST-2] */
export const querySignalForms: ReadonlyArray<Form> = [
  taken("own", new IdOf("signal", "own")),
  taken("own, leading zeros", new IdOf("signal", "own", (id) => `00${id}`)),
  taken("another brand's", new IdOf("signal", "foreign")),
  taken("never given", never)
]
