/** The options of `createLeadSignals`, and their check before anything is opened, for callers without types. */
import {
  type Deliveries,
  type Directory,
  type Entropy,
  InvalidParameter,
  type LeadStore,
  type Outbox,
  type RateWindows,
  type StoreUnavailable,
  type WebhookTargets
} from "@lead-signals/domain"
import { maxRequestsPerMinute } from "@lead-signals/http"
import { Layer } from "effect"

/** All ports of a store: `MemoryStore.layer`, `SqliteStore.layer({ filename })`, or one of your own. */
export type Store = Layer.Layer<LeadStore | Outbox | Deliveries | Directory | RateWindows, StoreUnavailable>

/** What sends webhooks: `layer(…)` of `@lead-signals/webhook/node`. */
export type Webhooks = Layer.Layer<WebhookTargets, never, Outbox | Entropy>

/** What happened, and what is known of it: `requestId`, `route`, `status`, `durationMillis` and the like. */
export interface LogLine {
  readonly level: string
  readonly message: string
  readonly [annotation: string]: unknown
}

export interface EmbeddedOptions {
  readonly store: Store
  /** What the operator's calls of `fetch` take. Unless given, none is known to anybody: use the methods. */
  readonly operatorToken?: string
  /** Requests a minute of a key that has no limit of its own; 60 unless given. [RATE-1] */
  readonly requestsPerMinute?: number
  /** Without it events are kept, and nothing is sent. */
  readonly webhooks?: Webhooks
  /** Takes each line of the log; unless given there is none. No line holds personal data, a key or a secret. */
  readonly log?: (line: LogLine) => void
}

const minTokenLength = 16

const isToken = (value: unknown): boolean => typeof value === "string" && value.length >= minTokenLength
const isLimit = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= maxRequestsPerMinute

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
  webhooks: {
    takes: "a layer, such as Webhooks.layer() of @lead-signals/webhook/node",
    accepts: Layer.isLayer
  },
  log: { takes: "a function of one line", accepts: (value) => typeof value === "function" }
}

const refuse = (option: string, message: string): never => {
  throw new InvalidParameter({ parameter: option, message: `createLeadSignals: ${message}` })
}

/** Throws `InvalidParameter` that names the first option which is missing, unknown or of another kind than it takes. */
export const checkOptions = (options: unknown): void => {
  if (typeof options !== "object" || options === null) {
    refuse("options", `takes an object with the option store, which takes ${rules.store.takes}.`)
  }
  const given = options as Readonly<Record<string, unknown>>
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(rules, name)) {
      refuse(name, `there is no option ${name}; there are ${Object.keys(rules).join(", ")}.`)
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
