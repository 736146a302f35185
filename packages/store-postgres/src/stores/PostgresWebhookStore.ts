/**
 * Webhooks on Postgres. Whatever leases, records or queues again deliveries of a webhook locks its row first, so that a change of the
 * webhook and of its deliveries is one step.
 */
import {
  AttemptTransitions,
  type DeliveryState,
  LeadOrder,
  type Webhook,
  WebhookStore
} from "@lead-signals/domain"
import { journaled } from "@lead-signals/removal-journal"
import { secretContexts } from "@lead-signals/encryption"
import { idOf, type WebhookRow } from "@lead-signals/sql-rows"
import { Effect, Layer, Option } from "effect"
import type { Connection, Param } from "../connection/Connection.ts"
import { Database } from "../connection/Database.ts"
import { webhookColumns, webhookOf } from "../rows/DirectoryRows.ts"
import { countDeliveries } from "../writes/DeliveryCounts.ts"
import { holdEncryptionKey, lockBrand } from "../writes/Locks.ts"
import { type Piece, removeInPieces } from "./PiecewiseRemoval.ts"
import { createInBrand, nextId, readAll, readFirst, readOne, wrappedSecret } from "./Statements.ts"

/** With the secrets as they are stored. */
const webhookValues = (webhook: Omit<Webhook, "id">, secrets: string): ReadonlyArray<Param> => [
  webhook.url,
  JSON.stringify(webhook.events),
  webhook.description,
  webhook.enabled,
  webhook.disabledReason,
  webhook.failingSince,
  secrets,
  webhook.ordering,
  webhook.maxDelay,
  webhook.format,
  webhook.maxBatch,
  webhook.maxWait
]

/** The webhook's secrets as they are stored. */
const storedSecrets = (
  sql: Connection,
  { brandId, secrets }: Omit<Webhook, "id">,
  id: number
): Promise<string> => wrappedSecret(sql, JSON.stringify(secrets), secretContexts.webhook(idOf(brandId), id))

const webhookById = (brandId: string, id: string, lock: "" | "FOR NO KEY UPDATE" | "FOR UPDATE") =>
  readFirst<WebhookRow, Webhook>(
    webhookOf,
    `SELECT ${webhookColumns} FROM lead_signals.webhook w WHERE w.brand_id = $1 AND w.id = $2 ${lock}`,
    [idOf(brandId), idOf(id)]
  )

interface PendingRow {
  readonly seq: number
  readonly lease: string | null
  readonly due_at: number
}

/** Pending deliveries that `resetPending` changes. */
const isToReset = "(failures > 0 OR lease IS NOT NULL OR due_at > $3)"

/**
 * Locks what `resetPending` and `dropOrder` change, for a call that does both: one after the other, each would lock in the order of the
 * numbers, and an erasure between them could wait for what the first holds and hold what the second waits for.
 */
const lockPending = (sql: Connection, brandId: number, webhookId: number, now: number): Promise<unknown> =>
  sql.run(
    `SELECT 1 FROM lead_signals.delivery
       WHERE brand_id = $1 AND webhook_id = $2 AND state = 'pending' AND (ordered_lead IS NOT NULL OR ${isToReset})
       ORDER BY seq FOR NO KEY UPDATE`,
    [brandId, webhookId, now]
  )

/**
 * Makes pending deliveries of an enabled webhook due now. One whose attempt is under way stays with its lease and becomes due
 * when that runs out. [DELIV-4]
 */
const resetPending = async (
  sql: Connection,
  brandId: number,
  webhookId: number,
  now: number
): Promise<void> => {
  const rows = await sql.all<PendingRow>(
    `SELECT seq, lease, CASE WHEN due_at = ${LeadOrder.waitingDueAt} THEN created_at ELSE due_at END AS due_at FROM lead_signals.delivery
       WHERE brand_id = $1 AND webhook_id = $2 AND state = 'pending' AND ${isToReset}
       ORDER BY seq FOR NO KEY UPDATE`,
    [brandId, webhookId, now]
  )
  if (rows.length === 0) return
  await sql.run(
    `UPDATE lead_signals.delivery d SET failures = 0, failing_since = NULL, lease = given.lease, due_at = given.due_at
       FROM unnest($2::bigint[], $3::text[], $4::bigint[]) AS given(seq, lease, due_at)
       WHERE d.brand_id = $1 AND d.seq = given.seq`,
    [
      brandId,
      rows.map(({ seq }) => seq),
      rows.map(({ lease }) => (lease === null ? null : AttemptTransitions.ofEarlierEnabling(lease))),
      rows.map(({ due_at, lease }) => (lease === null ? Math.min(due_at, now) : due_at))
    ]
  )
}

/** Pending deliveries of a webhook that is ordered no longer lose their places. [ORD-1] */
const dropOrder = (sql: Connection, brandId: number, webhookId: number, now: number): Promise<unknown> =>
  sql.run(
    `UPDATE lead_signals.delivery d SET ordered_lead = NULL, due_at = CASE WHEN d.due_at = $3 OR (d.attempts = 0 AND d.lease IS NULL)
         THEN least(d.created_at, $4) ELSE d.due_at END
       FROM (SELECT seq FROM lead_signals.delivery
         WHERE brand_id = $1 AND webhook_id = $2 AND state = 'pending' AND ordered_lead IS NOT NULL
         ORDER BY seq FOR NO KEY UPDATE) locked
       WHERE d.brand_id = $1 AND d.seq = locked.seq`,
    [brandId, webhookId, LeadOrder.waitingDueAt, now]
  )

/** Deliveries that one transaction removes at most: more would keep other writes waiting. */
const maxDeliveriesPerPiece = 500

/** Remove the deliveries with these numbers. */
const deliveryRemovals = [
  "DELETE FROM lead_signals.attempt WHERE brand_id = $1 AND delivery_seq = ANY ($2::bigint[])",
  "DELETE FROM lead_signals.delivery_body WHERE brand_id = $1 AND seq = ANY ($2::bigint[])",
  "DELETE FROM lead_signals.delivery WHERE brand_id = $1 AND seq = ANY ($2::bigint[])"
]

const beingDeleted = "The webhook is being deleted; if it stays, delete it again."

/** Disables the webhook and removes some of its deliveries; with the last of them, removes the webhook too. */
export const removeWebhookPiece = async (sql: Connection, brandId: string, id: string): Promise<Piece> => {
  // Commits of the brand queue deliveries for the webhook: none is under way, and later ones don't find it.
  await lockBrand(sql, idOf(brandId))
  if (Option.isNone(await webhookById(brandId, id, "FOR UPDATE")(sql))) return "missing"
  const [brand, webhook] = [idOf(brandId), idOf(id)]
  const rows = await sql.all<{ readonly seq: number; readonly state: DeliveryState }>(
    `SELECT seq, state FROM lead_signals.delivery WHERE brand_id = $1 AND webhook_id = $2
       ORDER BY seq LIMIT $3 FOR UPDATE`,
    [brand, webhook, maxDeliveriesPerPiece]
  )
  const isLast = rows.length < maxDeliveriesPerPiece
  for (const statement of deliveryRemovals) await sql.run(statement, [brand, rows.map(({ seq }) => seq)])
  if (isLast) {
    await sql.run("DELETE FROM lead_signals.webhook WHERE brand_id = $1 AND id = $2", [brand, webhook])
    await sql.run("DELETE FROM lead_signals.delivery_count WHERE brand_id = $1 AND webhook_id = $2", [
      brand,
      webhook
    ])
    return "gone"
  }
  await sql.run(
    "UPDATE lead_signals.webhook SET enabled = false, disabled_reason = $3 WHERE brand_id = $1 AND id = $2",
    [brand, webhook, beingDeleted]
  )
  await countDeliveries(
    sql,
    rows.map(({ state }) => ({ brandId: brand, webhookId: webhook, state, n: -1 }))
  )
  return "some"
}

const make = Effect.map(Database, (database) =>
  WebhookStore.of({
    create: (webhook) =>
      database.write(
        createInBrand(webhook.brandId, async (sql) => {
          const id = await nextId(sql, "webhook")
          const values = webhookValues(webhook, await storedSecrets(sql, webhook, id))
          return readOne<WebhookRow, Webhook>(
            webhookOf,
            `INSERT INTO lead_signals.webhook AS w
               (url, events, description, enabled, disabled_reason, failing_since, secrets, ordering, max_delay, format, max_batch,
                max_wait, brand_id, created_at, id)
             OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) RETURNING ${webhookColumns}`,
            [...values, idOf(webhook.brandId), webhook.createdAt, id]
          )(sql)
        })
      ),
    list: (brandId) =>
      database.read(
        readAll(
          webhookOf,
          `SELECT ${webhookColumns} FROM lead_signals.webhook w WHERE w.brand_id = $1 ORDER BY w.id`,
          [idOf(brandId)]
        )
      ),
    get: (brandId, id) => database.read(webhookById(brandId, id, "")),
    update: (brandId, id, change) =>
      Effect.zipLeft(
        database.write(
          async (sql, now) => {
            // The change may wrap a secret.
            await holdEncryptionKey(sql)
            const before = await webhookById(brandId, id, "FOR NO KEY UPDATE")(sql)
            if (Option.isNone(before)) return Option.none()
            const after = change(before.value, now)
            const secrets = await storedSecrets(sql, after, idOf(id))
            await sql.run(
              `UPDATE lead_signals.webhook SET url = $1, events = $2, description = $3, enabled = $4, disabled_reason = $5,
                 failing_since = $6, secrets = $7, ordering = $8, max_delay = $9, format = $10, max_batch = $11, max_wait = $12
               WHERE brand_id = $13 AND id = $14`,
              [...webhookValues(after, secrets), idOf(brandId), idOf(id)]
            )
            const isEnabled = after.enabled && !before.value.enabled
            const losesOrder = after.ordering === "none" && before.value.ordering === "lead"
            if (isEnabled && losesOrder) await lockPending(sql, idOf(brandId), idOf(id), now)
            if (isEnabled) await resetPending(sql, idOf(brandId), idOf(id), now)
            if (losesOrder) await dropOrder(sql, idOf(brandId), idOf(id), now)
            return Option.some(after)
          },
          // Any number of deliveries may be pending.
          { isLong: true }
        ),
        database.announceQueued
      ),
    delete: (brandId, id) =>
      journaled(
        database,
        removeInPieces(database, (sql) => removeWebhookPiece(sql, brandId, id))
      )
  })
)

/** The port of webhooks. Needs the `Database`. */
export const layer = Layer.effect(WebhookStore, make)
