/** The request of an attempt: its headers and, for a batch, its body; the webhook package adds the signature. */
import { type DeliveryPlace, maxSkippedIds } from "../decisions/LeadOrder.ts"
import type { DeliveryId, PostedAs } from "../model/Delivery.ts"
import type { Instant } from "../model/Instant.ts"
import type { WebhookFormat } from "../model/Webhook.ts"

/** The headers of an attempt that do not depend on the secret. */
export interface AttemptHeaders {
  /** The media type of the body. [FMT-3] */
  readonly "content-type": string
  /** The name of the service. */
  readonly "user-agent": string
  /** The delivery's id, the same at every attempt; for a batch its own id. [BATCH-5] */
  readonly "webhook-id": string
  /** Seconds since 1970 at which the attempt began, as decimal digits. */
  readonly "webhook-timestamp": string
}

/**
 * The headers about order and repetition: whether each delivery of the post keeps its lead's order, which dead letters of its lead were skipped
 * before it, and which deliveries the post sends again. A header without a value is left out. [ORD-5, ORD-6]
 */
export const placeHeaders = (
  deliveries: ReadonlyArray<{ readonly place: DeliveryPlace | null; readonly resendOf: DeliveryId | null }>
): Readonly<Record<string, string>> => {
  if (deliveries.every(({ place, resendOf }) => place === null && resendOf === null)) return {}
  const places = deliveries.flatMap(({ place }) => place ?? [])
  const skipped = places.flatMap((place) => place.skipped).slice(-maxSkippedIds)
  const again = deliveries.flatMap(({ resendOf }) => resendOf ?? [])
  const headers = {
    "lead-signals-ordering": places.map(({ isInOrder }) => (isInOrder ? "lead" : "none")),
    "lead-signals-skipped": skipped,
    "lead-signals-resend-of": again
  }
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, values]) =>
      values.length === 0 ? [] : [[name, values.join(" ")]]
    )
  )
}

const contentTypes: { readonly [F in WebhookFormat]: { readonly single: string; readonly batch: string } } = {
  envelope: { single: "application/json", batch: "application/json" },
  cloudevents: { single: "application/cloudevents+json", batch: "application/cloudevents-batch+json" }
}

/** The body of a batch: a JSON array of its deliveries' bodies, each unchanged. [BATCH-1] */
export const batchBody = (bodies: ReadonlyArray<string>): string => `[${bodies.join(",")}]`

/** The headers of the attempt that begins at `at`, without `webhook-signature`. [DELIV-1, FMT-3, BATCH-5] */
export const attemptHeaders = (
  id: DeliveryId,
  at: Instant,
  { batchId, format }: PostedAs
): AttemptHeaders => ({
  "content-type": contentTypes[format][batchId === null ? "single" : "batch"],
  "user-agent": "Lead-Signals/1.0 (webhooks)",
  "webhook-id": batchId ?? id,
  "webhook-timestamp": String(Math.floor(at / 1000))
})
