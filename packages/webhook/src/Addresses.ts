/**
 * Which addresses a webhook may be sent to: global unicast, and what the operator allows besides. Everything that is not
 * known to be global is refused. [DELIV-6]
 */
import { Either } from "effect"
import ipaddr from "ipaddr.js"

type Address = ipaddr.IPv4 | ipaddr.IPv6

export type Cidr = readonly [Address, number]

/** An IPv4 address in its one spelling, or an IPv6 address without a zone. */
const isAddress = (text: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || (ipaddr.IPv6.isValid(text) && !text.includes("%"))

/** `10.0.0.0/8`, `::1/128`; an address alone is itself only. */
export const parseCidr = (text: string): Either.Either<Cidr, string> => {
  if (isAddress(text)) {
    const address = ipaddr.parse(text)
    return Either.right([address, address.kind() === "ipv4" ? 32 : 128])
  }
  const isCidr =
    ipaddr.IPv4.isValidCIDRFourPartDecimal(text) || (ipaddr.IPv6.isValidCIDR(text) && !text.includes("%"))
  return isCidr ? Either.right(ipaddr.parseCIDR(text)) : Either.left(`"${text}" is no CIDR`)
}

const cidr = (text: string): Cidr => Either.getOrThrow(parseCidr(text))

const globalV6 = cidr("2000::/3")

/** A cloud's metadata and control address: in nobody's special range, and no public host. */
const metadata = cidr("168.63.129.16")

const isIn = (address: Address, ranges: ReadonlyArray<Cidr>): boolean =>
  ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network as never, bits))

/** An interface id of ISATAP has an IPv4 address in it (RFC 5214). */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => (parts[4]! & 0xfdff) === 0 && parts[5] === 0x5efe

/** What the library calls unicast is in no special-purpose range of the IANA registries that it knows. */
const isGlobalUnicast = (address: Address): boolean =>
  address.range() === "unicast" &&
  (address.kind() === "ipv4"
    ? !isIn(address, [metadata])
    : isIn(address, [globalV6]) && !isIsatap(address as ipaddr.IPv6))

/** As an operator names it: an IPv4 address that is mapped into IPv6 is that IPv4 address. */
const unmapped = (address: Address): Address =>
  address.kind() === "ipv6" && (address as ipaddr.IPv6).isIPv4MappedAddress()
    ? (address as ipaddr.IPv6).toIPv4Address()
    : address

/** The address that a text is, in a URL's normal form or as a resolver gives it; null when it is a name. */
export const parse = (host: string): Address | null => {
  const bare = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host
  return isAddress(bare) ? ipaddr.parse(bare) : null
}

export type Scheme = "http:" | "https:"

/** Plain http goes only where the operator allows it by name. */
export const isPermitted = (text: string, scheme: Scheme, allowed: ReadonlyArray<Cidr>): boolean => {
  const address = parse(text)
  if (address === null) return false
  if (isIn(unmapped(address), allowed) || isIn(address, allowed)) return true
  return scheme === "https:" && isGlobalUnicast(address)
}
