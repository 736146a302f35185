/** Connects undici to webhook targets that the guard permits. */
import { Retries } from "@lead-signals/domain"
import { isIP, type LookupFunction, type Socket } from "node:net"
import { buildConnector } from "undici"
import type * as Addresses from "./Addresses.ts"
import * as TargetGuard from "./TargetGuard.ts"

class TargetRefused extends Error {
  readonly code = "TARGET_REFUSED"
}

class NameUnresolvable extends Error {
  readonly code = "ENOTFOUND"
}

type Connector = ReturnType<typeof buildConnector>

/**
 * Milliseconds for one of several addresses before the next is tried: enough for a connection around the
 * world.
 */
const addressAttemptMillis = 2500

/** A connector that dials exactly the addresses that the guard has checked. */
export const guardedConnector = (
  options: TargetGuard.GuardOptions,
  addressesOf: (hostname: string) => Promise<ReadonlyArray<string>>,
  sockets: Set<Socket>
): Connector => {
  const lookup =
    (scheme: Addresses.Scheme): LookupFunction =>
    (hostname, { all }, callback) => {
      addressesOf(hostname).then(
        (addresses) => {
          if (!TargetGuard.areAllPermitted({ scheme, hostname, addresses }, options)) {
            callback(new TargetRefused(), [])
            return
          }
          const found = addresses.map((address) => ({ address, family: isIP(address) }))
          if (all === true) callback(null, found)
          else callback(null, found[0]!.address, found[0]!.family)
        },
        () => callback(new NameUnresolvable(), [])
      )
    }
  const connector = (scheme: Addresses.Scheme): Connector =>
    buildConnector({
      // Ends a connection attempt with the delivery attempt, even during the TLS handshake.
      timeout: Retries.attemptTimeoutMillis,
      autoSelectFamilyAttemptTimeout: addressAttemptMillis,
      lookup: lookup(scheme)
    } as buildConnector.BuildOptions)
  const connectors = { "https:": connector("https:"), "http:": connector("http:") }
  return (target, callback) => {
    const scheme = target.protocol as Addresses.Scheme
    const literal = target.hostname.replace(/^\[|\]$/g, "")
    // The connector dials a literal address without calling `lookup`.
    const isPermitted = TargetGuard.areAllPermitted(
      { scheme, hostname: literal, addresses: [literal] },
      options
    )
    if (isIP(literal) !== 0 && !isPermitted) {
      callback(new TargetRefused(), null)
      return
    }
    // The connector returns the socket, which its types leave out.
    const socket = connectors[scheme](target, callback) as unknown as Socket
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  }
}
