/**
 * The journal of removals of a database: a file in a folder of the node, which says what was erased, revoked and deleted by any node, so that a
 * dump from before can be restored without bringing it back. The database has the same as rows; the journal gets them after the commit and
 * before the caller's answer. Several nodes may share one folder, and with it the file. [REST-1, REST-2]
 */
import { StoreUnavailable } from "@lead-signals/domain"
import {
  identityOf,
  JournalFile,
  type JournalEnd,
  lackingIn,
  type Removal
} from "@lead-signals/removal-journal"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import type { Connection } from "../connection/Connection.ts"
import type { Transactor } from "../connection/Transactions.ts"
import {
  hasOld,
  historyOf,
  lockJournal,
  numberRemovals,
  removalAt,
  removalsAfter,
  type RemovalState,
  stateOf
} from "./RemovalRows.ts"

const databaseIdBytes = 16

const journalName = "removals-"

/** The file of the database's journal in a folder. */
const journalIn = (folder: string, databaseId: string): string => join(folder, `${journalName}${databaseId}`)

/** Whether a file of a folder is a journal by its name. */
export const isJournalName = (name: string): boolean =>
  /^[0-9a-f]{32}$/.test(name.slice(journalName.length)) && name.startsWith(journalName)

const isSame = (one: Removal | null, other: Removal | null): boolean =>
  one !== null && other !== null && identityOf(one) === identityOf(other)

/** Its methods reject with a `StoreUnavailable` when the journal can't be read or written, or the database lacks removals of it. */
export class RemovalJournal {
  private readonly folder: string
  private readonly transactor: Transactor
  private opened: { readonly databaseId: string; readonly file: JournalFile } | null = null

  /** The folder must be there before the journal is written. */
  constructor(folder: string, transactor: Transactor) {
    this.folder = folder
    this.transactor = transactor
  }

  /** Refuses a database that lacks removals of its own journal: it was restored, and would bring back what was removed. */
  async checkAge(): Promise<void> {
    const { header } = await this.transactor.read(stateOf)
    if (header.databaseId !== "")
      await this.transactor.readSnapshot((sql) => this.refuseLacking(sql, this.fileOf(header.databaseId)))
  }

  /** Numbers what was removed, and brings the journal up to the database. The database gets a name when it has none yet. */
  async bringUp(now: number): Promise<void> {
    const found = await this.transactor.read(stateOf)
    const isNumbered = found.header.databaseId !== "" && !found.hasUnnumbered && !hasOld(found, now)
    const state = isNumbered
      ? found
      : await this.transactor.write((sql) =>
          numberRemovals(sql, now, randomBytes(databaseIdBytes).toString("hex"))
        )
    const file = this.fileOf(state.header.databaseId)
    const end = file.end()
    if (end !== null && isOf(end, state) && end.last === state.newest && isSameEnd(end, state.newestRemoval))
      return
    await this.transactor.write((sql) => this.copyOut(sql, file))
  }

  /** One for each name: the file remembers where it ends. */
  private fileOf(databaseId: string): JournalFile {
    if (this.opened?.databaseId !== databaseId) {
      const file = new JournalFile(journalIn(this.folder, databaseId), { synced: true })
      this.opened = { databaseId, file }
    }
    return this.opened.file
  }

  /** Writes to the journal what the database has and it has not. A transaction that is run again finds the end where it left it. */
  private async copyOut(sql: Connection, file: JournalFile): Promise<void> {
    await lockJournal(sql)
    const state = await stateOf(sql)
    const end = file.end()
    const isContinued =
      end !== null &&
      isOf(end, state) &&
      end.last <= state.newest &&
      (end.newest === null || isSame(end.newest, await removalAt(sql, end.last)))
    if (isContinued) {
      file.append(await removalsAfter(sql, end.last))
      return
    }
    await this.refuseLacking(sql, file)
    file.rewrite(state.header, await removalsAfter(sql, state.header.dropped))
  }

  private async refuseLacking(sql: Connection, file: JournalFile): Promise<void> {
    const found = file.read()
    if (found === null) return
    const lacking = lackingIn(await historyOf(sql), found.removals)
    if (lacking.length === 0) return
    const what = `${lacking.length} erasures, revocations or deletions`
    throw new StoreUnavailable({
      reason:
        `the database is older than its journal of removals, ${file.file}: it was restored, and ${what} would be undone; ` +
        `stop the servers and run lead-signals restore --journal ${this.folder}`,
      publicReason: `the database lacks ${what} that its journal of removals has`
    })
  }
}

/** Whether the journal is the database's, and has nothing that the database has dropped. */
const isOf = (end: JournalEnd, { header }: RemovalState): boolean =>
  end.databaseId === header.databaseId && end.dropped === header.dropped

const isSameEnd = ({ newest }: JournalEnd, removal: Removal | null): boolean =>
  newest === null ? removal === null : isSame(newest, removal)
