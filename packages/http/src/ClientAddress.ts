/** Where a request comes from, and whether a key works from there. [AUTH-11] */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { type InvalidParameter, Parameters } from "@lead-signals/domain"
import { Context, Effect, Either, Option } from "effect"
import ipaddr from "ipaddr.js"

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A network and the length of its prefix in bits. */
type Range = readonly [Address, number]

/** What a list of addresses takes, to end a sentence with. */
const accepted = "takes an address or a range like 192.0.2.0/24 or 2001:db8::/32"

const isAddress = (text: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || (ipaddr.IPv6.isValid(text) && !text.includes("%"))

/** A peer on a socket for both families shows an address of IPv4 as one of IPv6. */
const withoutMapping = (address: Address): Address =>
  address.kind() === "ipv6" && (address as ipaddr.IPv6).isIPv4MappedAddress()
    ? (address as ipaddr.IPv6).toIPv4Address()
    : address

const parseAddress = (text: string | undefined): Address | null =>
  text !== undefined && isAddress(text) ? withoutMapping(ipaddr.parse(text)) : null

/** The bits before the address of IPv4 in one of IPv6 that stands for it. */
const mappingBits = 96

/** A range of addresses that all stand for addresses of IPv4 is a range of those. */
const withoutMappedRange = ([network, bits]: Range): Range => {
  const unmapped = bits < mappingBits ? network : withoutMapping(network)
  return unmapped === network ? [network, bits] : [unmapped, bits - mappingBits]
}

/** Reads `192.0.2.0/24`, or an address as the range of itself alone. Left: what it takes. */
const parseRange = (text: string): Either.Either<Range, string> => {
  const address = parseAddress(text)
  if (address !== null) return Either.right([address, address.kind() === "ipv4" ? 32 : 128])
  const isRange =
    ipaddr.IPv4.isValidCIDRFourPartDecimal(text) || (ipaddr.IPv6.isValidCIDR(text) && !text.includes("%"))
  return isRange ? Either.right(withoutMappedRange(ipaddr.parseCIDR(text))) : Either.left(accepted)
}

/** Checks the list of a new key. Fails with the first that is neither address nor range. [AUTH-11] */
export const checkAllowed = (allowed: ReadonlyArray<string> | null): Effect.Effect<void, InvalidParameter> =>
  Effect.forEach(
    allowed ?? [],
    (text, i) =>
      Either.mapLeft(parseRange(text), (takes) => Parameters.invalid(`allowedAddresses[${i}]`, takes)),
    { discard: true }
  )

const isWithin = (address: Address, ranges: ReadonlyArray<string>): boolean =>
  ranges.some((text) =>
    Either.match(parseRange(text), {
      onLeft: () => false,
      onRight: ([network, bits]) => network.kind() === address.kind() && address.match(network as never, bits)
    })
  )

/** What a request says of where it comes from. */
export interface Origin {
  /** The other end of the connection; undefined where a host does not say. */
  readonly peer: string | undefined
  /** The header `X-Forwarded-For`. */
  readonly forwardedFor: string | undefined
}

/** What the request says. */
export const originOf = ({ headers, remoteAddress }: HttpServerRequest.HttpServerRequest): Origin => ({
  peer: Option.getOrUndefined(remoteAddress),
  forwardedFor: headers["x-forwarded-for"]
})

/**
 * The proxies in front of the API, as addresses and ranges; none by default. From their connections alone `X-Forwarded-For` counts.
 */
export class TrustedProxies extends Context.Reference<TrustedProxies>()("@lead-signals/http/TrustedProxies", {
  defaultValue: (): ReadonlyArray<string> => []
}) {}

/** The client's address: the last one that is no trusted proxy's, from the right; null when it can't be known. */
const clientOf = ({ forwardedFor, peer }: Origin, proxies: ReadonlyArray<string>): Address | null => {
  let client = parseAddress(peer)
  for (const entry of (forwardedFor ?? "").split(",").reverse()) {
    if (forwardedFor === undefined || client === null || !isWithin(client, proxies)) return client
    client = parseAddress(entry.trim())
  }
  return client
}

/** Whether a key with this list works from there. A client whose address is not known is nowhere. [AUTH-11] */
export const isAllowed = (allowed: ReadonlyArray<string> | null, origin: Origin): Effect.Effect<boolean> =>
  allowed === null
    ? Effect.succeed(true)
    : Effect.map(TrustedProxies, (proxies) => {
        const client = clientOf(origin, proxies)
        return client !== null && isWithin(client, allowed)
      })
