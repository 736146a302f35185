/**
 * Guards the targets of webhooks. It checks the URL and the addresses of its name when a webhook is created
 * or changed, and the addresses about to be dialled at each attempt. It refuses a name when any of its
 * addresses is refused. [DELIV-6]
 */
import { InvalidParameter, WebhookTargets } from "@lead-signals/domain"
import { Effect, Either, Layer } from "effect"
import { type Cidr, isPermitted, parseAddress, type Scheme } from "./Addresses.ts"
import { Resolver } from "./Resolver.ts"

/** The ranges that an operator opens for webhooks. */
export interface GuardOptions {
  /** Ranges that webhooks may reach although they are not global, and over plain http. */
  readonly allowed: ReadonlyArray<Cidr>
  /** The name of the setting that `allowed` comes from, for messages; by default "this host's allowance". */
  readonly allowedBy?: string
}

const invalidUrl = (takes: string) => new InvalidParameter({ parameter: "url", message: `url ${takes}.` })

const refusalsOf = ({ allowedBy = "this host's allowance" }: GuardOptions) => ({
  addressNotPublic: invalidUrl(
    `takes a public address; private, local and special ones are refused unless ${allowedBy} names them`
  ),
  httpNotAllowed: invalidUrl(`takes https; http only reaches addresses that ${allowedBy} names`),
  httpUnresolved: invalidUrl(
    `takes https, or http with a name that can be resolved now to addresses that ${allowedBy} names; this name can't`
  ),
  nameUnqualified: invalidUrl(
    `takes a host with a dot in its name; one without only reaches addresses that ${allowedBy} names`
  )
})

/**
 * `scheme "://" authority path-abempty [ "?" query ] [ "#" fragment ]` (RFC 3986, 3 and 4.3). The URL parser
 * alone accepts a path as the host, a backslash as a slash, and white space.
 */
const absoluteUrl = (() => {
  const encoded = "%[0-9A-Fa-f]{2}"
  const name = "[A-Za-z0-9\\-._~!$&'()*+,;=]"
  const host = `(?:\\[[0-9A-Fa-f:.]+\\]|(?:${name}|${encoded})+)`
  const authority = `(?:(?:${name}|:|${encoded})*@)?${host}(?::[0-9]*)?`
  const path = `(?:/(?:${name}|[:@/]|${encoded})*)?`
  const rest = `(?:${name}|[:@/?]|${encoded})*`
  return new RegExp(`^[A-Za-z][A-Za-z0-9+.-]*://${authority}${path}(?:\\?${rest})?(?:#${rest})?$`)
})()

/** Parses a URL into its normal form, in which an address has one spelling. */
const parseTargetUrl = (text: string): Either.Either<URL, InvalidParameter> => {
  if (/[^\x21-\x7e]/.test(text)) {
    return Either.left(
      invalidUrl("takes printable ASCII: other characters percent-encoded, and those of a host in Punycode")
    )
  }
  if (!absoluteUrl.test(text) || !URL.canParse(text)) {
    return Either.left(invalidUrl("takes an absolute URL, like https://example.com/hook"))
  }
  const url = new URL(text)
  if (url.protocol !== "https:" && url.protocol !== "http:") return Either.left(invalidUrl("takes https"))
  // The URL parser drops an empty user name or fragment together with its delimiter.
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) {
    return Either.left(invalidUrl("takes no user name and no password; the signature proves who sends"))
  }
  if (text.includes("#")) return Either.left(invalidUrl("takes no fragment"))
  if (url.port === "0") return Either.left(invalidUrl("takes a port from 1 to 65535"))
  return Either.right(url)
}

/**
 * A name without a dot belongs to the sender's own network, or to a search domain that the name's owner does
 * not know.
 */
const isUnqualified = (hostname: string): boolean =>
  parseAddress(hostname) === null && !hostname.replace(/\.$/, "").includes(".")

/** A target that is about to be dialled. */
export interface Target {
  /** The scheme of the URL. */
  readonly scheme: Scheme
  /** In the URL's normal form, or an address without brackets. */
  readonly hostname: string
  /** The addresses that the name resolves to, or the address that it is. */
  readonly addresses: ReadonlyArray<string>
}

/**
 * Whether every address may be dialled. Plain http and unqualified names reach only allowed ranges. False
 * without addresses.
 */
export const areAllPermitted = (
  { addresses, hostname, scheme }: Target,
  { allowed }: GuardOptions
): boolean => {
  const effectiveScheme = isUnqualified(hostname) ? "http:" : scheme
  return addresses.length > 0 && addresses.every((address) => isPermitted(address, effectiveScheme, allowed))
}

/** The check of targets that the domain runs when a webhook is created or changed. */
export const layer = (options: GuardOptions): Layer.Layer<WebhookTargets, never, Resolver> =>
  Layer.effect(
    WebhookTargets,
    Effect.map(Resolver, (resolver) => {
      const { addressNotPublic, httpNotAllowed, httpUnresolved, nameUnqualified } = refusalsOf(options)
      const checkAddresses = (url: URL): Effect.Effect<void, InvalidParameter> => {
        const scheme = url.protocol as Scheme
        const { hostname } = url
        const refusal = isUnqualified(hostname)
          ? nameUnqualified
          : scheme === "http:"
            ? httpNotAllowed
            : addressNotPublic
        const found =
          parseAddress(hostname) === null ? resolver.resolve(hostname) : Effect.succeed([hostname])
        return found.pipe(
          Effect.flatMap((addresses) =>
            areAllPermitted({ scheme, hostname, addresses }, options) ? Effect.void : refusal
          ),
          // An https name may resolve later. Plain http and an unqualified name must resolve to allowed
          // addresses now.
          Effect.catchTag("Unresolvable", () =>
            isUnqualified(hostname) ? nameUnqualified : scheme === "http:" ? httpUnresolved : Effect.void
          )
        )
      }
      return {
        check: (text) =>
          Effect.flatMap(parseTargetUrl(text), (url) => Effect.as(checkAddresses(url), url.href))
      }
    })
  )
