/** What a real host adds to the API: clients that may be slow. */
import { Effect } from "effect"
import { BodyPace, defaultLimits } from "./BodyPace.ts"

/** Limits that the host has set itself stay. */
export const hosted = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(BodyPace, ({ limits }) =>
    Effect.provideService(work, BodyPace, { limits: limits ?? defaultLimits })
  ) as Effect.Effect<A, E, R>
