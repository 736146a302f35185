/** What a webhook's secret looks like, and which of them sign. [DELIV-1] */
import { Encoding } from "effect"
import type { Instant } from "../model/Instant.ts"
import type { WebhookSecrets } from "../model/Webhook.ts"

/** Standard Webhooks takes 24 to 64. */
export const randomBytesNeeded = 32

/** The secret that was there before a rotation signs along for a day. */
export const overlapMillis = 24 * 3_600_000

/** `whsec_` and base64. */
export const fromRandom = (random: Uint8Array): string => `whsec_${Encoding.encodeBase64(random)}`

/** A second rotation within the overlap ends the oldest secret at once: two sign at most. */
export const rotate = (secrets: WebhookSecrets, fresh: string, now: Instant): WebhookSecrets => ({
  current: fresh,
  previous: { secret: secrets.current, until: now + overlapMillis }
})

/** The newest first. */
export const signing = ({ current, previous }: WebhookSecrets, now: Instant): ReadonlyArray<string> =>
  previous === null || now >= previous.until ? [current] : [current, previous.secret]
