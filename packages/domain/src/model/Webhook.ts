/** A webhook: where a brand wants its events sent, and how that has gone lately. */
import { Schema } from "effect"
import type { BrandId } from "./Brand.ts"
import type { Instant } from "./Instant.ts"
import { type EventType, eventTypes } from "./LeadEvent.ts"
import { nullableText, optionalText, Text, textLimits } from "./Text.ts"

/** Decimal digits. */
export type WebhookId = string

/** What signs: the current secret and, for a while after a rotation, the one before it. [DELIV-1] */
export interface WebhookSecrets {
  /** `whsec_` and base64. */
  readonly current: string
  readonly previous: { readonly secret: string; readonly until: Instant } | null
}

export interface Webhook {
  readonly id: WebhookId
  readonly brandId: BrandId
  /** In the normal form that it was checked in. */
  readonly url: string
  /** In the order of `eventTypes`, at least one. [EVT-7] */
  readonly events: ReadonlyArray<EventType>
  readonly description: string | null
  /** While false, its deliveries are held. */
  readonly enabled: boolean
  /** Why it is not enabled, as a sentence for its owner; null while it is. [DELIV-4] */
  readonly disabledReason: string | null
  /** The first failed attempt since the last that succeeded; null while the last one did. [DELIV-4] */
  readonly failingSince: Instant | null
  readonly secrets: WebhookSecrets
  readonly createdAt: Instant
}

const maxUrlLength = 2048

const Url = Text.pipe(
  Schema.filter((url) => url.length > 0 && url.length <= maxUrlLength, {
    description: `an absolute URL of at most ${maxUrlLength} characters`
  })
)

/** Given in any order and more than once, kept in one order and once. */
const Events = Schema.Array(
  Schema.Literal(...eventTypes).annotations({ description: `one of ${eventTypes.join(", ")}` })
)
  .pipe(Schema.minItems(1))
  .annotations({ description: `an array of one or more of ${eventTypes.join(", ")}` })

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** What an operator says of a new webhook. */
export const NewWebhook = Schema.Struct({
  url: Url,
  events: Events,
  description: optionalText(textLimits.description),
  enabled: Schema.optionalWith(Schema.Boolean, { default: () => true })
})
export type NewWebhook = typeof NewWebhook.Type

/** What an operator can change of one. */
export const WebhookChange = Schema.Struct({
  url: optional(Url),
  events: optional(Events),
  description: optional(nullableText(textLimits.description)),
  enabled: optional(Schema.Boolean)
})
export type WebhookChange = typeof WebhookChange.Type
