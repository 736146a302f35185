import { Context, Effect } from "effect"

/** Whether the server is on its way out; a host that never drains leaves the default. */
export class Draining extends Context.Reference<Draining>()("@lead-signals/http/Draining", {
  defaultValue: () => ({ isDraining: Effect.succeed(false) as Effect.Effect<boolean> })
}) {}
