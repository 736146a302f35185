/** The OTLP exporters of traces and metrics. Imported only when there is something to export to. */
import * as OtlpMetrics from "@effect/opentelemetry/OtlpMetrics"
import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import * as OtlpTracer from "@effect/opentelemetry/OtlpTracer"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { ConfigProvider, type Context, Duration, Effect, type Exit, Layer, type Option, Tracer } from "effect"
import type { Sampler, Signal, OtelSettings } from "./OtelSettings.ts"

/**
 * A span that is not exported. It has ids, so that calls to other services can pass on that the trace is not
 * sampled.
 */
class UnsampledSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly sampled = false
  readonly attributes = new Map<string, unknown>()
  readonly links: ReadonlyArray<Tracer.SpanLink> = []
  status: Tracer.SpanStatus
  readonly name: string
  readonly spanId: string
  readonly traceId: string
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly context: Context.Context<never>
  readonly kind: Tracer.SpanKind
  constructor(of: Tracer.Span) {
    this.name = of.name
    this.spanId = of.spanId
    this.traceId = of.traceId
    this.parent = of.parent
    this.context = of.context
    this.kind = of.kind
    this.status = of.status
  }
  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    this.status = { _tag: "Ended", startTime: this.status.startTime, endTime, exit }
  }
  attribute(): void {}
  event(): void {}
  addLinks(): void {}
}

/**
 * Adds sampling, which OtlpTracer 0.64.1 lacks: it exports every span, even below a parent that is not
 * sampled.
 */
const withSampler = (tracer: Tracer.Tracer, { isParentBased, ratio }: Sampler): Tracer.Tracer =>
  Tracer.make({
    span: (name, parent, context, links, startTime, kind, options) => {
      // The inner tracer creates the span for its trace id, and exports nothing before the span ends.
      const span = tracer.span(name, parent, context, links, startTime, kind, options)
      const isLocal = parent._tag === "Some" && parent.value._tag === "Span"
      const isSampled =
        parent._tag === "Some" && (isLocal || isParentBased)
          ? parent.value.sampled
          : ratio >= 1 || parseInt(span.traceId.slice(-13), 16) / 2 ** 52 < ratio
      return isSampled ? span : new UnsampledSpan(span)
    },
    context: (f, fiber) => tracer.context(f, fiber)
  })

interface TracesData {
  readonly resourceSpans: ReadonlyArray<{
    readonly scopeSpans: ReadonlyArray<{
      readonly spans: ReadonlyArray<{
        readonly status: { readonly code: number; message?: string }
        attributes: Array<{ readonly key: string }>
        readonly events: ReadonlyArray<{ attributes: Array<{ readonly key: string }> }>
      }>
    }>
  }>
}

/** Attributes with the text of a failure, which may quote personal data. [PII-2] */
const failureTextAttributes = new Set(["exception.message", "exception.stacktrace"])

/**
 * Removes the texts of failures, and the interrupted status that OtlpTracer 0.64.1 sets on each span that
 * failed.
 */
const withoutFailureTexts = (data: TracesData): TracesData => {
  for (const span of data.resourceSpans.flatMap((each) => each.scopeSpans).flatMap((each) => each.spans)) {
    if (span.status.code !== 2) continue
    span.attributes = span.attributes.filter(
      ({ key }) => key !== "span.label" && key !== "status.interrupted"
    )
    delete span.status.message
    for (const event of span.events) {
      event.attributes = event.attributes.filter(({ key }) => !failureTextAttributes.has(key))
    }
  }
  return data
}

const serialization = (protocol: Signal["protocol"]) =>
  Layer.effect(
    OtlpSerialization.OtlpSerialization,
    Effect.map(OtlpSerialization.OtlpSerialization, (inner) => ({
      ...inner,
      traces: (data: unknown) => inner.traces(withoutFailureTexts(data as TracesData))
    }))
  ).pipe(
    Layer.provide(protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf)
  )

/** Requests that wait for the collector at once, at most: each holds a batch of spans. */
const maxWaiting = 64

/** A failure that the exporter does not try again: it drops what was sent, and sends nothing for a minute. */
const givenUp = (request: HttpClientRequest.HttpClientRequest, description: string) =>
  new HttpClientError.RequestError({ request, reason: "Encode", description })

const tooManyRequests = 429

/**
 * The exporter has no timeout of its own, sends each batch beside those that wait, and holds one that was refused with 429 for as long as
 * `Retry-After` says, a day if need be: a collector that is slow or refuses would fill the memory.
 */
const client = (timeoutMillis: number) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (inner) => {
      let waiting = 0
      return HttpClient.transform(inner, (effect, request) =>
        Effect.suspend(() => {
          if (waiting >= maxWaiting) return Effect.fail(givenUp(request, "the collector is slow"))
          waiting++
          return effect.pipe(
            Effect.timeoutFail({
              duration: Duration.millis(timeoutMillis),
              onTimeout: () =>
                new HttpClientError.RequestError({ request, reason: "Transport", description: "timed out" })
            }),
            Effect.filterOrFail(
              ({ status }) => status !== tooManyRequests,
              () => givenUp(request, "the collector takes no more")
            ),
            Effect.ensuring(Effect.sync(() => waiting--))
          )
        })
      )
    })
  ).pipe(Layer.provide(FetchHttpClient.layer))

/** Exports traces and metrics as the settings say, until the scope closes. */
export const layer = ({ traces, metrics, resource }: OtelSettings): Layer.Layer<never> => {
  const tracing =
    traces === null
      ? Layer.empty
      : Layer.unwrapScoped(
          Effect.map(
            OtlpTracer.make({
              url: traces.url,
              headers: traces.headers,
              resource,
              exportInterval: Duration.millis(traces.delayMillis),
              maxBatchSize: traces.batch
            }),
            (tracer) => Layer.setTracer(withSampler(tracer, traces.sampler))
          )
        ).pipe(Layer.provide([serialization(traces.protocol), client(traces.timeoutMillis)]))
  const measuring =
    metrics === null
      ? Layer.empty
      : OtlpMetrics.layer({
          url: metrics.url,
          headers: metrics.headers,
          resource,
          exportInterval: Duration.millis(metrics.intervalMillis)
        }).pipe(Layer.provide([serialization(metrics.protocol), client(metrics.timeoutMillis)]))
  // Hides OTEL_RESOURCE_ATTRIBUTES from the exporter, which would read it once more, and against the
  // specification.
  const noEnvironment = Layer.setConfigProvider(ConfigProvider.fromMap(new Map()))
  return Layer.mergeAll(tracing, measuring).pipe(Layer.provide(noEnvironment))
}
