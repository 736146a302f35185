/** The audit log on Postgres. */
import { type AuditEntry, AuditLog, type AuditQuery } from "@lead-signals/domain"
import { auditEntryOf, type AuditRow, idOf, newAuditColumns, newAuditValues } from "@lead-signals/sql-rows"
import { Effect, Layer } from "effect"
import type { Param } from "../connection/Connection.ts"
import { Database } from "../connection/Database.ts"
import { settlePlanner } from "../query/PlannerSettings.ts"
import { readAll, readOne } from "./Statements.ts"

const columns = "id, at, actor_type, actor_id, via_session, operation, brand_id, subject_id, status"

/** Entries of some brands are read brand by brand, each in its order: a brand with few entries must not cost a walk through all. */
const listed = ({ after, brandIds, limit, since }: AuditQuery) => {
  const params: Array<Param> = [limit]
  const place = (param: Param): string => `$${params.push(param)}`
  const brands = brandIds === null ? null : `unnest(${place(brandIds.map(idOf))}::bigint[])`
  const conditions = [
    ...(brands === null ? [] : ["brand_id = b.id"]),
    ...(since === null ? [] : [`at >= ${place(since)}`]),
    ...(after === null ? [] : [`(at, id) < (${place(after.at)}, ${place(idOf(after.id))})`])
  ]
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`
  const newest = "ORDER BY at DESC, id DESC LIMIT $1"
  const entries = `SELECT ${columns} FROM lead_signals.audit_entry ${where} ${newest}`
  return readAll<AuditRow, AuditEntry>(
    auditEntryOf,
    brands === null ? entries : `SELECT e.* FROM ${brands} b(id) CROSS JOIN LATERAL (${entries}) e ${newest}`,
    params
  )
}

const make = Effect.map(Database, (database) =>
  AuditLog.of({
    append: (entry) =>
      database.write(
        readOne<{ readonly id: number }, string>(
          ({ id }) => String(id),
          `INSERT INTO lead_signals.audit_entry (${newAuditColumns})
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
          newAuditValues(entry, entry.viaSession)
        )
      ),
    complete: (id, { status, subjectId }) =>
      database.write(async (sql) => {
        await sql.run(
          "UPDATE lead_signals.audit_entry SET status = $2, subject_id = $3 WHERE id = $1 AND status IS NULL",
          [idOf(id), status, subjectId]
        )
      }),
    list: (query) =>
      database.readSnapshot(async (sql) => {
        await sql.get(settlePlanner)
        return listed(query)(sql)
      }),
    prune: ({ before, limit }) =>
      database.write((sql) =>
        // Two nodes that prune at once take different entries.
        sql.run(
          `DELETE FROM lead_signals.audit_entry WHERE id IN
             (SELECT id FROM lead_signals.audit_entry WHERE at < $1 ORDER BY at, id LIMIT $2 FOR UPDATE SKIP LOCKED)`,
          [before, limit]
        )
      )
  })
)

/** The port of the audit log. Needs the `Database`. */
export const layer = Layer.effect(AuditLog, make)
