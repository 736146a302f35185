/** Webhooks on SQLite. */
import { AttemptTransitions, LeadOrder, type Webhook, WebhookStore } from "@lead-signals/domain"
import { journaled } from "@lead-signals/removal-journal"
import { Effect, Layer, Option, Queue } from "effect"
import type { Connection, Param } from "../connection/Connection.ts"
import { Database } from "../database/Database.ts"
import { idOf, type WebhookRow } from "@lead-signals/sql-rows"
import type { Secrets } from "../rows/Secrets.ts"
import { releasedDueAt } from "../writes/DeliveryQueue.ts"
import { removeWebhookPiece } from "../writes/WebhookRemoval.ts"
import { removeInPieces } from "./PiecewiseRemoval.ts"
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
