/**
 * The journal of removals: a file beside the database that says what was erased, revoked and deleted, so that a backup from before can be
 * restored without bringing it back. The database has the same as rows, written in the commit that removes; the journal gets them after
 * the commit and before the caller's answer. [REST-1, REST-2]
 */
import { StoreUnavailable } from "@lead-signals/domain"
import { randomBytes } from "node:crypto"
import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeSync
} from "node:fs"
import { basename } from "node:path"
import { diskIsFull } from "../connection/BusyRetry.ts"
import type { Connection, QueryConnection } from "../connection/Connection.ts"
import { syncFolderOf } from "../connection/FolderSync.ts"
import { type JournalText, readJournal, readRemovals, writeJournal, writeRemovals } from "./RemovalLines.ts"
import { dropOld, hasOld, headerOf, nameDatabase, newestPosition, removalsAfter } from "./RemovalRows.ts"

/** The journal of the database file. */
export const journalOf = (filename: string): string => `${filename}-removals`

const databaseIdBytes = 16

/** Where the journal was when this process last read or wrote it. */
interface Known {
  readonly inode: number
  readonly databaseId: string
  readonly bytes: number
  readonly checksum: string
  readonly last: number
}

const lastOf = ({ header, removals }: Pick<JournalText, "header" | "removals">): number =>
  removals.at(-1)?.position ?? header.dropped

const writeAll = (fd: number, text: string, position: number): void => {
  const buffer = Buffer.from(text)
  for (let done = 0; done < buffer.length;)
    done += writeSync(fd, buffer, done, buffer.length - done, position + done)
}

const unwritable = (failure: unknown): StoreUnavailable => {
  const code = (failure as NodeJS.ErrnoException).code ?? "unknown"
  const isFull = code === "ENOSPC" || code === "EDQUOT"
  const reason = `the removal is done, and could not be written to the journal of removals: ${isFull ? diskIsFull : "the disk can't be written"}`
  return new StoreUnavailable({
    reason: `${reason} (${code})`,
    publicReason: reason,
    cause: failure
  })
}

export interface RemovalJournalOptions {
  /** Whether what was written is on the disk when a call ends. */
  readonly synced: boolean
}

/** Its methods throw a `StoreUnavailable` when the journal can't be read or written. */
export class RemovalJournal {
  readonly file: string
  private readonly filename: string
  private readonly synced: boolean
  private known: Known | null = null

  constructor(filename: string, { synced }: RemovalJournalOptions) {
    this.filename = filename
    this.file = journalOf(filename)
    this.synced = synced
  }

  /**
   * Refuses a database that lacks removals of its own journal: an older copy was put in its place, and would bring back what was removed.
   */
  checkAge(sql: QueryConnection): void {
    const found = this.read()
    if (found === null || found.header.databaseId !== headerOf(sql).databaseId) return
    const lacking = lastOf(found) - newestPosition(sql)
    if (lacking <= 0) return
    throw new StoreUnavailable({
      reason:
        `${basename(this.filename)} is older than its journal of removals, ${basename(this.file)}: a copy was put in its place, and ` +
        `${lacking} erasures, revocations or deletions would be undone; run lead-signals restore instead`
    })
  }

  /** Whether the journal has all removals up to the position and none that is to be dropped, so that it need not be written. */
  isCurrent(sql: QueryConnection, now: number, upTo: number): boolean {
    try {
      this.refresh()
    } catch (failure) {
      throw unwritable(failure)
    }
    const { known } = this
    return known?.databaseId === headerOf(sql).databaseId && known.last >= upTo && !hasOld(sql, now)
  }

  /**
   * Writes to the journal what the database has up to the position and the journal has not, and drops what is old. Within a transaction
   * that writes, which keeps other processes off the journal, too. It names a database that has no name yet.
   */
  copyOut(sql: Connection, now: number, upTo: number): void {
    try {
      if (headerOf(sql).databaseId === "")
        nameDatabase(sql, randomBytes(databaseIdBytes).toString("hex"), now)
      if (hasOld(sql, now) && dropOld(sql, now)) return this.rewrite(sql, upTo)
      this.refresh()
      const { known } = this
      if (known === null || known.databaseId !== headerOf(sql).databaseId) return this.rewrite(sql, upTo)
      const missing = removalsAfter(sql, known.last, upTo)
      if (missing.length === 0) return
      if (missing[0]!.position !== known.last + 1) return this.rewrite(sql, upTo)
      const [text, checksum] = writeRemovals(known.checksum, missing)
      this.append(text, known)
      this.known = {
        ...known,
        bytes: known.bytes + Buffer.byteLength(text),
        checksum,
        last: missing.at(-1)!.position
      }
    } catch (failure) {
      this.known = null
      if (failure instanceof StoreUnavailable || (failure as { code?: string }).code?.startsWith("SQLITE_"))
        throw failure
      throw unwritable(failure)
    }
  }

  private read(): JournalText | null {
    try {
      return readJournal(readFileSync(this.file, "utf8"))
    } catch (failure) {
      if ((failure as NodeJS.ErrnoException).code === "ENOENT") return null
      throw unwritable(failure)
    }
  }

  /** Takes in what other processes have appended. */
  private refresh(): void {
    if (!existsSync(this.file)) {
      this.known = null
      return
    }
    const fd = openSync(this.file, "r")
    try {
      const { ino: inode, size } = fstatSync(fd)
      const { known } = this
      if (known !== null && known.inode === inode && known.bytes === size) return
      const from = known !== null && known.inode === inode && known.bytes < size ? known : null
      const buffer = Buffer.alloc(size - (from?.bytes ?? 0))
      readSync(fd, buffer, 0, buffer.length, from?.bytes ?? 0)
      const text = buffer.toString("utf8")
      if (from === null) {
        const found = readJournal(text)
        this.known =
          found === null || found.state === "damaged"
            ? null
            : {
                inode,
                databaseId: found.header.databaseId,
                bytes: found.bytes,
                checksum: found.checksum,
                last: lastOf(found)
              }
        return
      }
      const { bytes, checksum, removals, state } = readRemovals(text, from)
      const last = removals.at(-1)?.position ?? from.last
      this.known = state === "damaged" ? null : { ...from, bytes, checksum, last }
    } finally {
      closeSync(fd)
    }
  }

  /** Writes behind the last good line, over one that a killed process has left unfinished. */
  private append(text: string, { bytes }: Known): void {
    const fd = openSync(this.file, "r+")
    try {
      if (fstatSync(fd).size > bytes) ftruncateSync(fd, bytes)
      writeAll(fd, text, bytes)
      if (this.synced) fdatasyncSync(fd)
    } finally {
      closeSync(fd)
    }
  }

  /** Writes the journal anew from the database, and keeps aside one that is damaged or of another database. */
  private rewrite(sql: Connection, upTo: number): void {
    const header = headerOf(sql)
    const removals = removalsAfter(sql, header.dropped, upTo)
    const [text, checksum] = writeJournal(header, removals)
    const unfinished = `${this.file}.new`
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC
    const fd = openSync(unfinished, flags, 0o600)
    let inode: number
    try {
      writeAll(fd, text, 0)
      if (this.synced) fsyncSync(fd)
      inode = fstatSync(fd).ino
    } finally {
      closeSync(fd)
    }
    const found = this.read()
    if (existsSync(this.file) && (found === null || found.state === "damaged")) {
      renameSync(this.file, `${this.file}.damaged`)
    } else if (found !== null && found.header.databaseId !== header.databaseId) {
      renameSync(this.file, `${this.file}.${found.header.databaseId.slice(0, 8)}`)
    }
    renameSync(unfinished, this.file)
    if (this.synced) syncFolderOf(this.file)
    this.known = {
      inode,
      databaseId: header.databaseId,
      bytes: Buffer.byteLength(text),
      checksum,
      last: lastOf({ header, removals })
    }
  }
}
