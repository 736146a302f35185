/** Watches requests and stores: a layer over each that times it, and makes it a span where spans are taken. */
import { Deliveries, Directory, LeadStore, Outbox, type Page, RateWindows } from "@lead-signals/domain"
import { type AnsweredRequest, Metrics, RequestObserver } from "@lead-signals/http"
import { Context, Effect, Layer } from "effect"
import * as Measures from "./Measures.ts"
import * as Prometheus from "./Prometheus.ts"

const counted = ({ durationMillis, method, route, status }: AnsweredRequest): void =>
  Measures.requestTook(route ?? "none", method, String(status ?? "aborted"), durationMillis)

const annotated = ({ method, parameters, requestId, route, status }: AnsweredRequest) =>
  Effect.ignore(
    Effect.annotateCurrentSpan({
      "http.request.method": method,
      "http.route": route ?? "none",
      ...(status === null ? {} : { "http.response.status_code": status }),
      "lead_signals.request_id": requestId,
      "lead_signals.query.shape": parameters.join(",")
    })
  )

/** Spans cost more than what they measure: they are made where they are sent somewhere. */
export const requests = (exporting: boolean): Layer.Layer<RequestObserver> =>
  Layer.succeed(
    RequestObserver,
    RequestObserver.of({
      around: (name, work) =>
        exporting ? Measures.spanned(name, { kind: "server", root: true })(work) : work,
      answered: (request) =>
        Effect.suspend(() => {
          counted(request)
          return exporting ? annotated(request) : Effect.void
        })
    })
  )

/** How long calls of one operation take, by this process's own clock, which nothing sets back. Those broken off don't count. */
const timer = (port: string, operation: string) => {
  const [done, failed] = [
    Measures.storeTimer(port, operation, "done"),
    Measures.storeTimer(port, operation, "failed")
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

/** Each method of the port that answers an effect. What waits for something to happen is no call, and stays as it is. */
const timedPort = <Port extends object>(port: string, service: Port, exporting: boolean): Port =>
  Object.fromEntries(
    Object.entries(service).map(([operation, value]) => {
      if (typeof value !== "function") return [operation, value]
      const call = value as (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>
      const timed = timer(port, operation)
      const spanned = Measures.spanned(`${port} ${operation}`)
      return [
        operation,
        exporting
          ? (...args: ReadonlyArray<unknown>) => spanned(timed(call(...args)))
          : (...args: ReadonlyArray<unknown>) => timed(call(...args))
      ]
    })
  ) as Port

type Stores = LeadStore | Outbox | Deliveries | Directory | RateWindows

const watchedOutbox = (outbox: typeof Outbox.Service): typeof Outbox.Service => ({
  ...outbox,
  record: (attempts) =>
    Effect.tap(outbox.record(attempts), (recorded) =>
      Effect.sync(() => {
        recorded.forEach(({ outcome }, i) => Measures.attempted(outcome, attempts[i]!.durationMillis))
      })
    )
})

const watchedLeads = (leads: typeof LeadStore.Service): typeof LeadStore.Service => ({
  ...leads,
  commit: (brandId, proposals, ids) =>
    Effect.tap(leads.commit(brandId, proposals, ids), (committed) =>
      Effect.sync(() => {
        for (const { outcome } of committed) Measures.observed(outcome)
      })
    )
})

/** Rate windows and the directory are asked with every request; their calls are timed with the others. */
export const stores = <E>(of: Layer.Layer<Stores, E>, exporting: boolean): Layer.Layer<Stores, E> =>
  Layer.map(of, (context) =>
    Context.empty().pipe(
      Context.add(LeadStore, timedPort("leads", watchedLeads(Context.get(context, LeadStore)), exporting)),
      Context.add(Outbox, timedPort("outbox", watchedOutbox(Context.get(context, Outbox)), exporting)),
      Context.add(Deliveries, timedPort("deliveries", Context.get(context, Deliveries), exporting)),
      Context.add(Directory, timedPort("directory", Context.get(context, Directory), exporting)),
      Context.add(RateWindows, timedPort("rateWindows", Context.get(context, RateWindows), exporting))
    )
  )

const one: Page.Page = { page: 1, pageSize: 1 }

/** Counts what waits, webhook by webhook. */
const countPending = Effect.gen(function* () {
  const [directory, deliveries] = yield* Effect.all([Directory, Deliveries])
  let pending = 0
  for (const { id } of yield* directory.brands) {
    for (const webhook of yield* directory.webhooks(id)) {
      pending += (yield* deliveries.list(webhook.id, { state: "pending", page: one })).total
    }
  }
  Measures.pendingNow(pending)
})

const countedEverySeconds = 15

/** Keeps the gauge of what waits up to date, for whoever takes metrics. */
export const queueDepth: Layer.Layer<never, never, Directory | Deliveries> = Layer.scopedDiscard(
  countPending.pipe(
    Effect.ignore,
    Effect.zipRight(Effect.sleep(countedEverySeconds * 1000)),
    Effect.forever,
    Effect.forkScoped
  )
)

/** What `GET /metrics` answers. */
export const metrics: Layer.Layer<Metrics, never, Directory | Deliveries> = Layer.effect(
  Metrics,
  Effect.map(Effect.context<Directory | Deliveries>(), (context) => ({
    text: Effect.zipRight(
      Effect.ignore(Effect.provide(countPending, context)),
      Effect.sync(() => Prometheus.text())
    )
  }))
)
