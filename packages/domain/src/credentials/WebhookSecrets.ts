/** A webhook's secrets: how they are made and rotated, and which of them sign. [DELIV-1] */
import { Encoding } from "effect"
import { millisPerHour } from "../model/Duration.ts"
import type { Instant } from "../model/Instant.ts"
import type { WebhookSecrets } from "../model/Webhook.ts"

/** How many random bytes a secret is made of. Standard Webhooks allows 24 to 64. [DELIV-1] */
export const randomBytesNeeded = 32

/** Milliseconds after a rotation for which the secret before it signs, too: 24 hours. [DELIV-1] */
export const overlapMillis = 24 * millisPerHour

/** Makes a secret from `randomBytesNeeded` random bytes: `whsec_` and their base64. [DELIV-1] */
export const fromRandom = (random: Uint8Array): string => `whsec_${Encoding.encodeBase64(random)}`

/**
 * Makes `fresh` the current secret. The one before it signs until `overlapMillis` after `now`. A second rotation within that
 * time ends the oldest secret at once, so at most two sign. [DELIV-1]
 */
export const rotate = (secrets: WebhookSecrets, fresh: string, now: Instant): WebhookSecrets => ({
  current: fresh,
  previous: { secret: secrets.current, until: now + overlapMillis }
})

/** The secrets that sign at `now`, the newest first: one or two. [DELIV-1] */
export const signing = ({ current, previous }: WebhookSecrets, now: Instant): ReadonlyArray<string> =>
  previous === null || now >= previous.until ? [current] : [current, previous.secret]
