/** What is counted and timed, and how it is named: by Prometheus' conventions, seconds and totals. No label holds personal data. */
import {
  Context,
  DefaultServices,
  Effect,
  Metric,
  MetricBoundaries,
  MetricKey,
  MetricLabel,
  Tracer
} from "effect"

const secondsUpTo10 = MetricBoundaries.fromIterable([
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10
])

const requestSeconds = MetricKey.histogram(
  "http_server_request_duration_seconds",
  secondsUpTo10,
  "How long requests took, by route, method and status"
)
const storeSeconds = MetricKey.histogram(
  "lead_signals_store_duration_seconds",
  secondsUpTo10,
  "How long calls of the store took, by port, operation and outcome"
)
const attempts = Metric.counter("lead_signals_delivery_attempts_total", {
  description: "Attempts of webhook deliveries, by what became of them",
  incremental: true
})
const attemptSeconds = Metric.histogram(
  "lead_signals_delivery_duration_seconds",
  secondsUpTo10,
  "How long attempts of webhook deliveries took"
)
const pending = Metric.gauge("lead_signals_deliveries_pending", {
  description: "Webhook deliveries that wait to be made, those of disabled webhooks included"
})
const observations = Metric.counter("lead_signals_observations_total", {
  description: "Observations taken in, by their outcome",
  incremental: true
})

/**
 * A histogram with its labels. Of a key that has them the metric finds its state at once; `Metric.tagged` would look for it by
 * its labels at every update.
 */
const labelled = (key: MetricKey.MetricKey.Histogram, labels: Readonly<Record<string, string>>) =>
  Metric.fromMetricKey(
    MetricKey.taggedWithLabels(
      key,
      Object.entries(labels).map(([name, value]) => MetricLabel.make(name, value))
    )
  )

/** Made once for each key. */
const cached = <A>(make: (key: string) => A) => {
  const made = new Map<string, A>()
  return (key: string): A => {
    const known = made.get(key)
    if (known !== undefined) return known
    const fresh = make(key)
    made.set(key, fresh)
    return fresh
  }
}

const requestOf = cached((route) =>
  cached((method) => cached((status) => labelled(requestSeconds, { route, method, status })))
)
const attemptOf = cached((outcome) => Metric.tagged(attempts, "outcome", outcome))
const observationOf = cached((outcome) => Metric.tagged(observations, "outcome", outcome))

export const requestTook = (route: string, method: string, status: string, millis: number): void =>
  requestOf(route)(method)(status).unsafeUpdate(millis / 1000, [])

/** For the calls of one operation of a port that end so. */
export const storeTimer = (
  port: string,
  operation: string,
  outcome: "done" | "failed"
): ((millis: number) => void) => {
  // It appears in the answers when there was such a call, and not before.
  let histogram: Metric.Metric.Histogram<number> | undefined
  return (millis) => {
    histogram ??= labelled(storeSeconds, { port, operation, outcome })
    histogram.unsafeUpdate(millis / 1000, [])
  }
}

export const attempted = (outcome: string, millis: number): void => {
  attemptOf(outcome).unsafeUpdate(1, [])
  attemptSeconds.unsafeUpdate(millis / 1000, [])
}

export const observed = (outcome: string): void => observationOf(outcome).unsafeUpdate(1, [])

export const pendingNow = (deliveries: number): void => pending.unsafeUpdate(deliveries, [])

const native = Effect.runSync(Effect.tracer)

/** A span, where somebody takes spans; Effect's own tracer would make one that nobody ever sees. */
export const spanned =
  (name: string, options?: Tracer.SpanOptions) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiberRuntime((fiber) =>
      Context.get(fiber.getFiberRef(DefaultServices.currentServices), Tracer.Tracer) === native
        ? work
        : (Effect.withSpan(work, name, { captureStackTrace: false, ...options }) as Effect.Effect<A, E, R>)
    )
