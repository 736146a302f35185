/** OpenTelemetry export, enabled by its standard variables. Without them no exporter is loaded. */
import { Effect, Either, Layer } from "effect"
import type { Environment } from "../Variables.ts"
import { readOtel } from "./OtelSettings.ts"

/** Whether and how traces and metrics are exported. */
export interface Telemetry {
  readonly exporting: boolean
  /** The exporters; empty when nothing is exported. */
  readonly layer: Layer.Layer<never>
}

/** Left: the message of the first malformed variable. */
export const telemetry = (environment: Environment): Either.Either<Telemetry, string> =>
  Either.map(readOtel(environment, { serviceName: "lead-signals" }), (settings) => {
    const exporting = settings.traces !== null || settings.metrics !== null
    return {
      exporting,
      layer: exporting
        ? Layer.unwrapEffect(
            Effect.map(
              Effect.promise(() => import("./Otlp.ts")),
              ({ layer }) => layer(settings)
            )
          )
        : Layer.empty
    }
  })
