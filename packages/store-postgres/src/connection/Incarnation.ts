/** Which life of which server a connection reaches. Ids of transactions that were under way at the end of a life are given again in the next. */
import type pg from "pg"
import { QueryFailure } from "./Failures.ts"

/**
 * A text that changes when another server takes over (its log has another timeline), and when the server starts again or recovers from a crash
 * of one of its processes (statistics begin anew).
 */
const incarnationSql = `CASE WHEN pg_is_in_recovery() THEN NULL ELSE concat_ws(' ', substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
    pg_postmaster_start_time(), (SELECT stats_reset FROM pg_stat_bgwriter)) END`

/** Asks servers for their incarnation; remembers that they refuse, as those do that keep their log to themselves (Aurora). */
export class Incarnations {
  private isRefused = false

  /** An expression of SQL for the incarnation; NULL once a server has refused it. */
  get sql(): string {
    return this.isRefused ? "NULL::text" : incarnationSql
  }

  /** The incarnation of the client's server; null where it does not say. Rejects when the connection is lost. */
  async of(client: pg.ClientBase): Promise<string | null> {
    if (this.isRefused) return null
    try {
      const { rows } = await client.query<{ readonly incarnation: string | null }>(
        `SELECT ${incarnationSql} AS incarnation`
      )
      return rows[0]!.incarnation
    } catch (error) {
      // A missing function, a missing permission, or one that this kind of server does not have.
      if (!/^(?:42|0A|55|22)/.test(new QueryFailure(error).sqlState ?? "")) throw error
      this.isRefused = true
      return null
    }
  }
}
