import { Schema } from "effect"
import { flag, oneOf, optionalField } from "./Fields.ts"

/** `/health` gives the status alone. */
export const HealthBody = Schema.Struct({
  status: oneOf(
    ["ok", "degraded"],
    "degraded while nothing can be written; all else that is wrong is another HTTP status"
  ),
  reads: Schema.optional(flag("Whether what is there can be read; on /health/ready only", true)),
  writes: Schema.optional(flag("Whether anything can be written; on /health/ready only", true)),
  reason: optionalField(
    Schema.NullOr(Schema.String),
    "Why nothing can be written; null while it can, on /health/ready only",
    null
  )
}).annotations({ identifier: "Health", description: "That the service answers" })
