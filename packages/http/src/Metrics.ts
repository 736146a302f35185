/** What a host measures of itself, for `GET /metrics`. */
import { Context, Effect } from "effect"

/** The answer to `GET /metrics` in Prometheus' text format. The default has no metrics. */
export class Metrics extends Context.Reference<Metrics>()("@lead-signals/http/Metrics", {
  defaultValue: () => ({ text: Effect.succeed("") as Effect.Effect<string> })
}) {}
