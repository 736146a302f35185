/** The file of a journal of removals: appended line by line, synced, and written anew where lines of it are wrong or over. [REST-1, REST-2] */
import { StoreUnavailable } from "@lead-signals/domain"
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
import { dirname } from "node:path"
import { giveOwnerOf } from "./FileOwner.ts"
import {
  type JournalHeader,
  type JournalText,
  readJournal,
  readRemovals,
  type Removal,
  writeJournal,
  writeRemovals
} from "./RemovalLines.ts"

/** Where a journal ends. */
export interface JournalEnd {
  /** That of the header. */
  readonly databaseId: string
  /** The newest position that is not in the journal any more, because its time is over. */
  readonly dropped: number
  /** The position of the newest removal that the journal has or had. */
  readonly last: number
  /** The newest removal that the journal has; null where it has none. */
  readonly newest: Removal | null
}

/** Where the journal was when this process last read or wrote it. */
interface Known extends JournalEnd {
  readonly inode: number
  readonly bytes: number
  readonly checksum: string
}

/** How the file is written. */
export interface JournalFileOptions {
  /** Whether what was written is on the disk when a call ends. */
  readonly synced: boolean
}

const lastOf = ({ header, removals }: Pick<JournalText, "header" | "removals">): number =>
  removals.at(-1)?.position ?? header.dropped

const writeAll = (fd: number, text: string, position: number): void => {
  const buffer = Buffer.from(text)
  for (let done = 0; done < buffer.length;)
    done += writeSync(fd, buffer, done, buffer.length - done, position + done)
}

/**
 * Ends when the file's entry in its folder is on the disk: without it a renamed file can be missing after a loss of power. Throws the error of
 * `node:fs` where the folder can't be opened or synced.
 */
export const syncFolderOf = (file: string): void => {
  // Windows opens no folders, and needs no such sync.
  if (process.platform === "win32") return
  const folder = openSync(dirname(file), "r")
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

const unwritable = (failure: unknown): StoreUnavailable => {
  const code = (failure as NodeJS.ErrnoException).code ?? "unknown"
  const isFull = code === "ENOSPC" || code === "EDQUOT"
  const reason = `the removal is done, and could not be written to the journal of removals: ${isFull ? "the disk is full" : "the disk can't be written"}`
  return new StoreUnavailable({
    reason: `${reason} (${code})`,
    publicReason: reason,
    cause: failure
  })
}

const attempt = <A>(work: () => A): A => {
  try {
    return work()
  } catch (failure) {
    throw unwritable(failure)
  }
}

/**
 * The file of one journal. Several processes may read it at once; the caller lets one at a time call `append` and `rewrite`, which trust that the
 * end has not moved since `end`. Methods throw a `StoreUnavailable` when the file can't be read or written.
 */
export class JournalFile {
  /** The path. */
  readonly file: string
  private readonly synced: boolean
  private known: Known | null = null

  /** The file need not be there yet; its folder must be. */
  constructor(file: string, { synced }: JournalFileOptions) {
    this.file = file
    this.synced = synced
  }

  /** All of the journal; null where there is none, or what is there is no journal. */
  read(): JournalText | null {
    return attempt(() => {
      try {
        return readJournal(readFileSync(this.file, "utf8"))
      } catch (failure) {
        if ((failure as NodeJS.ErrnoException).code === "ENOENT") return null
        throw failure
      }
    })
  }

  /** Where the journal ends, with what other processes have appended; null where it is missing or damaged and has to be written anew. */
  end(): JournalEnd | null {
    return attempt(() => {
      this.refresh()
      return this.known
    })
  }

  /** Appends removals that follow the end, over a line that a killed process has left unfinished. */
  append(removals: ReadonlyArray<Removal>): void {
    const { known } = this
    if (known === null || removals.length === 0) return
    const [text, checksum] = writeRemovals(known.checksum, removals)
    this.known = null
    attempt(() => {
      const fd = openSync(this.file, "r+")
      try {
        if (fstatSync(fd).size > known.bytes) ftruncateSync(fd, known.bytes)
        writeAll(fd, text, known.bytes)
        if (this.synced) fdatasyncSync(fd)
      } finally {
        closeSync(fd)
      }
    })
    const bytes = known.bytes + Buffer.byteLength(text)
    const newest = removals.at(-1)!
    this.known = { ...known, bytes, checksum, last: newest.position, newest }
  }

  /** Writes the journal anew, and keeps aside one that is damaged or of another database. */
  rewrite(header: JournalHeader, removals: ReadonlyArray<Removal>): void {
    const [text, checksum] = writeJournal(header, removals)
    this.known = null
    const inode = attempt(() => this.replace(text, header.databaseId))
    this.known = {
      inode,
      databaseId: header.databaseId,
      dropped: header.dropped,
      bytes: Buffer.byteLength(text),
      checksum,
      last: lastOf({ header, removals }),
      newest: removals.at(-1) ?? null
    }
  }

  /**
   * Writes a new file beside the journal and renames it: a kill leaves the old or the new one, whole. One that can't be read, or is of
   * another database, stays under another name.
   */
  private replace(text: string, databaseId: string): number {
    const unfinished = `${this.file}.new`
    const fd = openSync(unfinished, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, 0o600)
    let inode: number
    try {
      writeAll(fd, text, 0)
      if (this.synced) fsyncSync(fd)
      inode = fstatSync(fd).ino
    } finally {
      closeSync(fd)
    }
    const isThere = existsSync(this.file)
    giveOwnerOf(isThere ? this.file : dirname(this.file), unfinished)
    const found = this.read()
    if (isThere && (found === null || found.state === "damaged")) {
      renameSync(this.file, `${this.file}.damaged`)
    } else if (found !== null && found.header.databaseId !== databaseId) {
      renameSync(this.file, `${this.file}.${found.header.databaseId.slice(0, 8)}`)
    }
    renameSync(unfinished, this.file)
    if (this.synced) syncFolderOf(this.file)
    return inode
  }

  /**
   * Reads what other processes have appended since, or all of it where the file is another one than before; nothing while file and length
   * are the same.
   */
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
        if (found === null || found.state === "damaged") this.known = null
        else {
          const { bytes, checksum, header } = found
          const { databaseId, dropped } = header
          const [last, newest] = [lastOf(found), found.removals.at(-1) ?? null]
          this.known = { inode, databaseId, dropped, bytes, checksum, last, newest }
        }
        return
      }
      const { bytes, checksum, removals, state } = readRemovals(text, from)
      const newest = removals.at(-1) ?? from.newest
      const last = newest?.position ?? from.last
      this.known = state === "damaged" ? null : { ...from, bytes, checksum, last, newest }
    } finally {
      closeSync(fd)
    }
  }
}
