/** The audit log on SQLite. */
import { type AuditEntry, AuditLog, type AuditQuery, type BrandId } from "@lead-signals/domain"
import { Effect, Layer } from "effect"
import type { Connection, Param } from "../connection/Connection.ts"
import { Database } from "../database/Database.ts"
import { auditEntryOf, type AuditRow, idOf, newAuditColumns, newAuditValues } from "@lead-signals/sql-rows"
import { readAll, readOne } from "./Statements.ts"

/** Entries of some brands are read brand by brand, each in its order: a brand with few entries must not cost a walk through all. */
const listed = ({ after, brandIds, limit, since }: AuditQuery) => {
  const ofBrand = (brandId: BrandId | null): readonly [text: string, params: ReadonlyArray<Param>] => {
    const conditions: Array<readonly [text: string, params: ReadonlyArray<Param>]> = [
      ...(brandId === null ? [] : [["brand_id = ?", [idOf(brandId)]] as const]),
      ...(since === null ? [] : [["at >= ?", [since]] as const]),
      ...(after === null ? [] : [["(at, id) < (?, ?)", [after.at, idOf(after.id)]] as const])
    ]
    const where = conditions.length === 0 ? "" : ` WHERE ${conditions.map(([text]) => text).join(" AND ")}`
    return [
      `SELECT * FROM audit_entry${where} ORDER BY at DESC, id DESC LIMIT ?`,
      [...conditions.flatMap(([, params]) => params), limit]
    ]
  }
  // No brand at all: there is no entry of it.
  if (brandIds?.length === 0) return () => []
  const parts = (brandIds ?? [null]).map(ofBrand)
  const all = parts.map(([text]) => `SELECT * FROM (${text})`).join(" UNION ALL ")
  return readAll<AuditRow, AuditEntry>(auditEntryOf, `${all} ORDER BY at DESC, id DESC LIMIT ?`, [
    ...parts.flatMap(([, params]) => params),
    limit
  ])
}

const make = Effect.map(Database, (database) =>
  AuditLog.of({
    append: (entry) =>
      database.write(
        readOne<{ readonly id: number }, string>(
          ({ id }) => String(id),
          `INSERT INTO audit_entry (${newAuditColumns})
           VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
          newAuditValues(entry, Number(entry.viaSession))
        )
      ),
    complete: (id, { status, subjectId }) =>
      database.write((sql) => {
        sql.run("UPDATE audit_entry SET status = ?, subject_id = ? WHERE id = ? AND status IS NULL", [
          status,
          subjectId,
          idOf(id)
        ])
      }),
    list: (query) => database.read(listed(query)),
    prune: ({ before, limit }) =>
      database.write(
        (sql: Connection) =>
          sql.all(
            `DELETE FROM audit_entry WHERE id IN
               (SELECT id FROM audit_entry WHERE at < ? ORDER BY at, id LIMIT ?) RETURNING id`,
            [before, limit]
          ).length
      )
  })
)

/** The port of the audit log. Needs the file's `Database`. */
export const layer = Layer.effect(AuditLog, make)
