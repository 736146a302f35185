import { Context, Effect } from "effect"

/**
 * Whether the server is about to stop; `/health/ready` then answers 503. A host that never drains leaves the default.
 * [HEALTH-2]
 */
export class DrainState extends Context.Reference<DrainState>()("@lead-signals/http/DrainState", {
  defaultValue: () => ({ isDraining: Effect.succeed(false) as Effect.Effect<boolean> })
}) {}
