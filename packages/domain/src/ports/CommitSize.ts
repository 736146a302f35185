/** How many observations one commit takes. */
import { Context } from "effect"

/**
 * How many observations of a request are decoded and committed together. 12 unless a store's layer provides another number: a store that
 * commits on the calling thread keeps other requests waiting meanwhile. A store to which each commit is several round trips provides more.
 * [OBS-7]
 */
export class CommitSize extends Context.Reference<CommitSize>()("@lead-signals/domain/CommitSize", {
  defaultValue: () => 12
}) {}
