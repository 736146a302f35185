import type { Effect } from "effect"
import type { StoreUnavailable } from "../model/Failure.ts"

/** The result of a store's method. It fails with `StoreUnavailable` while the store can't answer. */
export type StoreEffect<A> = Effect.Effect<A, StoreUnavailable>
