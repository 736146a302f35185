import { Effect, Option } from "effect"
import { NotFound } from "../model/Failure.ts"

/** What a store has, or the failure that says of what kind the missing thing is. */
export const orNotFound = <A>(
  found: Option.Option<A>,
  resource: NotFound["resource"]
): Effect.Effect<A, NotFound> =>
  Option.match(found, { onNone: () => Effect.fail(new NotFound({ resource })), onSome: Effect.succeed })
