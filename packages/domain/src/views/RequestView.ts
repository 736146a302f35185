/** The request by which a delivery is attempted, apart from its signature. */
import type { DeliveryPlace } from "../decisions/LeadOrder.ts"
import type { DeliveryId } from "../model/Delivery.ts"
import type { Instant } from "../model/Instant.ts"

/** The headers of an attempt that are the same with every secret. */
export interface AttemptHeaders {
  /** The body is JSON. */
  readonly "content-type": "application/json"
  /** Names the service. */
  readonly "user-agent": string
  /** The delivery's id, the same at every attempt. */
  readonly "webhook-id": string
  /** Seconds since 1970 at which the attempt began, as decimal digits. */
  readonly "webhook-timestamp": string
}

/**
 * The headers that say how a post stands to others: whether it keeps its lead's order, which dead letters of the lead were skipped before
 * it, and which delivery it sends again. A header without a value is left out. [ORD-5, ORD-6]
 */
export const placeHeaders = (
  place: DeliveryPlace | null,
  resendOf: DeliveryId | null
): Readonly<Record<string, string>> => ({
  ...(place === null ? {} : { "lead-signals-ordering": place.isInOrder ? "lead" : "none" }),
  ...(place === null || place.skipped.length === 0
    ? {}
    : { "lead-signals-skipped": place.skipped.join(" ") }),
  ...(resendOf === null ? {} : { "lead-signals-resend-of": resendOf })
})

/** The headers of the attempt that began at `at`, without `webhook-signature`. [DELIV-1] */
export const attemptHeaders = (id: DeliveryId, at: Instant): AttemptHeaders => ({
  "content-type": "application/json",
  "user-agent": "Lead-Signals/1.0 (webhooks)",
  "webhook-id": id,
  "webhook-timestamp": String(Math.floor(at / 1000))
})
