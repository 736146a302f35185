/** What a real host adds to the API: an event loop that others wait for, and clients that may be slow. */
import { Effect } from "effect"
import { BodyPace, defaultLimits } from "./BodyPace.ts"
import { EventLoop, ofHost } from "./EventLoop.ts"

/** Limits that the host has set itself stay. */
export const hosted = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(BodyPace, ({ limits }) =>
    work.pipe(
      Effect.provideService(BodyPace, { limits: limits ?? defaultLimits }),
      Effect.provideService(EventLoop, ofHost)
    )
  ) as Effect.Effect<A, E, R>
