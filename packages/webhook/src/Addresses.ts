/**
 * Decides which addresses a webhook may be sent to: global unicast addresses, and the ranges that the
 * operator allows. Any address that is not known to be global is refused. [DELIV-6]
 */
import { Either } from "effect"
import ipaddr from "ipaddr.js"

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A range of addresses: the network and the length of its prefix in bits. */
export type Cidr = readonly [Address, number]

/** Accepts an IPv4 address in dotted decimal form, or an IPv6 address without a zone. */
const isAddress = (text: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || (ipaddr.IPv6.isValid(text) && !text.includes("%"))

/**
 * Parses `10.0.0.0/8` or `::1/128`. An address without a prefix length is the range of itself alone. Left:
 * what is wrong.
 */
export const parseCidr = (text: string): Either.Either<Cidr, string> => {
  if (isAddress(text)) {
    const address = ipaddr.parse(text)
    return Either.right([address, address.kind() === "ipv4" ? 32 : 128])
  }
  const isCidr =
    ipaddr.IPv4.isValidCIDRFourPartDecimal(text) || (ipaddr.IPv6.isValidCIDR(text) && !text.includes("%"))
  return isCidr ? Either.right(ipaddr.parseCIDR(text)) : Either.left(`"${text}" is not a CIDR`)
}

const cidrOf = (text: string): Cidr => Either.getOrThrow(parseCidr(text))

const globalV6 = cidrOf("2000::/3")

/** The virtual address of Azure's platform services, which no special-purpose range contains. */
const cloudMetadata = cidrOf("168.63.129.16")

const isIn = (address: Address, ranges: ReadonlyArray<Cidr>): boolean =>
  ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network as never, bits))

/** An ISATAP interface id embeds an IPv4 address, which may be private (RFC 5214). */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => (parts[4]! & 0xfdff) === 0 && parts[5] === 0x5efe

/**
 * `unicast` is the library's name for an address in none of the special-purpose ranges of the IANA registries
 * that it knows.
 */
const isGlobalUnicast = (address: Address): boolean =>
  address.range() === "unicast" &&
  (address.kind() === "ipv4"
    ? !isIn(address, [cloudMetadata])
    : isIn(address, [globalV6]) && !isIsatap(address as ipaddr.IPv6))

/** Operators name IPv4 ranges, which also cover the IPv4-mapped IPv6 addresses. */
const withoutIpv6Mapping = (address: Address): Address =>
  address.kind() === "ipv6" && (address as ipaddr.IPv6).isIPv4MappedAddress()
    ? (address as ipaddr.IPv6).toIPv4Address()
    : address

/** Parses an address as a URL in normal form or a resolver spells it. Returns null for a host name. */
export const parseAddress = (host: string): Address | null => {
  const bare = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host
  return isAddress(bare) ? ipaddr.parse(bare) : null
}

/** The schemes that a webhook's URL may have, each with its colon. */
export type Scheme = "http:" | "https:"

/** Whether an address may be dialled. Plain http reaches only addresses in `allowed`. */
export const isPermitted = (text: string, scheme: Scheme, allowed: ReadonlyArray<Cidr>): boolean => {
  const address = parseAddress(text)
  if (address === null) return false
  if (isIn(withoutIpv6Mapping(address), allowed) || isIn(address, allowed)) return true
  return scheme === "https:" && isGlobalUnicast(address)
}
