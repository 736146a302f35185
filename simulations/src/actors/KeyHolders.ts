/** Keys come and go: one is made, used, revoked while it is used, and tried again; another is used too much. */
import type { Query } from "@lead-signals/store-contract/reference"
import { Effect } from "effect"
import type { Action } from "../plan/Plan.ts"
import type { KnownKey, StagedBrand } from "../world/Ledger.ts"
import { type Ask, type Caller, once, persistently, type Stage, succeeding } from "./Stage.ts"

export const makeKey = (
  stage: Stage,
  caller: Caller,
  brandId: string,
  requestsPerMinute: number
): Effect.Effect<KnownKey> =>
  Effect.map(
    succeeding(stage, caller, {
      method: "POST",
      route: "/operator/brands/{brandId}/keys",
      params: { brandId },
      body: { label: caller.label, requestsPerMinute },
      brand: null,
      meaning: { means: "make" }
    }),
    ({ data }) => ({ id: data.id, value: data.key, requestsPerMinute, revokingAt: null, revokedAt: null })
  )

const query: Query = {
  filter: {},
  field: "createdAt",
  direction: "desc",
  page: 1,
  pageSize: 5,
  engagements: "none"
}

const use = (brand: StagedBrand, key: KnownKey): Ask => ({
  route: "/signals/leads",
  query: "pageSize=5",
  brand,
  key,
  meaning: { means: "list", query }
})

export const key = (
  stage: Stage,
  caller: Caller,
  brand: StagedBrand,
  { revokeMillis, useMillis }: Extract<Action, { do: "key" }>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { ledger, world } = stage
    const made = yield* makeKey(stage, caller, brand.id, 60)
    const uses = useMillis.map((millis, i) =>
      Effect.zipRight(
        Effect.sleep(millis),
        Effect.ignore(once(stage, { ...caller, label: `${caller.label} use ${i}` }, use(brand, made)))
      )
    )
    const revoke = Effect.gen(function* () {
      yield* Effect.sleep(revokeMillis)
      made.revokingAt = world.kernel.now
      const { status } = yield* persistently(
        stage,
        { ...caller, label: `${caller.label} revoke` },
        {
          method: "DELETE",
          route: "/operator/brands/{brandId}/keys/{keyId}",
          params: { brandId: brand.id, keyId: made.id },
          brand,
          meaning: { means: "revoke", key: made }
        }
      )
      if (status !== 204) ledger.violate("calls succeed", `a revocation was answered ${status}`)
      made.revokedAt = world.kernel.now
      ledger.marks.add("a key was revoked")
      // Whoever still has it tries it at once.
      yield* Effect.ignore(once(stage, { ...caller, label: `${caller.label} after` }, use(brand, made)))
    })
    yield* Effect.all([...uses, revoke], { concurrency: "unbounded", discard: true })
  })

export const burst = (
  stage: Stage,
  caller: Caller,
  brand: StagedBrand,
  { gapMillis, requests }: Extract<Action, { do: "burst" }>
): Effect.Effect<void> =>
  Effect.forEach(
    Array.from({ length: requests }, (_, i) => i),
    (i) =>
      Effect.zipRight(
        Effect.sleep(i * gapMillis),
        Effect.ignore(
          once(stage, { ...caller, label: `${caller.label} shot ${i}` }, use(brand, brand.limitedKey))
        )
      ),
    { concurrency: "unbounded", discard: true }
  )
