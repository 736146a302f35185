/** The options of `createLeadSignals`, and their check at run time for callers without types. */
import {
  type Entropy,
  InvalidParameter,
  maxRequestsPerMinute,
  type Outbox,
  Retention,
  type StorePorts,
  type StoreUnavailable,
  type WebhookTargets
} from "@lead-signals/domain"
import { Layer } from "effect"

/** All store ports: `MemoryStore.layer`, `SqliteStore.layer({ filename })`, or a store of your own. */
export type Store = Layer.Layer<StorePorts, StoreUnavailable>

/** Sends webhooks: `layer(…)` of `@lead-signals/webhook/node`. */
export type Webhooks = Layer.Layer<WebhookTargets, never, Outbox | Entropy>

/** A line of the log with its annotations, such as `requestId`, `route`, `status`, `durationMillis`. */
export interface LogLine {
  /** The level in lower case: `debug`, `info`, `warn`, `error` or `fatal`. */
  readonly level: string
  /** The text of the line, without its annotations. */
  readonly message: string
  readonly [annotation: string]: unknown
}

/** The options of `createLeadSignals`, which checks them when it is called. */
export interface EmbeddedOptions {
  /** The store that the service opens and, on `close`, closes. */
  readonly store: Store
  /**
   * The bearer token of operator requests to `fetch`, at least 16 characters. By default it is random and
   * unknown: use the methods.
   */
  readonly operatorToken?: string
  /** Requests a minute of a key without a limit of its own; 60 by default. [RATE-1] */
  readonly requestsPerMinute?: number
  /**
   * How long what is over is kept, in milliseconds, or null for ever, such as `Retention.defaults` of `@lead-signals/domain`. The
   * service removes what is due in the background, and Idempotency-Keys after their day. Without it none of this is removed. [IDEM-6, RET-1]
   */
  readonly retention?: Retention.Retention
  /**
   * Milliseconds from 60,000 for which entries of the audit log are kept, or null for ever. By default a year where `retention` is given, and
   * for ever without it. [AUD-5]
   */
  readonly auditRetention?: number | null
  /** Without it the service keeps events and sends none. */
  readonly webhooks?: Webhooks
  /**
   * Receives each line of the log; by default there is no log. No line holds personal data, a key or a
   * secret. What it throws or rejects with is ignored.
   */
  readonly log?: (line: LogLine) => void
}

const minTokenLength = 16

const isToken = (value: unknown): boolean => typeof value === "string" && value.length >= minTokenLength
const isLimit = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= maxRequestsPerMinute

const isRetention = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.keys(value).every((kind) => Object.hasOwn(Retention.keepAll, kind)) &&
  Retention.invalidKinds(value as Retention.Retention).length === 0

interface Rule {
  readonly takes: string
  readonly isRequired?: true
  readonly accepts: (value: unknown) => boolean
}

const rules: Readonly<Record<keyof EmbeddedOptions, Rule>> = {
  store: {
    takes: "a layer of the store ports, such as MemoryStore.layer or SqliteStore.layer({ filename })",
    isRequired: true,
    accepts: Layer.isLayer
  },
  operatorToken: { takes: `a text of at least ${minTokenLength} characters`, accepts: isToken },
  requestsPerMinute: { takes: `an integer from 1 to ${maxRequestsPerMinute}`, accepts: isLimit },
  retention: {
    takes: `milliseconds from ${Retention.minMillis} to ${Retention.maxMillis}, or null, for each of ${Retention.retentionKinds.join(", ")}`,
    accepts: isRetention
  },
  auditRetention: {
    takes: `milliseconds from ${Retention.minMillis} to ${Retention.maxMillis}, or null`,
    accepts: (value) => value === null || (typeof value === "number" && Retention.isDuration(value))
  },
  webhooks: {
    takes: "a layer, such as Webhooks.layer() of @lead-signals/webhook/node",
    accepts: Layer.isLayer
  },
  log: { takes: "a function of one line", accepts: (value) => typeof value === "function" }
}

const refuse = (option: string, message: string): never => {
  throw new InvalidParameter({ parameter: option, message: `createLeadSignals: ${message}` })
}

/** Throws `InvalidParameter`, which names the first option that is missing, unknown or of another type. */
export const checkOptions = (options: unknown): void => {
  if (typeof options !== "object" || options === null) {
    refuse("options", `takes an object with the option store, which takes ${rules.store.takes}.`)
  }
  const given = options as Readonly<Record<string, unknown>>
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(rules, name)) {
      refuse(name, `there is no option ${name}; the options are ${Object.keys(rules).join(", ")}.`)
    }
  }
  for (const [name, { accepts, isRequired, takes }] of Object.entries(rules)) {
    const value = given[name]
    if (value === undefined) {
      if (isRequired === true) refuse(name, `the option ${name} is required: it takes ${takes}.`)
      continue
    }
    if (accepts(value)) continue
    const isUncalled = typeof value === "function"
    refuse(name, `the option ${name} takes ${takes}${isUncalled ? "; this is a function: call it" : ""}.`)
  }
}
