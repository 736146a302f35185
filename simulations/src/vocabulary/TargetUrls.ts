/** Forms of a webhook's URL, and the names and ranges of the simulated host that decide which targets it takes. [DELIV-6] */
import { type Form, otherTypes, refused, taken } from "./Form.ts"
import { illFormed } from "./Texts.ts"

/** The ranges that the operator of the simulated host opens for webhooks. */
export const allowedRanges: ReadonlyArray<string> = ["10.20.0.0/16", "198.51.100.7", "fd00:20::/32"]

/** Spellings of ranges that no setting takes: each would open a target that is refused below. */
export const unreadableRanges: ReadonlyArray<string> = [
  "fe80::%eth0/10",
  "fe80::1%1",
  "fc00::%25lo/7",
  "::1%lo/128",
  "0300.0250.0.0/16",
  "0xac10.0/12",
  "127.1/8",
  "2130706433/32",
  "10.0.0.0/33",
  "169.254.0.0/016x",
  "ff02::/129",
  "192.168.0.0/16 ",
  "*",
  ""
]

/** What the simulated names resolve to. Every other name has no address. */
export const addressesOfNames: Readonly<Record<string, ReadonlyArray<string>>> = {
  "public.example": ["93.184.216.34", "2606:2800:220:1::1"],
  "private.example": ["192.168.3.4"],
  "mixed.example": ["93.184.216.34", "10.0.0.8"],
  "opened.example": ["10.20.3.4", "fd00:20::9"],
  opened: ["10.20.3.4"],
  closed: ["93.184.216.34"]
}

const good: ReadonlyArray<readonly [name: string, url: string, means?: string]> = [
  ["a port", "https://receiver.example:8443/hook"],
  ["the greatest port", "https://receiver.example:65535/hook"],
  ["the port of https", "https://receiver.example:443/hook", "https://receiver.example/hook"],
  ["a query", "https://receiver.example/hook?a=1&b=%20c"],
  ["percent-encoding", "https://receiver.example/%F0%9F%99%82"],
  ["no path", "https://receiver.example", "https://receiver.example/"],
  ["a name in capitals", "HTTPS://Receiver.EXAMPLE/Hook", "https://receiver.example/Hook"],
  ["a name in Punycode", "https://xn--e1afmkfd.example/hook"],
  ["an at sign in the path", "https://receiver.example/@hook"],
  ["a name with a public address", "https://public.example/hook"],
  ["a name with an opened address", "https://opened.example/hook"],
  ["a public address", "https://93.184.216.34/hook"],
  ["a public address of IPv6", "https://[2606:2800:220:1::1]/hook"],
  ["an opened address", "https://10.20.255.255/hook"],
  ["an opened address over http", "http://10.20.0.0/hook"],
  ["a single opened address over http", "http://198.51.100.7:8080/hook"],
  ["an opened address of IPv6 over http", "http://[fd00:20::1]/hook"],
  ["an opened address within IPv6", "http://[::ffff:10.20.1.2]/hook", "http://[::ffff:a14:102]/hook"],
  ["a name with opened addresses over http", "http://opened.example/hook"],
  ["an opened name without a dot", "https://opened/hook"],
  ["an opened name without a dot over http", "http://opened/hook"]
]

const bad: ReadonlyArray<readonly [name: string, url: string]> = [
  // How a URL is written.
  ["no scheme", "receiver.example/hook"],
  ["a scheme of ftp", "ftp://receiver.example/hook"],
  ["a scheme of javascript", "javascript:alert(1)"],
  ["one slash", "https:/receiver.example/hook"],
  ["no host", "https:///hook"],
  ["a backslash", "https:\\\\receiver.example\\hook"],
  ["a space before", " https://receiver.example/hook"],
  ["a space within", "https://receiver.example/a b"],
  ["a line break", "https://receiver.example/\nhook"],
  ["letters of other scripts", "https://пример.example/hook"],
  ["broken percent-encoding", "https://receiver.example/%zz"],
  ["a user name", "https://user@receiver.example/hook"],
  ["an empty user name", "https://@receiver.example/hook"],
  ["a user name and a password", "https://user:secret@receiver.example/hook"],
  ["a fragment", "https://receiver.example/hook#x"],
  ["an empty fragment", "https://receiver.example/hook#"],
  ["port 0", "https://receiver.example:0/hook"],
  ["too great a port", "https://receiver.example:65536/hook"],
  ["a zone", "https://[fe80::1%25eth0]/hook"],
  ["a bracket alone", "https://[2606:2800:220:1::1/hook"]
]

/** What the allowance of the simulated host refuses. */
const closed: ReadonlyArray<readonly [name: string, url: string]> = [
  ["http", "http://receiver.example/hook"],
  ["http to a public name", "http://public.example/hook"],
  ["http to a public address", "http://93.184.216.34/hook"],
  ["http to a name with no opened address", "http://mixed.example/hook"],
  ["a name with a private address", "https://private.example/hook"],
  ["a name with a private address among others", "https://mixed.example/hook"],
  ["a name without a dot", "https://receiver/hook"],
  ["a name without a dot, with a public address", "https://closed/hook"],
  ["localhost", "https://localhost/hook"],
  ["localhost with a dot at its end", "https://localhost./hook"],
  ["the address before the opened ones", "https://10.19.255.255/hook"],
  ["the address behind the opened ones", "https://10.21.0.0/hook"],
  ["the address before a single opened one", "http://198.51.100.6/hook"],
  ["the address behind a single opened one", "http://198.51.100.8/hook"],
  ["an address of IPv6 beside the opened ones", "https://[fd00:21::]/hook"],
  ...[
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "169.254.169.254",
    "168.63.129.16",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.2.1",
    "192.168.0.1",
    "198.18.0.1",
    "203.0.113.1",
    "224.0.0.1",
    "255.255.255.255",
    "2130706433",
    "0x7f.1",
    "017700000001",
    "[::]",
    "[::1]",
    "[fe80::1]",
    "[fc00::1]",
    "[ff02::1]",
    "[2001:db8::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:10.0.0.1]",
    "[64:ff9b::a00:1]",
    "[2002:a00:1::]",
    "[2606:2800:220:1:0:5efe:a00:1]"
  ].map((host): readonly [string, string] => [`the address ${host}`, `https://${host}/hook`])
]

/** A host can have another check of targets, and another allowance. */
const ofHost = { isOfHost: true } as const

/** The forms of a URL that a webhook posts to, at most `max` characters long. */
export const webhookUrlForms = (max: number): ReadonlyArray<Form> => {
  const long = "https://receiver.example/"
  return [
    taken("a URL", "https://receiver.example/hook"),
    ...good.map(([name, url, means]) =>
      taken(name, url, { ...ofHost, ...(means === undefined ? {} : { means }) })
    ),
    taken("the longest", long + "x".repeat(max - long.length)),
    ...[...bad, ...closed].map(([name, url]) => refused(name, url, undefined, ofHost)),
    refused("one too long", long + "x".repeat(max + 1 - long.length)),
    refused("empty", ""),
    refused("U+0000", "https://receiver.example/\u0000"),
    ...illFormed.map(([name, text]) => refused(name, long + text)),
    ...otherTypes("a text")
  ]
}
