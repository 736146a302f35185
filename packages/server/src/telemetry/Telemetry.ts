/** OpenTelemetry, switched on by its standard variables; without them nothing of it is loaded. */
import { Effect, Either, Layer } from "effect"
import { readOtel } from "./OtelSettings.ts"

/** Where traces and metrics are sent, if anywhere. */
export interface Telemetry {
  readonly exporting: boolean
  /** What sends them. */
  readonly layer: Layer.Layer<never>
}

/** Left: which variable can't be read, and what it takes. */
export const telemetry = (
  environment: Readonly<Record<string, string | undefined>>
): Either.Either<Telemetry, string> =>
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
