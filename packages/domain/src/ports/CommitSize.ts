/** The number of observations in one commit. */
import { Context } from "effect"

/**
 * How many observations of a request are decoded and committed together. The default is 12, because a store that commits on the calling thread
 * keeps other requests waiting during a commit. The layer of a store for which each commit is several round trips provides a greater number.
 * [OBS-7]
 */
export class CommitSize extends Context.Reference<CommitSize>()("@lead-signals/domain/CommitSize", {
  defaultValue: () => 12
}) {}
