/** Methods of the store as calls on a world of their own, and what runs them: for tests of interleaved transactions. */
import { type StorePorts, WebhookTargets } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import { Clock, Effect, Layer, ManagedRuntime } from "effect"

/** The instant at which all calls happen. */
export const now = Date.UTC(2026, 0, 1)
export const stillClock: Clock.Clock = {
  [Clock.ClockTypeId]: Clock.ClockTypeId,
  unsafeCurrentTimeMillis: () => now,
  unsafeCurrentTimeNanos: () => BigInt(now) * 1_000_000n,
  currentTimeMillis: Effect.succeed(now),
  currentTimeNanos: Effect.succeed(BigInt(now) * 1_000_000n),
  sleep: () => Effect.void
}
const anyTarget = Layer.succeed(WebhookTargets, { check: (url: string) => Effect.succeed(url) })
export const runtimeOf = (store: Layer.Layer<StorePorts, unknown>) =>
  ManagedRuntime.make(Layer.mergeAll(store, webCrypto, anyTarget))
export type Needs = ManagedRuntime.ManagedRuntime.Context<ReturnType<typeof runtimeOf>>

/** Methods of the store that are stepped against each other, and what they work on. */
export interface MethodGroup<World extends { readonly brand: { readonly id: string } }> {
  /** Each method as one call on a world; `call` tells the calls of one run apart. */
  readonly methods: Readonly<
    Record<string, (world: World, call: string) => Effect.Effect<unknown, unknown, Needs>>
  >
  readonly createWorld: Effect.Effect<World, unknown, Needs>
  /** Queries for what shows of the brand `$1`, without what only the order of calls decides. */
  readonly tables: (schema: string) => Readonly<Record<string, string>>
}
