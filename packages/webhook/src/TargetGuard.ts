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

/** The URL in its normal form, in which an address has one spelling. */
const read = (text: string): Either.Either<URL, InvalidParameter> => {
  if (!URL.canParse(text)) return Either.left(refused("takes an absolute URL, like https://example.com/hook"))
  const url = new URL(text)
  if (url.protocol !== "https:" && url.protocol !== "http:") return Either.left(refused("takes https"))
  if (url.username !== "" || url.password !== "") {
    return Either.left(refused("takes no user name and no password; the signature tells who sends"))
  }
  if (url.hash !== "") return Either.left(refused("takes no fragment"))
  if (url.port === "0") return Either.left(refused("takes a port from 1 to 65535"))
  return Either.right(url)
}

export const areAllPermitted = (
  addresses: ReadonlyArray<string>,
  scheme: Scheme,
  { allowed }: GuardOptions
): boolean => addresses.length > 0 && addresses.every((address) => isPermitted(address, scheme, allowed))

/** What the domain asks when a webhook is created or changed. */
export const layer = (options: GuardOptions): Layer.Layer<WebhookTargets, never, Resolver> =>
  Layer.effect(
    WebhookTargets,
    Effect.map(Resolver, (resolver) => {
      const judge = (url: URL): Effect.Effect<void, InvalidParameter> => {
        const scheme = url.protocol as Scheme
        const refusal = scheme === "http:" ? notHttps : notPublic
        const addresses =
          parse(url.hostname) === null ? resolver.resolve(url.hostname) : Effect.succeed([url.hostname])
        return addresses.pipe(
          Effect.flatMap((found) => (areAllPermitted(found, scheme, options) ? Effect.void : refusal)),
          // It may resolve later; but plain http needs to be seen to go where it is allowed.
          Effect.catchTag("Unresolvable", () => (scheme === "http:" ? unresolved : Effect.void))
        )
      }
      return { check: (text) => Effect.flatMap(read(text), (url) => Effect.as(judge(url), url.href)) }
    })
  )
