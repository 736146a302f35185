/** Whether the process lives, and whether it can serve. No key is needed. [HEALTH-1, HEALTH-2] */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { UnavailableFailure } from "./Failures.ts"

const Ok = Schema.Struct({ status: Schema.Literal("ok") }).annotations({ identifier: "Health" })

export const HealthApi = HttpApiGroup.make("health", { topLevel: true })
  .add(HttpApiEndpoint.get("health", "/health").addSuccess(Ok).annotate(OpenApi.Summary, "The process lives"))
  .add(
    HttpApiEndpoint.get("ready", "/health/ready")
      .addSuccess(Ok)
      .addError(UnavailableFailure)
      .annotate(OpenApi.Summary, "The store answers and the server takes requests")
  )
  .annotate(OpenApi.Title, "Health")
  .annotate(OpenApi.Description, "For whoever keeps the service running")
