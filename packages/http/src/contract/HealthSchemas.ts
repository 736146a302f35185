import { Schema } from "effect"
import { flag, oneOf, optionalField } from "./Fields.ts"

/** `/health` gives the status alone. */
export const HealthBody = Schema.Struct({
  status: oneOf(
    ["ok", "degraded"],
    "degraded while the store can't write; any other problem has another HTTP status"
  ),
  reads: Schema.optional(flag("Whether the service can read; on /health/ready only", true)),
  writes: Schema.optional(flag("Whether the service can write; on /health/ready only", true)),
  reason: optionalField(
    Schema.NullOr(Schema.String),
    "Why the service can't write; null while it can, on /health/ready only",
    null
  )
}).annotations({ identifier: "Health", description: "The service answers" })
