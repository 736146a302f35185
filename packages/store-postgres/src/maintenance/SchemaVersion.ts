/** The version of the schema, for maintenance that does not bring it to this one. */
import { StoreUnavailable } from "@lead-signals/domain"
import type { Connection } from "../connection/Connection.ts"
import { refuseNewer } from "../schema/Migrations.ts"

/** The number of the newest migration. Rejects where there are no tables of Lead Signals, or they need a newer version. [STORE-4] */
export const readVersion = async (sql: Connection): Promise<number> => {
  const { found } = (await sql.get<{ readonly found: number }>(
    `SELECT count(*)::int AS found FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'lead_signals' AND c.relkind IN ('r', 'p') AND c.relname IN ('migration', 'lead')`
  ))!
  if (found !== 2) throw new StoreUnavailable({ reason: "the database has no tables of Lead Signals" })
  const row = (await sql.get<{ readonly id: number; readonly min_version: number }>(
    "SELECT coalesce(max(id), 0) AS id, coalesce(max(min_version), 0) AS min_version FROM lead_signals.migration"
  ))!
  refuseNewer(row, "lead_signals")
  return row.id
}
