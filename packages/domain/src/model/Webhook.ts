/** A webhook: where a brand wants its events sent, and how that has gone lately. */
import { Schema } from "effect"
import type { BrandId } from "./Brand.ts"
import type { Instant } from "./Instant.ts"
import { type EventType, eventTypes } from "./LeadEvent.ts"
import { nullableText, optionalText, Text, textLimits } from "./Text.ts"

/** The id of a webhook: decimal digits, never given twice in one store. */
export type WebhookId = string

/** What signs: the current secret and, for a while after a rotation, the one before it. [DELIV-1] */
export interface WebhookSecrets {
  /** `whsec_` and base64. */
  readonly current: string
  readonly previous: { readonly secret: string; readonly until: Instant } | null
}

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

/** Given in any order and more than once, kept in one order and once. */
const Events = Schema.Array(
  Schema.Literal(...eventTypes).annotations({ description: `one of ${eventTypes.join(", ")}` })
)
  .pipe(Schema.minItems(1))
  .annotations({ description: `an array of one or more of ${eventTypes.join(", ")}` })

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/**
 * The schema of a new webhook: `url` of at most 2,048 characters, one or more `events`, an optional `description` of
 * at most 4,096 characters; `enabled` is true unless given.
 */
export const NewWebhook = Schema.Struct({
  url: Url,
  events: Events,
  description: optionalText(textLimits.description),
  enabled: Schema.optionalWith(Schema.Boolean, { default: () => true })
})
export type NewWebhook = typeof NewWebhook.Type

/** The schema of what an operator changes on a webhook. A field that is not there stays as it is. */
export const WebhookChange = Schema.Struct({
  url: optional(Url),
  events: optional(Events),
  description: optional(nullableText(textLimits.description)),
  enabled: optional(Schema.Boolean)
})
export type WebhookChange = typeof WebhookChange.Type
