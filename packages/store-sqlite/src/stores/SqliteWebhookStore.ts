/** Webhooks on SQLite. */
import { AttemptTransitions, LeadOrder, type Webhook, WebhookStore } from "@lead-signals/domain"
import { journaled } from "@lead-signals/removal-journal"
import { Effect, Layer, Option, Queue } from "effect"
import type { Connection } from "../connection/Connection.ts"
import type { Param } from "../connection/Param.ts"
import { Database } from "../database/Database.ts"
import { idOf, type WebhookRow } from "@lead-signals/sql-rows"
import type { Secrets } from "../rows/Secrets.ts"
import { releasedDueAt } from "../writes/DeliveryQueue.ts"
import { type Piece, removeInPieces } from "./PiecewiseRemoval.ts"
import { createInBrand, readAll, readFirst, readOne } from "./Statements.ts"

const webhookValues = (webhook: Omit<Webhook, "id">): ReadonlyArray<Param> => [
  webhook.url,
  JSON.stringify(webhook.events),
  webhook.description,
  Number(webhook.enabled),
  webhook.disabledReason,
  webhook.failingSince,
  webhook.ordering,
  webhook.maxDelay,
  webhook.format,
  webhook.maxBatch,
  webhook.maxWait
]

const storedSecrets = (secrets: Secrets, webhook: Omit<Webhook, "id">, id: number): string =>
  secrets.webhook(webhook.brandId, id, JSON.stringify(webhook.secrets))

const webhookById = (secrets: Secrets, brandId: string, id: string) =>
  readFirst<WebhookRow, Webhook>(secrets.webhookOf, "SELECT * FROM webhook WHERE id = ? AND brand_id = ?", [
    idOf(id),
    idOf(brandId)
  ])

/**
 * Makes pending deliveries of an enabled webhook due now. One whose attempt is under way stays with its lease and becomes due
 * when that runs out. [DELIV-4]
 */
const resetPending = (sql: Connection, webhookId: number, now: number): void => {
  sql.run(
    `UPDATE delivery SET failures = 0, failing_since = NULL, due_at = CASE WHEN due_at = ${LeadOrder.waitingDueAt} THEN min(created_at, ?) WHEN lease IS NULL THEN min(due_at, ?) ELSE due_at END
     WHERE webhook_id = ? AND state = 'pending' AND (failures > 0 OR (lease IS NULL AND due_at > ?))`,
    [now, now, webhookId, now]
  )
  const leased = sql.all<{ readonly seq: number; readonly lease: string }>(
    "SELECT seq, lease FROM delivery WHERE webhook_id = ? AND state = 'pending' AND lease IS NOT NULL",
    [webhookId]
  )
  for (const { lease, seq } of leased) {
    sql.run("UPDATE delivery SET lease = ? WHERE seq = ?", [AttemptTransitions.ofEarlierEnabling(lease), seq])
  }
}

/** Pending deliveries of a webhook that is ordered no longer lose their places. [ORD-1] */
const dropOrder = (sql: Connection, webhookId: number, now: number): void => {
  sql.run(
    `UPDATE delivery SET ordered_lead = NULL, due_at = ${releasedDueAt}
     WHERE webhook_id = ? AND state = 'pending' AND ordered_lead IS NOT NULL`,
    [now, webhookId]
  )
}

/** Remove a webhook; each statement removes rows that no remaining row refers to. */
const webhookRemovals = [
  "DELETE FROM attempt WHERE delivery_seq IN (SELECT seq FROM delivery WHERE webhook_id = ?)",
  "DELETE FROM delivery_body WHERE seq IN (SELECT seq FROM delivery WHERE webhook_id = ?)",
  "DELETE FROM delivery WHERE webhook_id = ?",
  "DELETE FROM delivery_count WHERE webhook_id = ?",
  "DELETE FROM delivery_hour WHERE webhook_id = ?",
  "DELETE FROM webhook WHERE id = ?"
]

/** Deliveries that one transaction removes at most: more would keep other writes waiting. */
const maxDeliveriesPerPiece = 500

/** Remove the deliveries with these numbers. */
const deliveryRemovals = [
  "DELETE FROM attempt WHERE delivery_seq IN (SELECT value FROM json_each(?))",
  "DELETE FROM delivery_body WHERE seq IN (SELECT value FROM json_each(?))",
  "DELETE FROM delivery WHERE seq IN (SELECT value FROM json_each(?))"
]

const beingDeleted = "The webhook is being deleted; if it stays, delete it again."

/** Wrapped secrets are bound to the webhook's id, so the row comes first. */
const createWebhook =
  (secrets: Secrets, webhook: Omit<Webhook, "id">) =>
  (sql: Connection): Webhook => {
    const id = sql.insert(
      `INSERT INTO webhook (url, events, description, enabled, disabled_reason, failing_since, ordering, max_delay, format,
         max_batch, max_wait, secrets, brand_id, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?, ?)`,
      [...webhookValues(webhook), idOf(webhook.brandId), webhook.createdAt]
    )
    return readOne<WebhookRow, Webhook>(
      secrets.webhookOf,
      "UPDATE webhook SET secrets = ? WHERE id = ? RETURNING *",
      [storedSecrets(secrets, webhook, id), id]
    )(sql)
  }

/** Disables the webhook and removes some of its deliveries; with the last of them, removes the webhook too. */
export const removeWebhookPiece = (sql: Connection, brandId: string, id: string): Piece => {
  const known = sql.get("SELECT 1 FROM webhook WHERE id = ? AND brand_id = ?", [idOf(id), idOf(brandId)])
  if (known === undefined) return "missing"
  const seqs = sql
    .all<{ seq: number }>("SELECT seq FROM delivery WHERE webhook_id = ? ORDER BY seq LIMIT ?", [
      idOf(id),
      maxDeliveriesPerPiece + 1
    ])
    .map(({ seq }) => seq)
  if (seqs.length <= maxDeliveriesPerPiece) {
    for (const statement of webhookRemovals) sql.run(statement, [idOf(id)])
    return "gone"
  }
  sql.run("UPDATE webhook SET enabled = 0, disabled_reason = ? WHERE id = ?", [beingDeleted, idOf(id)])
  for (const statement of deliveryRemovals)
    sql.run(statement, [JSON.stringify(seqs.slice(0, maxDeliveriesPerPiece))])
  return "some"
}

const make = Effect.gen(function* () {
  const database = yield* Database
  const { secrets } = database
  return WebhookStore.of({
    create: (webhook) => database.write(createInBrand(webhook.brandId, createWebhook(secrets, webhook))),
    list: (brandId) =>
      database.read(
        readAll(secrets.webhookOf, "SELECT * FROM webhook WHERE brand_id = ? ORDER BY id", [idOf(brandId)])
      ),
    get: (brandId, id) => database.read(webhookById(secrets, brandId, id)),
    update: (brandId, id, change) =>
      Effect.tap(
        database.write((sql, now) => {
          const before = webhookById(secrets, brandId, id)(sql)
          if (Option.isNone(before)) return Option.none()
          const after = change(before.value, now)
          sql.run(
            `UPDATE webhook SET url = ?, events = ?, description = ?, enabled = ?, disabled_reason = ?, failing_since = ?,
                 ordering = ?, max_delay = ?, format = ?, max_batch = ?, max_wait = ?, secrets = ? WHERE id = ?`,
            [...webhookValues(after), storedSecrets(secrets, after, idOf(id)), idOf(id)]
          )
          if (after.enabled && !before.value.enabled) resetPending(sql, idOf(id), now)
          if (after.ordering === "none" && before.value.ordering === "lead") dropOrder(sql, idOf(id), now)
          return Option.some(after)
        }),
        () => Queue.offer(database.queued, undefined)
      ),
    delete: (brandId, id) =>
      journaled(
        database,
        removeInPieces(database, (sql) => removeWebhookPiece(sql, brandId, id))
      )
  })
})

/** The port of webhooks. Needs the file's `Database`. */
export const layer = Layer.effect(WebhookStore, make)
