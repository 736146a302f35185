/** Layers over the HTTP API and the store ports that record metrics, and spans when traces are exported. */
import { Deliveries, Directory, LeadStore, Outbox, type Page, RateWindows } from "@lead-signals/domain"
import { type AnsweredRequest, Metrics as MetricsEndpoint, RequestObserver } from "@lead-signals/http"
import { Context, Effect, Layer } from "effect"
import * as Metrics from "./Metrics.ts"
import * as Prometheus from "./Prometheus.ts"

const recordRequestMetrics = ({ durationMillis, method, route, status }: AnsweredRequest): void =>
  Metrics.recordRequest(route ?? "none", method, String(status ?? "aborted"), durationMillis)

const annotateSpan = ({ method, parameters, requestId, route, status }: AnsweredRequest) =>
  Effect.ignore(
    Effect.annotateCurrentSpan({
      "http.request.method": method,
      "http.route": route ?? "none",
      ...(status === null ? {} : { "http.response.status_code": status }),
      "lead_signals.request_id": requestId,
      "lead_signals.query.shape": parameters.join(",")
    })
  )

/** Creates spans only when they are exported: they cost more than the work that they measure. */
export const requests = (exporting: boolean): Layer.Layer<RequestObserver> =>
  Layer.succeed(
    RequestObserver,
    RequestObserver.of({
      around: (name, work) => (exporting ? Metrics.traced(name, { kind: "server", root: true })(work) : work),
      answered: (request) =>
        Effect.suspend(() => {
          recordRequestMetrics(request)
          return exporting ? annotateSpan(request) : Effect.void
        })
    })
  )

/** Times the calls of one operation by a monotonic clock. Interrupted calls are not recorded as done. */
const timedCalls = (port: string, operation: string) => {
  const [done, failed] = [
    Metrics.storeCallRecorder(port, operation, "done"),
    Metrics.storeCallRecorder(port, operation, "failed")
  ]
  return <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const startedAt = performance.now()
      return Effect.matchCauseEffect(work, {
        onFailure: (cause) => {
          failed(performance.now() - startedAt)
          return Effect.failCause(cause)
        },
        onSuccess: (answer) => {
          done(performance.now() - startedAt)
          return Effect.succeed(answer)
        }
      })
    })
}

/**
 * Times each method of the port that returns an effect. Effects that are no methods wait for something to
 * happen, and stay as they are.
 */
const timedPort = <Port extends object>(port: string, service: Port, exporting: boolean): Port =>
  Object.fromEntries(
    Object.entries(service).map(([operation, value]) => {
      if (typeof value !== "function") return [operation, value]
      const call = value as (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>
      const timed = timedCalls(port, operation)
      const traced = Metrics.traced(`${port} ${operation}`)
      return [
        operation,
        exporting
          ? (...args: ReadonlyArray<unknown>) => traced(timed(call(...args)))
          : (...args: ReadonlyArray<unknown>) => timed(call(...args))
      ]
    })
  ) as Port

type Stores = LeadStore | Outbox | Deliveries | Directory | RateWindows

const meteredOutbox = (outbox: typeof Outbox.Service): typeof Outbox.Service => ({
  ...outbox,
  record: (attempts) =>
    Effect.tap(outbox.record(attempts), (recorded) =>
      Effect.sync(() => {
        recorded.forEach(({ outcome }, i) =>
          Metrics.recordDeliveryAttempt(outcome, attempts[i]!.durationMillis)
        )
      })
    )
})

const meteredLeads = (leads: typeof LeadStore.Service): typeof LeadStore.Service => ({
  ...leads,
  commit: (brandId, proposals, ids) =>
    Effect.tap(leads.commit(brandId, proposals, ids), (committed) =>
      Effect.sync(() => {
        for (const { outcome } of committed) Metrics.recordObservation(outcome)
      })
    )
})

/** Instruments all store ports, including those that every request calls. */
export const stores = <E>(of: Layer.Layer<Stores, E>, exporting: boolean): Layer.Layer<Stores, E> =>
  Layer.map(of, (context) =>
    Context.empty().pipe(
      Context.add(LeadStore, timedPort("leads", meteredLeads(Context.get(context, LeadStore)), exporting)),
      Context.add(Outbox, timedPort("outbox", meteredOutbox(Context.get(context, Outbox)), exporting)),
      Context.add(Deliveries, timedPort("deliveries", Context.get(context, Deliveries), exporting)),
      Context.add(Directory, timedPort("directory", Context.get(context, Directory), exporting)),
      Context.add(RateWindows, timedPort("rateWindows", Context.get(context, RateWindows), exporting))
    )
  )

const firstOnly: Page.Page = { page: 1, pageSize: 1 }

/** Sums the pending deliveries of all webhooks. */
const countPending = Effect.gen(function* () {
  const [directory, deliveries] = yield* Effect.all([Directory, Deliveries])
  let pending = 0
  for (const { id } of yield* directory.brands) {
    for (const webhook of yield* directory.webhooks(id)) {
      pending += (yield* deliveries.list(webhook.id, { state: "pending", page: firstOnly })).total
    }
  }
  Metrics.setPendingDeliveries(pending)
})

const queueDepthIntervalSeconds = 15

/** Updates the gauge of pending deliveries every 15 s, for exporters of metrics. */
export const queueDepth: Layer.Layer<never, never, Directory | Deliveries> = Layer.scopedDiscard(
  countPending.pipe(
    Effect.ignore,
    Effect.zipRight(Effect.sleep(queueDepthIntervalSeconds * 1000)),
    Effect.forever,
    Effect.forkScoped
  )
)

/** The text that `GET /metrics` returns. */
export const metrics: Layer.Layer<MetricsEndpoint, never, Directory | Deliveries> = Layer.effect(
  MetricsEndpoint,
  Effect.map(Effect.context<Directory | Deliveries>(), (context) => ({
    text: Effect.zipRight(
      Effect.ignore(Effect.provide(countPending, context)),
      Effect.sync(() => Prometheus.render())
    )
  }))
)
