/**
 * The journal of removals of a database file: a file beside it, or where the host wants it, that says what was erased, revoked and deleted, so
 * that a backup from before can be restored without bringing it back. The database has the same as rows, written in the commit that removes;
 * the journal gets them after the commit and before the caller's answer. [REST-1, REST-2]
 */
import { StoreUnavailable } from "@lead-signals/domain"
import { JournalFile, type JournalFileOptions } from "@lead-signals/removal-journal"
import { randomBytes } from "node:crypto"
import { basename } from "node:path"
import type { Connection, QueryConnection } from "../connection/Connection.ts"
import { dropOld, hasOld, headerOf, nameDatabase, newestPosition, removalsAfter } from "./RemovalRows.ts"

/** The journal of the database file, unless the host wants it elsewhere. */
export const journalOf = (filename: string): string => `${filename}-removals`

const databaseIdBytes = 16

/** Where the journal is, and how it is written. */
export interface RemovalJournalOptions extends JournalFileOptions {
  /** The path of the journal; that of `journalOf` unless given. */
  readonly file?: string | undefined
}

/** Its methods throw a `StoreUnavailable` when the journal can't be read or written. */
export class RemovalJournal {
  private readonly filename: string
  private readonly journal: JournalFile

  constructor(filename: string, { file = journalOf(filename), synced }: RemovalJournalOptions) {
    this.filename = filename
    this.journal = new JournalFile(file, { synced })
  }

  /**
   * Refuses a database that lacks removals of its own journal: an older copy was put in its place, and would bring back what was removed.
   */
  checkAge(sql: QueryConnection): void {
    const found = this.journal.read()
    if (found === null || found.header.databaseId !== headerOf(sql).databaseId) return
    const lacking = (found.removals.at(-1)?.position ?? found.header.dropped) - newestPosition(sql)
    if (lacking <= 0) return
    throw new StoreUnavailable({
      reason:
        `${basename(this.filename)} is older than its journal of removals, ${basename(this.journal.file)}: a copy was put in its place, and ` +
        `${lacking} erasures, revocations or deletions would be undone; run lead-signals restore instead`
    })
  }

  /** Whether the journal has all removals up to the position and none that is to be dropped, so that it need not be written. */
  isCurrent(sql: QueryConnection, now: number, upTo: number): boolean {
    const end = this.journal.end()
    return end?.databaseId === headerOf(sql).databaseId && end.last >= upTo && !hasOld(sql, now)
  }

  /**
   * Writes to the journal what the database has up to the position and the journal has not, and drops what is old. Within a transaction
   * that writes, which keeps other processes off the journal, too. It names a database that has no name yet.
   */
  copyOut(sql: Connection, now: number, upTo: number): void {
    if (headerOf(sql).databaseId === "") nameDatabase(sql, randomBytes(databaseIdBytes).toString("hex"), now)
    if (hasOld(sql, now) && dropOld(sql, now)) return this.rewrite(sql, upTo)
    const end = this.journal.end()
    if (end === null || end.databaseId !== headerOf(sql).databaseId) return this.rewrite(sql, upTo)
    const missing = removalsAfter(sql, end.last, upTo)
    if (missing.length === 0) return
    if (missing[0]!.position === end.last + 1) this.journal.append(missing)
    else this.rewrite(sql, upTo)
  }

  /** Writes the journal anew from the database. */
  private rewrite(sql: Connection, upTo: number): void {
    const header = headerOf(sql)
    this.journal.rewrite(header, removalsAfter(sql, header.dropped, upTo))
  }
}
