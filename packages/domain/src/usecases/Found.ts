import { Effect, Option } from "effect"
import { NotFound } from "../model/Failure.ts"

/** The value that a store found. Fails with `NotFound`, which names the kind of the missing thing, where it found none. */
export const orNotFound = <A>(
  found: Option.Option<A>,
  resource: NotFound["resource"]
): Effect.Effect<A, NotFound> =>
  Option.match(found, { onNone: () => Effect.fail(new NotFound({ resource })), onSome: Effect.succeed })
