/** The service's own metrics. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect } from "effect"
import { Metrics } from "../Metrics.ts"
import { operatorEndpoint } from "./OperatorEndpoint.ts"

/** Prometheus' text format. */
const contentType = "text/plain; version=0.0.4; charset=utf-8"

const answer = "Counters, gauges and histograms, one sample a line"

/** GET /metrics, in the format of Prometheus. Needs the scope read, or metrics. */
export const metricsPage = {
  metrics: operatorEndpoint(
    HttpApiEndpoint.get("metrics", "/metrics").addSuccess(
      HttpApiSchema.Text({ contentType }).annotations({ description: answer })
    ),
    {
      // Readers of leads scraped before there was a scope for it.
      scope: "read",
      orScope: "metrics",
      summary: "The service's metrics, for Prometheus",
      description:
        "Requests by route and status, calls of the store, observations, delivery attempts and pending deliveries, in Prometheus' text format: in seconds, and as totals since the process began. It holds no personal data. The scope `metrics` opens it, too, and nothing else.",
      answer,
      handle: () =>
        Effect.flatMap(Metrics, ({ text }) =>
          Effect.map(text, (page) => HttpServerResponse.text(page, { contentType }))
        )
    }
  )
}
