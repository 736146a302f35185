/** OpenTelemetry, switched on by its standard variables; without them nothing of it is loaded. */
import { Effect, Either, Layer } from "effect"
import { readOtel } from "./OtelSettings.ts"

/** `export`: what sends traces and metrics away; empty when no variable says where to. */
export const telemetry = (
  environment: Readonly<Record<string, string | undefined>>
): Either.Either<{ readonly exporting: boolean; readonly layer: Layer.Layer<never> }, string> =>
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
