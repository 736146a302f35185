/**
 * The service's metrics, named by the conventions of Prometheus: seconds, and totals. No label holds personal
 * data.
 */
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
const storeFailures = Metric.counter("lead_signals_store_failures_total", {
  description: "Calls of the store that failed, by reason",
  incremental: true
})
const attempts = Metric.counter("lead_signals_delivery_attempts_total", {
  description: "Attempts of webhook deliveries, by outcome",
  incremental: true
})
const attemptSeconds = Metric.histogram(
  "lead_signals_delivery_duration_seconds",
  secondsUpTo10,
  "How long attempts of webhook deliveries took"
)
const pending = Metric.gauge("lead_signals_deliveries_pending", {
  description: "Pending webhook deliveries, those of disabled webhooks included"
})
const health = Metric.gauge("lead_signals_health", {
  description:
    "1 while it works, else 0, as /health/ready says: reads, writes, and removals, the journal of removals"
})
const observations = Metric.counter("lead_signals_observations_total", {
  description: "Observations received, by outcome",
  incremental: true
})

/**
 * A histogram with labels in its key, which finds its state at once; `Metric.tagged` would search it by its
 * labels at each update.
 */
const labelledHistogram = (key: MetricKey.MetricKey.Histogram, labels: Readonly<Record<string, string>>) =>
  Metric.fromMetricKey(
    MetricKey.taggedWithLabels(
      key,
      Object.entries(labels).map(([name, value]) => MetricLabel.make(name, value))
    )
  )

const memoized = <A>(make: (key: string) => A) => {
  const made = new Map<string, A>()
  return (key: string): A => {
    const known = made.get(key)
    if (known !== undefined) return known
    const fresh = make(key)
    made.set(key, fresh)
    return fresh
  }
}

const requestHistogram = memoized((route) =>
  memoized((method) => memoized((status) => labelledHistogram(requestSeconds, { route, method, status })))
)
const failureCounter = memoized((reason) => Metric.tagged(storeFailures, "reason", reason))
const attemptCounter = memoized((outcome) => Metric.tagged(attempts, "outcome", outcome))
const observationCounter = memoized((outcome) => Metric.tagged(observations, "outcome", outcome))

/** Counts a request, and how long it took. */
export const recordRequest = (route: string, method: string, status: string, millis: number): void =>
  requestHistogram(route)(method)(status).unsafeUpdate(millis / 1000, [])

/** Records the milliseconds of calls of one operation that end with the outcome. */
export const storeCallRecorder = (
  port: string,
  operation: string,
  outcome: "done" | "failed"
): ((millis: number) => void) => {
  // Created with the first call, because a histogram without calls would appear in `GET /metrics`.
  let histogram: Metric.Metric.Histogram<number> | undefined
  return (millis) => {
    histogram ??= labelledHistogram(storeSeconds, { port, operation, outcome })
    histogram.unsafeUpdate(millis / 1000, [])
  }
}

/** `reason` is a store's, which holds no data. */
export const recordStoreFailure = (reason: string): void => failureCounter(reason).unsafeUpdate(1, [])

/** Counts an attempt at a delivery, and how long it took. */
export const recordDeliveryAttempt = (outcome: string, millis: number): void => {
  attemptCounter(outcome).unsafeUpdate(1, [])
  attemptSeconds.unsafeUpdate(millis / 1000, [])
}

/** Counts an observation by its outcome. */
export const recordObservation = (outcome: string): void => observationCounter(outcome).unsafeUpdate(1, [])

/** Sets how many deliveries are pending. */
export const setPendingDeliveries = (deliveries: number): void => pending.unsafeUpdate(deliveries, [])

/** What `/health/ready` says of the store, and of the journal of removals where there is one. */
export const setHealth = (check: "reads" | "writes" | "removals", works: boolean): void =>
  Metric.tagged(health, "check", check).unsafeUpdate(works ? 1 : 0, [])

const defaultTracer = Effect.runSync(Effect.tracer)

/**
 * Wraps work in a span when a tracer is installed. Effect's default tracer would create a span that nothing
 * exports.
 */
export const traced =
  (name: string, options?: Tracer.SpanOptions) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiberRuntime((fiber) =>
      Context.get(fiber.getFiberRef(DefaultServices.currentServices), Tracer.Tracer) === defaultTracer
        ? work
        : (Effect.withSpan(work, name, { captureStackTrace: false, ...options }) as Effect.Effect<A, E, R>)
    )
