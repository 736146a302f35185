/**
 * Sends webhooks from Node: posts with undici, signs with Node's HMAC, and resolves names through name
 * servers. `layer` is all of it.
 */
import { Effect, Either, Layer, Runtime } from "effect"
import type { Socket } from "node:net"
import { createHmac, createSecretKey, type KeyObject } from "node:crypto"
import type { Agent } from "undici"
import type { Entropy, Outbox, WebhookTargets } from "@lead-signals/domain"
import * as Addresses from "./Addresses.ts"
import * as Emitter from "./Emitter.ts"
import { resolver } from "./NodeResolver.ts"
import { Resolver } from "./Resolver.ts"
import {
  type PostRequest,
  type PostResponse,
  type SendFailed,
  Sender,
  startInFibers,
  type StartPost
} from "./Sender.ts"
import { Hmac } from "./WebhookSignature.ts"
import * as TargetGuard from "./TargetGuard.ts"

// The types of `sender` refer to it.
export { Sender } from "./Sender.ts"
export { resolver, type ResolverOptions, resolverWith } from "./NodeResolver.ts"

/** The options of `layer`; each has a default. */
export interface WebhookOptions extends Partial<Emitter.EmitterOptions> {
  /**
   * Networks that webhooks may reach although they are not public, and over plain http; CIDRs, such as
   * `127.0.0.0/8`.
   */
  readonly allowed?: ReadonlyArray<Addresses.Cidr | string>
  /** The name of the setting that `allowed` comes from, for messages about refused targets. */
  readonly allowedBy?: string
}

const decodeCidr = (given: Addresses.Cidr | string): Addresses.Cidr =>
  typeof given === "string"
    ? Either.getOrThrowWith(Addresses.parseCidr(given), (message) => new TypeError(`${given}: ${message}`))
    : given

/**
 * The emitter and the target guard of a store. The emitter starts and stops with the layer. Throws a
 * `TypeError` on a malformed network.
 */
export const layer = ({ allowed = [], allowedBy, ...options }: WebhookOptions = {}): Layer.Layer<
  Emitter.Emitter | WebhookTargets,
  never,
  Outbox | Entropy
> => {
  const guard = { allowed: allowed.map(decodeCidr), ...(allowedBy === undefined ? {} : { allowedBy }) }
  return Layer.merge(
    Emitter.layer(options).pipe(Layer.provide([sender(guard), hmac])),
    TargetGuard.layer(guard)
  ).pipe(Layer.provide(resolver))
}

/**
 * A layer of `Hmac` over `node:crypto`, which takes an eighth of the time of the portable one. Node takes four times as long to
 * prepare a key as to sign a body of 2 kB with it, so prepared keys are kept as long as the bytes of theirs.
 */
export const hmac: Layer.Layer<Hmac> = Layer.sync(Hmac, () => {
  const prepared = new WeakMap<Uint8Array, KeyObject>()
  const prepare = (key: Uint8Array): KeyObject => {
    const known = prepared.get(key)
    if (known !== undefined) return known
    const made = createSecretKey(key)
    prepared.set(key, made)
    return made
  }
  return (key, text) => createHmac("sha256", prepare(key)).update(text, "utf8").digest()
})

/**
 * A sender that keeps connections for at most 10 s after a response. The guard checks each connection before
 * it opens.
 */
export const sender = (options: TargetGuard.GuardOptions): Layer.Layer<Sender, never, Resolver> =>
  Layer.scoped(
    Sender,
    Effect.gen(function* () {
      const { resolve } = yield* Resolver
      const runtime = yield* Effect.runtime<never>()
      const runPromise = Runtime.runPromise(runtime)
      const sockets = new Set<Socket>()
      let loading: Promise<Agent> | undefined
      let loaded: StartPost | undefined
      const load = (): Promise<Agent> =>
        (loading ??= Promise.all([import("./GuardedAgent.ts"), import("./UndiciPost.ts")]).then(
          ([{ guardedAgent }, { startWith }]) => {
            const agent = guardedAgent(options, (hostname) => runPromise(resolve(hostname)), sockets)
            loaded = startWith(agent)
            return agent
          }
        ))
      const posted = (start: StartPost, request: PostRequest): Effect.Effect<PostResponse, SendFailed> =>
        Effect.async((resume) => start(request, resume))
      // Only the first posts wait for the modules.
      const post = (request: PostRequest): Effect.Effect<PostResponse, SendFailed> =>
        loaded === undefined
          ? Effect.flatMap(Effect.promise(load), () => posted(loaded!, request))
          : posted(loaded, request)
      const startFirst = startInFibers(post, runtime)
      yield* Effect.addFinalizer(() =>
        Effect.promise(async () => {
          const agent = await loading
          // `destroy` leaves sockets alone that are still connecting.
          for (const socket of sockets) socket.destroy()
          await agent?.destroy()
        })
      )
      return Sender.of({ post, start: (request, onEnd) => (loaded ?? startFirst)(request, onEnd) })
    })
  )
