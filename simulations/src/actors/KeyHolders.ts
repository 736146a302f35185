/** Keys come and go: one is made, used, revoked while it is used, and tried again; another is used too much. */
import { Effect } from "effect"
import type { Action } from "../plan/Plan.ts"
import type { KnownKey, KnownBrand } from "../world/KnownFacts.ts"
import { type ActorContext, type Caller, once, persistently, succeeding } from "./ActorContext.ts"
import { firstLeads } from "./OperatorCalls.ts"

/** Creates a key, and tries again until there is an answer: a key whose answer was lost stays unused. */
export const makeKey = (
  context: ActorContext,
  caller: Caller,
  brandId: string,
  requestsPerMinute: number
): Effect.Effect<KnownKey> =>
  Effect.map(
    succeeding(context, caller, {
      method: "POST",
      route: "/operator/brands/{brandId}/keys",
      params: { brandId },
      body: { label: caller.label, requestsPerMinute },
      brand: null,
      meaning: { means: "make" }
    }),
    ({ data }) => ({ id: data.id, value: data.key, requestsPerMinute, revokingAt: null, revokedAt: null })
  )

/** Creates a key of 60 requests a minute and uses it at the given times, while it is revoked at another; afterwards it must open nothing. */
export const key = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  { revokeMillis, useMillis }: Extract<Action, { do: "key" }>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { facts, world } = context
    const made = yield* makeKey(context, caller, brand.id, 60)
    const uses = useMillis.map((millis, i) =>
      Effect.zipRight(
        Effect.sleep(millis),
        Effect.ignore(
          once(context, { ...caller, label: `${caller.label} use ${i}` }, firstLeads(brand, made))
        )
      )
    )
    const revoke = Effect.gen(function* () {
      yield* Effect.sleep(revokeMillis)
      made.revokingAt = world.kernel.now
      const { status } = yield* persistently(
        context,
        { ...caller, label: `${caller.label} revoke` },
        {
          method: "DELETE",
          route: "/operator/brands/{brandId}/keys/{keyId}",
          params: { brandId: brand.id, keyId: made.id },
          brand,
          meaning: { means: "revoke", key: made }
        }
      )
      if (status !== 204) facts.violate("calls succeed", `a revocation was answered ${status}`)
      made.revokedAt = world.kernel.now
      facts.coverageMarks.add("a key was revoked")
      // A holder that still has the key tries it at once.
      yield* Effect.ignore(
        once(context, { ...caller, label: `${caller.label} after` }, firstLeads(brand, made))
      )
    })
    yield* Effect.all([...uses, revoke], { concurrency: "unbounded", discard: true })
  })

/** Sends many requests with one key, to use up its window: a new key with `limit`, else the brand's limited one. */
export const burst = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  { gapMillis, limit, requests }: Extract<Action, { do: "burst" }>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const key =
      limit === undefined
        ? brand.limitedKey
        : yield* makeKey(context, { ...caller, label: `${caller.label} key` }, brand.id, limit)
    if (limit !== undefined) context.facts.coverageMarks.add("a key with a limit of hundreds was used up")
    yield* Effect.forEach(
      Array.from({ length: requests }, (_, i) => i),
      (i) =>
        Effect.zipRight(
          Effect.sleep(i * gapMillis),
          Effect.ignore(
            once(context, { ...caller, label: `${caller.label} shot ${i}` }, firstLeads(brand, key))
          )
        ),
      { concurrency: "unbounded", discard: true }
    )
  })
