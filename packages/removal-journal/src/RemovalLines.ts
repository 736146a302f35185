/**
 * The text of a journal of removals: a line for its database, then one for each removal. Each line ends with a checksum over itself and
 * the line before, so that a line which is changed, missing, moved or cut short is seen. [REST-1, REST-3]
 */
import { createHash } from "node:crypto"

/** What can come back with a backup: personal data, or access to it. */
export const removalKinds = ["person", "key", "token", "signal", "campaign", "webhook", "brand"] as const
/** One of `removalKinds`. */
export type RemovalKind = (typeof removalKinds)[number]

/** One removal, as table and journal have it. */
export interface Removal {
  /** One more than that of the removal before, in one database for ever. */
  readonly position: number
  /** When it was removed, in milliseconds of Unix time. */
  readonly at: number
  /** What was removed. */
  readonly kind: RemovalKind
  /** Null for an operator's token. */
  readonly brandId: number | null
  /**
   * The hash that stays of an erased person, the hash by which a key or token is found, or the number of anything else and
   * its creation.
   */
  readonly subject: string
}

/** The first line. */
export interface JournalHeader {
  /** The database's own random name, which its backups have, too. */
  readonly databaseId: string
  /** The position of the newest removal that is not kept any more. */
  readonly dropped: number
  /** When the database began to record removals. */
  readonly beganAt: number
}

/** How far a journal could be read. */
export interface JournalText {
  /** The first line. */
  readonly header: JournalHeader
  /** Those of all good lines, oldest first. */
  readonly removals: ReadonlyArray<Removal>
  /** The checksum of the last good line. */
  readonly checksum: string
  /** The length of all good lines. */
  readonly bytes: number
  /** `cut`: the last line has no end; a process was killed while it wrote it. `damaged`: a whole line is wrong. */
  readonly state: "whole" | "cut" | "damaged"
}

/** Removals are kept for so long, in the table and in the journal; a backup that is older can't be restored with them. */
export const keptMillis = 400 * 24 * 3_600_000

/** How many removals of a kind a replay did again, and how many found nothing: what they name was made after the backup, or is gone there. */
interface Replayed {
  readonly done: number
  readonly absent: number
}

/** What a replay did, by kind. */
export type ReplayedByKind = Readonly<Record<RemovalKind, Replayed>>

const format = "lead-signals-removals-1"
const checksumLength = 16

const checksumOf = (before: string, content: string): string =>
  createHash("sha256").update(`${before}\n${content}`).digest("hex").slice(0, checksumLength)

const sealed = (before: string, content: string): readonly [line: string, checksum: string] => {
  const checksum = checksumOf(before, content)
  return [`${content} ${checksum}\n`, checksum]
}

/** The lines of the removals, which follow a line with the checksum, and the checksum of the last. */
export const writeRemovals = (
  checksum: string,
  removals: ReadonlyArray<Removal>
): readonly [text: string, checksum: string] => {
  let [text, last] = ["", checksum]
  for (const { at, brandId, kind, position, subject } of removals) {
    const [line, next] = sealed(last, `${position} ${at} ${kind} ${brandId ?? "-"} ${subject}`)
    text += line
    last = next
  }
  return [text, last]
}

/** A whole journal, and the checksum of its last line. */
export const writeJournal = (
  { beganAt, databaseId, dropped }: JournalHeader,
  removals: ReadonlyArray<Removal>
): readonly [text: string, checksum: string] => {
  const [first, checksum] = sealed("", `${format} ${databaseId} ${dropped} ${beganAt}`)
  const [rest, last] = writeRemovals(checksum, removals)
  return [first + rest, last]
}

const headerPattern = /^lead-signals-removals-1 ([0-9a-f]{32}) (\d{1,15}) (\d{1,15})$/
const removalPattern = /^(\d{1,15}) (-?\d{1,16}) ([a-z]+) (\d{1,15}|-) (\S+)$/

const removalOf = (content: string): Removal | null => {
  const [, position, at, kind, brandId, subject] = removalPattern.exec(content) ?? []
  if (!removalKinds.includes(kind as RemovalKind)) return null
  return {
    position: Number(position),
    at: Number(at),
    kind: kind as RemovalKind,
    brandId: brandId === "-" ? null : Number(brandId),
    subject: subject!
  }
}

/** The content of a line whose checksum is right; null of another. */
const contentOf = (before: string, line: string): string | null => {
  const at = line.length - checksumLength - 1
  if (at < 1 || line[at] !== " ") return null
  const content = line.slice(0, at)
  return checksumOf(before, content) === line.slice(at + 1) ? content : null
}

/** Reads lines behind a good one. */
export const readRemovals = (
  text: string,
  from: Pick<JournalText, "checksum" | "bytes"> & { readonly last: number }
): Omit<JournalText, "header"> => {
  const removals: Array<Removal> = []
  let { bytes, checksum, last } = from
  let at = 0
  for (;;) {
    const end = text.indexOf("\n", at)
    if (end < 0) return { removals, checksum, bytes, state: at === text.length ? "whole" : "cut" }
    const line = text.slice(at, end)
    const content = contentOf(checksum, line)
    const removal = content === null ? null : removalOf(content)
    if (removal === null || removal.position !== last + 1) {
      return { removals, checksum, bytes, state: "damaged" }
    }
    removals.push(removal)
    last = removal.position
    checksum = line.slice(-checksumLength)
    bytes += Buffer.byteLength(line) + 1
    at = end + 1
  }
}

/** Reads a journal; null where not even its first line is one's. */
export const readJournal = (text: string): JournalText | null => {
  const end = text.indexOf("\n")
  const line = text.slice(0, Math.max(0, end))
  const content = contentOf("", line)
  const [, databaseId, dropped, beganAt] = headerPattern.exec(content ?? "") ?? []
  if (databaseId === undefined) return null
  const header = { databaseId, dropped: Number(dropped), beganAt: Number(beganAt) }
  const checksum = line.slice(-checksumLength)
  return {
    header,
    ...readRemovals(text.slice(end + 1), {
      checksum,
      bytes: Buffer.byteLength(line) + 1,
      last: header.dropped
    })
  }
}
