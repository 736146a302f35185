/** Removes a webhook with its deliveries and their attempts. */
import { idOf } from "@lead-signals/sql-rows"
import type { Connection } from "../connection/Connection.ts"
import type { Piece } from "./RemovalPiece.ts"

/** Statements that remove a webhook; each removes rows that no remaining row refers to. */
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

/** Statements that remove the deliveries with these numbers. */
const deliveryRemovals = [
  "DELETE FROM attempt WHERE delivery_seq IN (SELECT value FROM json_each(?))",
  "DELETE FROM delivery_body WHERE seq IN (SELECT value FROM json_each(?))",
  "DELETE FROM delivery WHERE seq IN (SELECT value FROM json_each(?))"
]

const beingDeleted = "The webhook is being deleted; if it stays, delete it again."

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
