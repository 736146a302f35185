/** Forms of what limits keys, and of the places in the audit log and in the feed of changes. [AUTH-11, AUD-4, CHG-4] */
import { Encoding } from "effect"
import { type Form, invalid, otherTypes, refused, taken } from "./Form.ts"

/** Addresses and ranges, at most `max` of them. */
export const addressesForms = (max: number): ReadonlyArray<Form> => [
  taken("an address", ["192.0.2.7"]),
  taken("an address of IPv6", ["2001:db8::7"]),
  taken("ranges", ["192.0.2.0/24", "2001:db8::/32", "0.0.0.0/0", "::/0"]),
  taken(
    "the most",
    Array.from({ length: max }, () => "192.0.2.7")
  ),
  refused("empty", []),
  ...[
    ["a word", "here"],
    ["an empty text", ""],
    ["a host name", "network.example"],
    ["a prefix that is too long", "192.0.2.0/33"],
    ["three numbers", "192.0.2"],
    ["a zone", "fe80::1%eth0"],
    ["a range with a zone", "fe80::1%eth0/64"],
    ["a range without a length", "192.0.2.0/"],
    ["a range of IPv6 that is too long", "2001:db8::/129"],
    ["a port", "192.0.2.7:80"],
    ["spaces", " 192.0.2.7"]
  ].map(([name, value]) => refused(name!, [value], { ...invalid, names: "allowedAddresses[0] " })),
  refused("as a number", [7], { ...invalid, names: "allowedAddresses[0] " }),
  refused("the second of two", ["192.0.2.7", "here"], { ...invalid, names: "allowedAddresses[1] " }),
  refused(
    "one too many",
    Array.from({ length: max + 1 }, () => "192.0.2.7")
  ),
  ...otherTypes("an array")
]

/** Where a page of the audit log ended. */
export const cursorForms: ReadonlyArray<Form> = [
  taken("after every entry", "0-1"),
  taken("before every entry", "999999999999999-9007199254740991"),
  refused("a word", "abc"),
  refused("empty", ""),
  refused("without an id", "1767607260000"),
  refused("an id of zero", "1767607260000-0"),
  refused("negative", "-1-1"),
  refused("with a fraction", "1.5-1"),
  refused("with more behind it", "1-1-1"),
  refused("long", "9".repeat(4000))
]

/** A place in the feed of changes. Nobody but the service makes one, so all that can be made up is refused. [CHG-4] */
export const changeCursorForms: ReadonlyArray<Form> = [
  taken("empty", ""),
  refused("a word", "abc"),
  refused("a place in the audit log", "0-1"),
  refused("without a code", Encoding.encodeBase64Url("1 1 0 epoch")),
  refused("with a code of zeros", Encoding.encodeBase64Url(`1 1 0 epoch${"\u0000".repeat(16)}`)),
  refused("beyond ASCII", "é"),
  refused("the longest", "A".repeat(200)),
  refused("one longer", "A".repeat(201)),
  refused("long", "A".repeat(4000))
]
