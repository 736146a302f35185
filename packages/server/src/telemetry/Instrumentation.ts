/** Layers over the HTTP API and the store ports that record metrics, and spans when traces are exported. */
import {
  BrandStore,
  Deliveries,
  LeadStore,
  type Operation,
  Outbox,
  type Page,
  StoreHealth,
  type StorePortName,
  type StorePorts,
  storePorts,
  type StoreStatus,
  StoreUnavailable,
  WebhookStore
} from "@lead-signals/domain"
import { type AnsweredRequest, Metrics as MetricsEndpoint, RequestObserver } from "@lead-signals/http"
import { Cause, Context, Effect, Layer, Option } from "effect"
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
          const failure = Option.getOrUndefined(Cause.failureOption(cause))
          if (failure instanceof StoreUnavailable) Metrics.recordStoreFailure(failure.reason)
          return Effect.failCause(cause)
        },
        onSuccess: (answer) => {
          done(performance.now() - startedAt)
          return Effect.succeed(answer)
        }
      })
    })
}

type Member = Effect.Effect<unknown> | ((...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>)

/** Times each method of the port. A method that waits for something to happen does not call the store, and stays as it is. */
const timedPort = (port: StorePortName, service: object, exporting: boolean): object =>
  Object.fromEntries(
    Object.entries<Operation>(storePorts[port].operations).flatMap(([method, operation]) => {
      const member = Reflect.get(service, method) as Member | undefined
      // A store may leave out what is optional.
      if (member === undefined) return []
      if (operation === "wait") return [[method, member]]
      const timed = timedCalls(port, method)
      const traced = Metrics.traced(`${port} ${method}`)
      const measured = (work: Effect.Effect<unknown>) => (exporting ? traced(timed(work)) : timed(work))
      const instrumented =
        typeof member === "function"
          ? (...args: ReadonlyArray<unknown>) => measured(Reflect.apply(member, service, args))
          : measured(member)
      return [[method, instrumented]]
    })
  )

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

const metered = (store: Context.Context<StorePorts>): Context.Context<StorePorts> =>
  store.pipe(
    Context.add(LeadStore, meteredLeads(Context.get(store, LeadStore))),
    Context.add(Outbox, meteredOutbox(Context.get(store, Outbox)))
  )

/** Instruments all store ports, including those that every request calls. */
export const stores = <E>(of: Layer.Layer<StorePorts, E>, exporting: boolean): Layer.Layer<StorePorts, E> =>
  Layer.map(of, (store) =>
    (Object.keys(storePorts) as ReadonlyArray<StorePortName>).reduce((timed, port) => {
      const tag = storePorts[port] as Context.Tag<StorePorts, object>
      return Context.add(timed, tag, timedPort(port, Context.get(timed, tag), exporting))
    }, metered(store))
  )

const firstOnly: Page.Page = { page: 1, pageSize: 1 }

/** Sums the pending deliveries of all webhooks. */
const countPending = Effect.gen(function* () {
  const [brandStore, webhookStore, deliveries] = yield* Effect.all([BrandStore, WebhookStore, Deliveries])
  let pending = 0
  for (const { id } of yield* brandStore.list) {
    for (const webhook of yield* webhookStore.list(id)) {
      pending += (yield* deliveries.list(webhook.id, { state: "pending", page: firstOnly })).total
    }
  }
  Metrics.setPendingDeliveries(pending)
})

/** Looks whether the store works, as `/health/ready` does. */
const measureHealth = Effect.gen(function* () {
  const { check } = yield* StoreHealth
  const status = yield* Effect.option(check)
  const { journalProblem, writeProblem } = Option.getOrElse(status, (): StoreStatus => ({
    writeProblem: "the store can't be read"
  }))
  Metrics.setHealth("reads", Option.isSome(status))
  Metrics.setHealth("writes", writeProblem === null)
  if (journalProblem !== undefined) Metrics.setHealth("removals", journalProblem === null)
})

type Measured = BrandStore | WebhookStore | Deliveries | StoreHealth

const measure: Effect.Effect<void, never, Measured> = Effect.zipRight(
  Effect.ignore(countPending),
  measureHealth
)

const measureIntervalSeconds = 15

/** Updates the gauges of the store every 15 s, for exporters of metrics. */
export const storeGauges: Layer.Layer<never, never, Measured> = Layer.scopedDiscard(
  measure.pipe(
    // A defect of the store leaves the gauges as they are until the next time.
    Effect.catchAllDefect(() => Effect.void),
    Effect.zipRight(Effect.sleep(measureIntervalSeconds * 1000)),
    Effect.forever,
    Effect.forkScoped
  )
)

/** The text that `GET /metrics` returns. */
export const metrics: Layer.Layer<MetricsEndpoint, never, Measured> = Layer.effect(
  MetricsEndpoint,
  Effect.map(Effect.context<Measured>(), (context) => ({
    text: Effect.zipRight(
      Effect.provide(measure, context),
      Effect.sync(() => Prometheus.render())
    )
  }))
)
