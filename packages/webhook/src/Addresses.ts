/**
 * Which addresses a webhook may be sent to: global unicast, and what the operator allows besides. Everything that is not
 * known to be global is refused. [DELIV-6]
 */
import { Either } from "effect"
import ipaddr from "ipaddr.js"

type Address = ipaddr.IPv4 | ipaddr.IPv6

export type Cidr = readonly [Address, number]

/** `10.0.0.0/8`, `::1/128`; an address alone is itself only. */
export const parseCidr = (text: string): Either.Either<Cidr, string> => {
  const [address = "", length, ...more] = text.split("/")
  const strict =
    ipaddr.IPv4.isValidFourPartDecimal(address) || (address.includes(":") && ipaddr.IPv6.isValid(address))
  if (!strict || more.length > 0 || address.includes("%")) return Either.left(`"${text}" is no CIDR`)
  const parsed = ipaddr.parse(address)
  const greatest = parsed.kind() === "ipv4" ? 32 : 128
  if (length !== undefined && !/^[0-9]{1,3}$/.test(length)) return Either.left(`"${text}" is no CIDR`)
  const bits = length === undefined ? greatest : Number(length)
  return bits <= greatest ? Either.right([parsed, bits]) : Either.left(`"${text}" is no CIDR`)
}

const cidrs = (...texts: ReadonlyArray<string>): ReadonlyArray<Cidr> =>
  texts.map((text) => Either.getOrThrow(parseCidr(text)))

/** Unicast by their range, and yet not somebody's public host. */
const specialV4 = cidrs(
  "168.63.129.16/32", // a cloud's metadata and control address
  "192.31.196.0/24", // AS112 (RFC 7535)
  "192.52.193.0/24", // AMT (RFC 7450)
  "192.175.48.0/24" // AS112 (RFC 7534)
)

const globalV6 = cidrs("2000::/3")

/** Inside 2000::/3, by the IANA registry of special-purpose addresses. */
const specialV6 = cidrs(
  "2001::/23", // protocol assignments: Teredo, benchmarks, ORCHID, AMT, AS112
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4: an IPv4 address hidden in it
  "2620:4f:8000::/48", // AS112
  "3fff::/20" // documentation
)

const isIn = (address: Address, ranges: ReadonlyArray<Cidr>): boolean =>
  ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network as never, bits))

/** An interface id of ISATAP has an IPv4 address in it (RFC 5214). */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => (parts[4]! & 0xfdff) === 0 && parts[5] === 0x5efe

const isGlobalUnicast = (address: Address): boolean =>
  address.kind() === "ipv4"
    ? address.range() === "unicast" && !isIn(address, specialV4)
    : isIn(address, globalV6) && !isIn(address, specialV6) && !isIsatap(address as ipaddr.IPv6)

/** As an operator names it: an IPv4 address that is mapped into IPv6 is that IPv4 address. */
const unmapped = (address: Address): Address =>
  address.kind() === "ipv6" && (address as ipaddr.IPv6).isIPv4MappedAddress()
    ? (address as ipaddr.IPv6).toIPv4Address()
    : address

/** The address that a text is, in a URL's normal form or as a resolver gives it; null when it is a name. */
export const parse = (host: string): Address | null => {
  const bare = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host
  return ipaddr.IPv4.isValidFourPartDecimal(bare) || (bare.includes(":") && ipaddr.IPv6.isValid(bare))
    ? ipaddr.parse(bare)
    : null
}

export type Scheme = "http:" | "https:"

/** Plain http goes only where the operator allows it by name. */
export const isPermitted = (text: string, scheme: Scheme, allowed: ReadonlyArray<Cidr>): boolean => {
  const address = parse(text)
  if (address === null) return false
  if (isIn(unmapped(address), allowed) || isIn(address, allowed)) return true
  return scheme === "https:" && isGlobalUnicast(address)
}
