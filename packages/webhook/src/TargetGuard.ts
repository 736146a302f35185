/**
 * Judges the target of a webhook: by its URL and what its name resolves to when it is created or changed, and by the
 * addresses about to be dialled when it is sent to. A name is refused as a whole when any of its addresses is. [DELIV-6]
 */
import { InvalidParameter, WebhookTargets } from "@lead-signals/domain"
import { Effect, Either, Layer } from "effect"
import { type Cidr, isPermitted, parse, type Scheme } from "./Addresses.ts"
import { Resolver } from "./Resolver.ts"

export interface GuardOptions {
  /** Ranges that may be reached although they are not global, and over plain http. */
  readonly allowed: ReadonlyArray<Cidr>
}

const refused = (takes: string) => new InvalidParameter({ parameter: "url", message: `url ${takes}.` })

const notPublic = refused(
  "takes a public address; private, local and special ones are refused unless LEAD_SIGNALS_WEBHOOK_ALLOW names them"
)

const notHttps = refused("takes https; http only reaches addresses that LEAD_SIGNALS_WEBHOOK_ALLOW names")

const unresolved = refused(
  "takes https, or http with a name that can be resolved now to addresses that LEAD_SIGNALS_WEBHOOK_ALLOW names; this name can't"
)

const notQualified = refused(
  "takes a host with a dot in its name; one without only reaches addresses that LEAD_SIGNALS_WEBHOOK_ALLOW names"
)

/**
 * `scheme "://" authority path-abempty [ "?" query ] [ "#" fragment ]` (RFC 3986, 3 and 4.3). The URL parser alone takes a
 * path for the host, a backslash for a slash, and white space.
 */
const withAuthority = (() => {
  const encoded = "%[0-9A-Fa-f]{2}"
  const name = "[A-Za-z0-9\\-._~!$&'()*+,;=]"
  const host = `(?:\\[[0-9A-Fa-f:.]+\\]|(?:${name}|${encoded})+)`
  const authority = `(?:(?:${name}|:|${encoded})*@)?${host}(?::[0-9]*)?`
  const path = `(?:/(?:${name}|[:@/]|${encoded})*)?`
  const rest = `(?:${name}|[:@/?]|${encoded})*`
  return new RegExp(`^[A-Za-z][A-Za-z0-9+.-]*://${authority}${path}(?:\\?${rest})?(?:#${rest})?$`)
})()

/** The URL in its normal form, in which an address has one spelling. */
const read = (text: string): Either.Either<URL, InvalidParameter> => {
  if (/[^\x21-\x7e]/.test(text)) {
    return Either.left(
      refused("takes printable ASCII: other characters percent-encoded, and those of a host in Punycode")
    )
  }
  if (!withAuthority.test(text) || !URL.canParse(text)) {
    return Either.left(refused("takes an absolute URL, like https://example.com/hook"))
  }
  const url = new URL(text)
  if (url.protocol !== "https:" && url.protocol !== "http:") return Either.left(refused("takes https"))
  // The parser drops an empty user name or fragment, and its sign with it.
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) {
    return Either.left(refused("takes no user name and no password; the signature tells who sends"))
  }
  if (text.includes("#")) return Either.left(refused("takes no fragment"))
  if (url.port === "0") return Either.left(refused("takes a port from 1 to 65535"))
  return Either.right(url)
}

/** A name without a dot is one of the sender's own network, or of a search domain that its owner does not know. */
const isUnqualified = (hostname: string): boolean =>
  parse(hostname) === null && !hostname.replace(/\.$/, "").includes(".")

export interface Target {
  readonly scheme: Scheme
  /** As in the URL's normal form, or an address without brackets. */
  readonly hostname: string
  /** What it resolves to, or is. */
  readonly addresses: ReadonlyArray<string>
}

/** Plain http and unqualified names only go where the operator allows it. */
export const areAllPermitted = (
  { addresses, hostname, scheme }: Target,
  { allowed }: GuardOptions
): boolean => {
  const judgedAs = isUnqualified(hostname) ? "http:" : scheme
  return addresses.length > 0 && addresses.every((address) => isPermitted(address, judgedAs, allowed))
}

/** What the domain asks when a webhook is created or changed. */
export const layer = (options: GuardOptions): Layer.Layer<WebhookTargets, never, Resolver> =>
  Layer.effect(
    WebhookTargets,
    Effect.map(Resolver, (resolver) => {
      const judge = (url: URL): Effect.Effect<void, InvalidParameter> => {
        const scheme = url.protocol as Scheme
        const { hostname } = url
        const refusal = isUnqualified(hostname) ? notQualified : scheme === "http:" ? notHttps : notPublic
        const found = parse(hostname) === null ? resolver.resolve(hostname) : Effect.succeed([hostname])
        return found.pipe(
          Effect.flatMap((addresses) =>
            areAllPermitted({ scheme, hostname, addresses }, options) ? Effect.void : refusal
          ),
          // It may resolve later; but plain http and an unqualified name need to be seen to go where it is allowed.
          Effect.catchTag("Unresolvable", () =>
            isUnqualified(hostname) ? notQualified : scheme === "http:" ? unresolved : Effect.void
          )
        )
      }
      return { check: (text) => Effect.flatMap(read(text), (url) => Effect.as(judge(url), url.href)) }
    })
  )
