/** The columns of brands and of what an operator sets up for them, with the secrets that a store unwraps. */
import type { Brand, Webhook } from "@lead-signals/domain"
import { secretContexts } from "@lead-signals/encryption"
import * as Rows from "@lead-signals/sql-rows"
import { type StoreKeys, unwrapSecret } from "../sealing/StoreKeys.ts"

/** Columns that `brandOf` reads. */
export const brandColumns = "id, name, suppression_secret, created_at, deletion_started_at"

/** Throws `StoreUnavailable` where the secret is wrapped under another key than the given ones. */
export const brandOf = (row: Rows.BrandRow, keys: StoreKeys | null): Brand =>
  Rows.brandOf({
    ...row,
    suppression_secret: unwrapSecret(keys, row.suppression_secret, secretContexts.suppression(row.id))
  })

/** Columns that `signalOf` reads. */
export const signalColumns = "id, brand_id, name, signal_type, source, created_at"

/** Columns that `campaignOf` reads. */
export const campaignColumns = "id, brand_id, name, created_at"

/** Columns of the table `webhook w` that `webhookOf` reads. */
export const webhookColumns =
  "w.id, w.brand_id, w.url, w.events, w.description, w.enabled, w.disabled_reason, w.failing_since, w.secrets, w.created_at, w.ordering, w.max_delay, w.format, w.max_batch, w.max_wait"

/** Throws `StoreUnavailable` where the secrets are wrapped under another key than the given ones. */
export const webhookOf = (row: Rows.WebhookRow, keys: StoreKeys | null): Webhook =>
  Rows.webhookOf({
    ...row,
    secrets: unwrapSecret(keys, row.secrets, secretContexts.webhook(row.brand_id, row.id))
  })
