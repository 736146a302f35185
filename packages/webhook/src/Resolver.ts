/** The port that resolves host names. A host, a test or a simulation can bring its own. */
import { Context, Data, type Effect } from "effect"

/** The name has no address now, or no name server answered. */
export class Unresolvable extends Data.TaggedError("Unresolvable")<{ readonly hostname: string }> {}

export class Resolver extends Context.Tag("@lead-signals/webhook/Resolver")<
  Resolver,
  {
    /** Returns at least one address, in the order in which they are tried. */
    readonly resolve: (hostname: string) => Effect.Effect<ReadonlyArray<string>, Unresolvable>
  }
>() {}
