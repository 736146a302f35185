/**
 * Sends webhooks from Node: posts with undici, resolves names without holding up anyone else's. `layer` is all of it.
 */
import { Effect, Either, Layer, Runtime } from "effect"
import { promises as dns } from "node:dns"
import { isIP, type LookupFunction, type Socket } from "node:net"
import { createHmac } from "node:crypto"
import { Agent, buildConnector } from "undici"
import { type Entropy, type Outbox, Retries, type WebhookTargets } from "@lead-signals/domain"
import * as Addresses from "./Addresses.ts"
import * as Emitter from "./Emitter.ts"
import { post } from "./Posting.ts"
import { Resolver, Unresolvable } from "./Resolver.ts"
import { Sender } from "./Sender.ts"
import { Hmac } from "./Signing.ts"
import * as TargetGuard from "./TargetGuard.ts"

// What types of `sender` name.
export { Sender } from "./Sender.ts"

export interface WebhookOptions extends Partial<Emitter.EmitterOptions> {
  /** Networks that webhooks may reach although they are not public, also over plain http; CIDRs, as `127.0.0.0/8`. */
  readonly allowed?: ReadonlyArray<Addresses.Cidr | string>
}

const cidrOf = (given: Addresses.Cidr | string): Addresses.Cidr =>
  typeof given === "string"
    ? Either.getOrThrowWith(Addresses.parseCidr(given), (message) => new TypeError(`${given}: ${message}`))
    : given

/**
 * What sends a store's events, and what judges their targets. It begins with the layer and stops with it. Throws a
 * `TypeError` on a network that can't be read.
 */
export const layer = ({ allowed = [], ...options }: WebhookOptions = {}): Layer.Layer<
  Emitter.Emitter | WebhookTargets,
  never,
  Outbox | Entropy
> => {
  const guard = { allowed: allowed.map(cidrOf) }
  return Layer.merge(
    Emitter.layer(options).pipe(Layer.provide([sender(guard), hmac])),
    TargetGuard.layer(guard)
  ).pipe(Layer.provide(resolver))
}

/* Signing */

/** Node's own, which takes an eighth of the time. */
export const hmac: Layer.Layer<Hmac> = Layer.succeed(Hmac, (key, text) =>
  createHmac("sha256", key).update(text, "utf8").digest()
)

/* Resolving */

/** How long a name may take in all, and how long the other family is waited for when one has answered. */
const resolveMillis = 5000
const otherFamilyMillis = 1000

/** What the name servers answer when they do not know the name, or when there are none. */
const isUnknownName = (reason: unknown): boolean =>
  ["ENOTFOUND", "ENODATA", "ECONNREFUSED"].includes(String((reason as { code?: unknown } | null)?.code))

/** The addresses that the name servers know, both families; null when they don't know the name. */
const askServers = (servers: dns.Resolver, hostname: string): Promise<ReadonlyArray<string> | null> =>
  new Promise((done) => {
    const found: Array<ReadonlyArray<string>> = [[], []]
    let open = 2
    let isUnknown = true
    const finish = (): void => {
      clearTimeout(timer)
      const addresses = found.flat()
      done(addresses.length === 0 && isUnknown && open === 0 ? null : addresses)
    }
    let timer = setTimeout(finish, resolveMillis)
    const ended = (family: number, addresses: ReadonlyArray<string>): void => {
      open--
      found[family] = addresses
      if (open === 0) finish()
      else if (addresses.length > 0) {
        clearTimeout(timer)
        timer = setTimeout(finish, otherFamilyMillis)
      }
    }
    for (const [family, answer] of [servers.resolve4(hostname), servers.resolve6(hostname)].entries()) {
      answer.then(
        (addresses) => ended(family, addresses),
        (reason: unknown) => {
          isUnknown &&= isUnknownName(reason)
          ended(family, [])
        }
      )
    }
  })

/** What the hosts file says, which only the system's own resolver reads. */
const askSystem = (hostname: string): Promise<ReadonlyArray<string>> =>
  dns.lookup(hostname, { all: true }).then(
    (all) => all.map(({ address }) => address),
    () => []
  )

/**
 * Asks the name servers without Node's four threads, which one hanging name server could take from everyone. Names that
 * no server knows may stand in the hosts file.
 */
const resolve = (hostname: string): Effect.Effect<ReadonlyArray<string>, Unresolvable> =>
  Effect.async<ReadonlyArray<string>, Unresolvable>((resume) => {
    const servers = new dns.Resolver({ timeout: resolveMillis / 2, tries: 2 })
    let isWanted = true
    void askServers(servers, hostname).then(async (found) => {
      const addresses = found ?? (isWanted ? await askSystem(hostname) : [])
      servers.cancel()
      resume(addresses.length > 0 ? Effect.succeed(addresses) : Effect.fail(new Unresolvable({ hostname })))
    })
    return Effect.sync(() => {
      isWanted = false
      servers.cancel()
    })
  })

export const resolver: Layer.Layer<Resolver> = Layer.succeed(Resolver, Resolver.of({ resolve }))

/* Dialling */

class TargetRefused extends Error {
  readonly code = "TARGET_REFUSED"
}

class NameUnresolvable extends Error {
  readonly code = "ENOTFOUND"
}

type Connector = ReturnType<typeof buildConnector>

/** How long one address of several is tried before the next: long enough for the other end of the world. */
const nextAddressMillis = 2500

/** Dials only what the guard lets through: the addresses that it has judged are the ones that are dialled. */
const guarded = (
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
      // A connection that is not there when its attempt is over is given up, also in the middle of the TLS handshake.
      timeout: Retries.attemptTimeoutMillis,
      autoSelectFamilyAttemptTimeout: nextAddressMillis,
      lookup: lookup(scheme)
    } as buildConnector.BuildOptions)
  const connectors = { "https:": connector("https:"), "http:": connector("http:") }
  return (target, callback) => {
    const scheme = target.protocol as Addresses.Scheme
    const literal = target.hostname.replace(/^\[|\]$/g, "")
    // An address is dialled without being looked up.
    const isPermitted = TargetGuard.areAllPermitted(
      { scheme, hostname: literal, addresses: [literal] },
      options
    )
    if (isIP(literal) !== 0 && !isPermitted) {
      callback(new TargetRefused(), null)
      return
    }
    // The socket is the connector's answer, which its types leave out.
    const socket = connectors[scheme](target, callback) as unknown as Socket
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  }
}

/* Posting */

/** How much of an answer's head is read. */
const greatestHeadBytes = 16 * 1024

/** Posts over connections that are kept for a while; every one that is opened is judged first. */
export const sender = (options: TargetGuard.GuardOptions): Layer.Layer<Sender, never, Resolver> =>
  Layer.scoped(
    Sender,
    Effect.gen(function* () {
      const { resolve } = yield* Resolver
      const runPromise = Runtime.runPromise(yield* Effect.runtime<never>())
      const sockets = new Set<Socket>()
      const dispatcher = yield* Effect.acquireRelease(
        Effect.sync(
          () =>
            new Agent({
              connect: guarded(options, (hostname) => runPromise(resolve(hostname)), sockets),
              maxHeaderSize: greatestHeadBytes,
              // The emitter limits the whole attempt.
              headersTimeout: 0,
              bodyTimeout: 0,
              // A receiver could ask for an hour, and for as many sockets.
              keepAliveMaxTimeout: 10_000
            })
        ),
        (agent) =>
          Effect.promise(() => {
            // The agent itself leaves those alone that are still being opened.
            for (const socket of sockets) socket.destroy()
            return agent.destroy()
          })
      )
      return Sender.of({
        post: (request) => post(dispatcher, request)
      })
    })
  )
