/** Records finished attempts on SQLite. */
import { AttemptTransitions, type DeliveryId, type Instant } from "@lead-signals/domain"
import { currentDeliveryOf, type CurrentDeliveryRow, idOf, type WebhookRow } from "@lead-signals/sql-rows"
import type { Connection } from "../connection/Connection.ts"
import { countDeliveries } from "./DeliveryCounts.ts"
import { releasedDueAt } from "./DeliveryQueue.ts"

interface AttemptedRow extends CurrentDeliveryRow {
  readonly seq: number
}

const attempted = (sql: Connection, ids: ReadonlyArray<DeliveryId>): ReadonlyArray<AttemptedRow> =>
  sql.all<AttemptedRow>(
    `SELECT d.seq, d.id, d.webhook_id, d.state, d.attempts, d.failures, d.failing_since, d.ordered_lead, d.lease, d.due_at, d.finished_at
     FROM json_each(?) j CROSS JOIN delivery d ON d.id = j.value`,
    [JSON.stringify(ids)]
  )

const webhooksOf = (
  sql: Connection,
  rows: ReadonlyArray<AttemptedRow>
): ReadonlyArray<AttemptTransitions.CurrentWebhook> =>
  sql
    .all<WebhookRow>("SELECT w.* FROM json_each(?) j CROSS JOIN webhook w ON w.id = j.value", [
      JSON.stringify([...new Set(rows.map(({ webhook_id }) => webhook_id))])
    ])
    .map((row) => ({
      id: String(row.id),
      url: row.url,
      enabled: row.enabled === 1,
      disabledReason: row.disabled_reason,
      failingSince: row.failing_since,
      ordering: row.ordering,
      maxDelay: row.max_delay
    }))

/** What an attempt leaves in the columns of its delivery. */
const outcomeOf = (to: AttemptTransitions.CurrentDelivery): ReadonlyArray<string | number | null> => [
  to.state,
  to.attempts,
  to.failures,
  to.lease,
  to.dueAt,
  to.finishedAt,
  to.failingSince
]

/** Writes what attempts change: a row for each, and few statements else. */
const write = (
  sql: Connection,
  changes: AttemptTransitions.Changes,
  rows: ReadonlyMap<string, AttemptedRow>,
  now: Instant
) => {
  const seqOf = (id: DeliveryId): number => rows.get(id)!.seq
  // Most are delivered by their first attempt, and get the same columns.
  const alike = Map.groupBy(changes.deliveries, (to) => outcomeOf(to).join(" "))
  for (const deliveries of alike.values()) {
    sql.run(
      `UPDATE delivery SET state = ?, attempts = ?, failures = ?, lease = ?, due_at = ?, finished_at = ?, failing_since = ?
         WHERE seq IN (SELECT value FROM json_each(?))`,
      [...outcomeOf(deliveries[0]!), JSON.stringify(deliveries.map(({ id }) => seqOf(id)))]
    )
  }
  sql.runPerRow(
    `INSERT INTO attempt (delivery_seq, number, at, duration_millis, status, error, response, batch_id, format)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    changes.log.map((attempt) => [
      seqOf(attempt.deliveryId),
      attempt.number,
      attempt.at,
      attempt.durationMillis,
      attempt.status,
      attempt.error,
      attempt.response,
      attempt.batchId,
      attempt.format
    ])
  )
  const finished = changes.deliveries.filter(({ state }) => state !== "pending")
  sql.run("DELETE FROM delivery_body WHERE seq IN (SELECT value FROM json_each(?))", [
    JSON.stringify(finished.map(({ id }) => seqOf(id)))
  ])
  if (changes.endedInOrder.length > 0) {
    // The next one of each, if it waits.
    sql.run(
      `UPDATE delivery SET due_at = ${releasedDueAt} WHERE state = 'pending' AND seq IN (
         SELECT (SELECT n.seq FROM delivery n WHERE n.webhook_id = j.value ->> 0 AND n.ordered_lead = j.value ->> 1
                   AND n.seq > j.value ->> 2 ORDER BY n.seq LIMIT 1) FROM json_each(?) j)`,
      [
        now,
        JSON.stringify(
          changes.endedInOrder.map(({ id, orderedLead, webhookId }) => [
            idOf(webhookId),
            orderedLead,
            seqOf(id)
          ])
        )
      ]
    )
  }
  countDeliveries(
    sql,
    changes.deliveries.map(({ finishedAt, id, state }) => {
      const { state: from, webhook_id: webhookId } = rows.get(id)!
      return { webhookId, from, to: state, finishedAt }
    })
  )
  for (const { disabledReason, enabled, failingSince, id } of changes.webhooks) {
    sql.run("UPDATE webhook SET enabled = ?, disabled_reason = ?, failing_since = ? WHERE id = ?", [
      Number(enabled),
      disabledReason,
      failingSince,
      idOf(id)
    ])
  }
}

/** Settles the attempts and writes what they change, in the transaction of the caller. [DELIV-5] */
export const record = (
  sql: Connection,
  attempts: ReadonlyArray<AttemptTransitions.FinishedAttempt>,
  now: Instant
): ReadonlyArray<AttemptTransitions.Recorded> => {
  const rows = attempted(sql, [...new Set(attempts.map(({ deliveryId }) => deliveryId))])
  const webhooks = webhooksOf(sql, rows)
  const changes = AttemptTransitions.settleAll(
    { deliveries: rows.map(currentDeliveryOf), webhooks },
    attempts,
    now
  )
  write(sql, changes, new Map(rows.map((row) => [row.id, row])), now)
  return changes.recorded
}
