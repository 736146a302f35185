/** Whether the process lives, and whether it can serve. No key is needed. [HEALTH-1, HEALTH-2] */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { UnavailableFailure } from "./Failures.ts"

/** `/health` tells the status alone. */
const Health = Schema.Struct({
  status: Schema.Literal("ok", "degraded"),
  reads: Schema.optional(Schema.Boolean),
  writes: Schema.optional(Schema.Boolean),
  reason: Schema.optional(Schema.NullOr(Schema.String))
}).annotations({ identifier: "Health" })

export type Health = typeof Health.Type

export const HealthApi = HttpApiGroup.make("health", { topLevel: true })
  .add(
    HttpApiEndpoint.get("health", "/health").addSuccess(Health).annotate(OpenApi.Summary, "The process lives")
  )
  .add(
    HttpApiEndpoint.get("ready", "/health/ready")
      .addSuccess(Health)
      .addError(UnavailableFailure)
      .annotate(OpenApi.Summary, "The store answers and the server takes requests")
  )
  .annotate(OpenApi.Title, "Health")
  .annotate(OpenApi.Description, "For whoever keeps the service running")
