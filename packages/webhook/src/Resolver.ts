/** The port that resolves host names. A host, a test or a simulation can bring its own. */
import { Context, Data, type Effect } from "effect"

/** The name has no address now, or no name server answered. */
export class Unresolvable extends Data.TaggedError("Unresolvable")<{
  /** The name that was resolved. */
  readonly hostname: string
}> {}

/** The port of a host for name resolution. */
export class Resolver extends Context.Tag("@lead-signals/webhook/Resolver")<
  Resolver,
  {
    /** Resolves a name to at least one address, in the order in which they are tried. Fails with `Unresolvable`. */
    readonly resolve: (hostname: string) => Effect.Effect<ReadonlyArray<string>, Unresolvable>
  }
>() {}
