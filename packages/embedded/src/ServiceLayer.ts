/** The layers of an embedded service: what the domain and the HTTP API need, from the host's options. */
import {
  AuditRetention,
  type Entropy,
  IdempotencyRetention,
  InvalidParameter,
  RetentionPolicy,
  RetentionRounds,
  type StoreUnavailable,
  WebhookTargets
} from "@lead-signals/domain"
import { DefaultRateLimit, DrainState, logLine, OperatorToken, webCrypto } from "@lead-signals/http"
import { Effect, Encoding, Layer, Logger } from "effect"
import type { EmbeddedOptions, LogLine, Store } from "./Options.ts"

/** The services that calls of an embedded service can use. */
export type Services = Layer.Layer.Success<Store> | Entropy | OperatorToken | DefaultRateLimit

const noWebhooks = Layer.succeed(WebhookTargets, {
  check: () =>
    new InvalidParameter({
      parameter: "url",
      message: "url takes no value here: webhooks are off. Give createLeadSignals the option webhooks."
    })
})

/** Hands a line over. A host's function that throws or rejects must end neither a request nor the deliveries, and its rejection not the process. */
const handOver = (log: NonNullable<EmbeddedOptions["log"]>, line: LogLine): void => {
  try {
    const returned: unknown = log(line)
    if (returned !== undefined) Promise.resolve(returned).catch(() => {})
  } catch {
    // There is no other log that could have it.
  }
}

const logging = (log: EmbeddedOptions["log"]): Layer.Layer<never> =>
  log === undefined
    ? Logger.remove(Logger.defaultLogger)
    : Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ annotations, logLevel, message }) => {
          const entry = logLine({ annotations, message })
          handOver(log, { level: logLevel.label.toLowerCase(), message: entry.message, ...entry.fields })
        })
      )

/** `requestsPerMinute` is the limit of keys that name none. Requests that wait and live events end once `isClosed` answers true. */
export const serviceLayer = (
  options: EmbeddedOptions,
  requestsPerMinute: number,
  isClosed: () => boolean
): Layer.Layer<Services, StoreUnavailable> => {
  const token = options.operatorToken ?? Encoding.encodeHex(crypto.getRandomValues(new Uint8Array(32)))
  const stores = Layer.provideMerge(options.webhooks ?? noWebhooks, Layer.merge(options.store, webCrypto))
  const retention =
    options.retention === undefined
      ? Layer.empty
      : Layer.mergeAll(
          Layer.succeed(RetentionPolicy, options.retention),
          Layer.scopedDiscard(Effect.forkScoped(RetentionRounds.retain({ retention: options.retention }))),
          Layer.scopedDiscard(Effect.forkScoped(IdempotencyRetention.retain))
        )
  const { auditRetention = options.retention === undefined ? null : AuditRetention.defaultMillis } = options
  const auditPruning =
    auditRetention === null
      ? Layer.empty
      : Layer.scopedDiscard(Effect.forkScoped(AuditRetention.retain(auditRetention)))
  return Layer.mergeAll(
    Layer.provideMerge(Layer.merge(retention, auditPruning), stores),
    Layer.succeed(DrainState, { isDraining: Effect.sync(isClosed) }),
    Layer.succeed(OperatorToken, token),
    Layer.succeed(DefaultRateLimit, requestsPerMinute)
  ).pipe(Layer.provideMerge(logging(options.log)))
}
