/** A webhook: the URL that receives a brand's events, how events are sent there, and whether attempts failed lately. */
import { Schema } from "effect"
import type { BrandId } from "./Brand.ts"
import type { Instant } from "./Instant.ts"
import { type EventType, eventTypes } from "./LeadEvent.ts"
import { nullableText, optionalText, Text } from "./Text.ts"
import { textLimits } from "./TextLimits.ts"

/** The id of a webhook: decimal digits, never given twice in one store. */
export type WebhookId = string

/** The secrets that sign posts: the current one and, for a while after a rotation, the one before it. [DELIV-1] */
export interface WebhookSecrets {
  /** `whsec_` and base64 of random bytes. */
  readonly current: string
  /** The secret before the last rotation, which signs until `until`; null where none does. */
  readonly previous: { readonly secret: string; readonly until: Instant } | null
}

/** The orders in which events can arrive at a webhook. [ORD-1] */
export const webhookOrderings = ["none", "lead"] as const
/** `none`: in any order, side by side. `lead`: the events of one lead one after the other, in the order of their commits. */
export type WebhookOrdering = (typeof webhookOrderings)[number]

/** The formats of a webhook's bodies. */
export const webhookFormats = ["envelope", "cloudevents"] as const
/** `envelope`: the envelope of version 1. `cloudevents`: CloudEvents in their structured JSON form. */
export type WebhookFormat = (typeof webhookFormats)[number]

/** The settings of a new webhook for which the operator gives none. */
export const defaultSending: Pick<Webhook, "ordering" | "maxDelay" | "format" | "maxBatch" | "maxWait"> = {
  ordering: "none",
  maxDelay: null,
  format: "envelope",
  maxBatch: 1,
  maxWait: 0
}

/** The greatest `maxDelay`, in seconds: 30 days. [ORD-4] */
export const longestMaxDelaySeconds = 2_592_000
/** The greatest `maxBatch`. [BATCH-1] */
export const largestMaxBatch = 100
/** The greatest `maxWait`, in seconds. [BATCH-2] */
export const longestMaxWaitSeconds = 300

/** A webhook as the store keeps it. */
export interface Webhook {
  /** The id by which the operator addresses the webhook. */
  readonly id: WebhookId
  /** The brand whose events the webhook receives, and no other's. [EVT-7] */
  readonly brandId: BrandId
  /** The URL in the normal form in which `WebhookTargets` checked it. */
  readonly url: string
  /** The event types that it receives, in the order of `eventTypes`, at least one. [EVT-7] */
  readonly events: ReadonlyArray<EventType>
  /** The operator's note, at most 4,096 characters; null without one. */
  readonly description: string | null
  /** Whether it receives posts. While it is false, its deliveries are held. */
  readonly enabled: boolean
  /** Why it is not enabled, as a sentence for its owner; null while it is enabled. [DELIV-4] */
  readonly disabledReason: string | null
  /**
   * When the first attempt since its last success failed; null while the last attempt succeeded or none was made.
   * [DELIV-4]
   */
  readonly failingSince: Instant | null
  /** Whether the events of one lead wait for each other. [ORD-1] */
  readonly ordering: WebhookOrdering
  /**
   * Seconds for which a failing event holds the later events of its lead back, from its first failed attempt; null: as
   * long as its retries last. It has an effect only where `ordering` is `lead`. [ORD-4]
   */
  readonly maxDelay: number | null
  /** The format of new bodies. [FMT-3] */
  readonly format: WebhookFormat
  /** How many events one post may carry, from 1 to `largestMaxBatch`. [BATCH-1] */
  readonly maxBatch: number
  /** How many seconds a due event may wait for others to share its post, from 0 to `longestMaxWaitSeconds`. [BATCH-2] */
  readonly maxWait: number
  /** The secrets that sign each post. [DELIV-1] */
  readonly secrets: WebhookSecrets
  /** When the operator created the webhook. */
  readonly createdAt: Instant
}

const maxUrlLength = 2048

const Url = Text.pipe(
  Schema.filter((url) => url.length > 0 && url.length <= maxUrlLength, {
    description: `an absolute URL of at most ${maxUrlLength} characters`,
    jsonSchema: { minLength: 1, maxLength: maxUrlLength }
  })
)

/** In any order and with repetitions; the use case keeps each once, in the order of `eventTypes`. */
const Events = Schema.Array(
  Schema.Literal(...eventTypes).annotations({ description: `one of ${eventTypes.join(", ")}` })
)
  .pipe(Schema.minItems(1))
  .annotations({ description: `an array of one or more of ${eventTypes.join(", ")}` })

const Ordering = Schema.Literal(...webhookOrderings).annotations({
  description: `one of ${webhookOrderings.join(", ")}`
})
const Format = Schema.Literal(...webhookFormats).annotations({
  description: `one of ${webhookFormats.join(", ")}`
})

/** An integer within bounds; the error message names the bounds and the unit. */
const integerBetween = (min: number, max: number, unit: string) =>
  Schema.Number.pipe(
    Schema.filter((value) => Number.isInteger(value) && value >= min && value <= max, {
      description: `an integer of ${unit} from ${min} to ${max}`,
      jsonSchema: { type: "integer", minimum: min, maximum: max }
    })
  )
const MaxDelay = Schema.NullOr(integerBetween(1, longestMaxDelaySeconds, "seconds")).annotations({
  description: `an integer of seconds from 1 to ${longestMaxDelaySeconds}, or null`
})
const MaxBatch = integerBetween(1, largestMaxBatch, "events")
const MaxWait = integerBetween(0, longestMaxWaitSeconds, "seconds")

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/**
 * The schema of a new webhook: `url` of at most 2,048 characters, one or more `events`, an optional `description` of
 * at most 4,096 characters; `enabled` is true unless given, and the rest is as in `defaultSending`.
 */
export const NewWebhook = Schema.Struct({
  url: Url,
  events: Events,
  description: optionalText(textLimits.description),
  enabled: Schema.optionalWith(Schema.Boolean, { default: () => true }),
  ordering: optional(Ordering),
  maxDelay: optional(MaxDelay),
  format: optional(Format),
  maxBatch: optional(MaxBatch),
  maxWait: optional(MaxWait)
})
export type NewWebhook = typeof NewWebhook.Type

/** The schema of a change to a webhook: the fields of `NewWebhook`, each optional. A missing field stays as it is. */
export const WebhookChange = Schema.Struct({
  url: optional(Url),
  events: optional(Events),
  description: optional(nullableText(textLimits.description)),
  enabled: optional(Schema.Boolean),
  ordering: optional(Ordering),
  maxDelay: optional(MaxDelay),
  format: optional(Format),
  maxBatch: optional(MaxBatch),
  maxWait: optional(MaxWait)
})
export type WebhookChange = typeof WebhookChange.Type
