/** What a host measures of itself, for `GET /metrics`. */
import { Context, Effect } from "effect"

/** What `GET /metrics` answers, in Prometheus' text format; without one there are no metrics. */
export class Metrics extends Context.Reference<Metrics>()("@lead-signals/http/Metrics", {
  defaultValue: () => ({ text: Effect.succeed("") as Effect.Effect<string> })
}) {}
