import { Schema } from "effect"

/** `/health` gives the status alone. */
export const HealthBody = Schema.Struct({
  status: Schema.Literal("ok", "degraded"),
  reads: Schema.optional(Schema.Boolean),
  writes: Schema.optional(Schema.Boolean),
  reason: Schema.optional(Schema.NullOr(Schema.String))
}).annotations({ identifier: "Health" })
