/** Finds the removals that a copy lacks: in the journal, and in the database that the copy replaces. [REST-3] */
import { Data } from "effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { type JournalHeader, type JournalText, readJournal, type Removal } from "../journal/RemovalLines.ts"
import { journalOf } from "../journal/RemovalJournal.ts"

/** A restore that would bring back what was removed, or lose a database. `reason` says what to do instead. */
export class RestoreRefused extends Data.TaggedError("RestoreRefused")<{
  /** What is wrong, and what to do instead: a clause without a full stop. */
  readonly reason: string
}> {}

/** How the copy stands to the journal. */
export interface CopyPosition {
  /** Null of a copy by a version without a journal. */
  readonly header: JournalHeader | null
  readonly newest: number
  /** The newest removals of the copy itself. */
  readonly removals: ReadonlyArray<Removal>
}

/** What the database at the target says of itself; null where it can't be read. */
export type ReplacedDatabase = CopyPosition | null

export interface JournalOptions {
  /** A file, `beside` the target, or `none`. */
  readonly journal: { readonly file: string } | "beside" | "none"
  /** Whether a journal counts that is damaged or ends too early. */
  readonly acceptIncomplete: boolean
}

/** The removals that a copy is to get. */
export interface FoundRemovals {
  /** The journal that was read; null without one. */
  readonly file: string | null
  /** The database whose copy it is; null to give the copy a name of its own. */
  readonly databaseId: string | null
  readonly dropped: number
  readonly beganAt: number
  readonly removals: ReadonlyArray<Removal>
  /** What may be missing, in sentences for the operator. */
  readonly warnings: ReadonlyArray<string>
}

interface NamedJournal extends JournalText {
  readonly file: string
}

const readFile = (file: string): NamedJournal | null => {
  const found = readJournal(readFileSync(file, "utf8"))
  return found === null ? null : { file, ...found }
}

/** The journals beside the target: its own, and those of databases that were at its path before. */
const journalsBeside = (target: string): ReadonlyArray<NamedJournal> => {
  const own = journalOf(target)
  const folder = dirname(own)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name === basename(own) || name.startsWith(`${basename(own)}.`))
    .filter((name) => !name.endsWith(".new"))
    .map((name) => readFile(join(folder, name)))
    .filter((found) => found !== null)
    .sort((one, other) => Number(other.file === own) - Number(one.file === own))
}

const chosen = (target: string, copy: CopyPosition, { journal }: JournalOptions): NamedJournal | null => {
  if (journal === "none") return null
  if (journal !== "beside") {
    const found = existsSync(journal.file) ? readFile(journal.file) : null
    if (found === null) throw new RestoreRefused({ reason: `${journal.file} is not a journal of removals` })
    if (copy.header !== null && found.header.databaseId !== copy.header.databaseId)
      throw new RestoreRefused({
        reason: `${journal.file} is the journal of another database than the copy's`
      })
    return found
  }
  const beside = journalsBeside(target)
  return (
    (copy.header === null
      ? beside.find(({ file }) => file === journalOf(target))
      : beside.find(({ header }) => header.databaseId === copy.header?.databaseId)) ?? null
  )
}

const same = (one: Removal, other: Removal): boolean =>
  one.kind === other.kind && one.subject === other.subject && one.at === other.at

/** Throws a `RestoreRefused` when removals since the copy may be missing. */
export const findRemovals = (
  target: string,
  copy: CopyPosition,
  replaced: ReplacedDatabase,
  options: JournalOptions
): FoundRemovals => {
  if (options.journal === "none") {
    return { file: null, databaseId: null, dropped: 0, beganAt: 0, removals: [], warnings: [] }
  }
  const journal = chosen(target, copy, options)
  const wanted = copy.header?.databaseId ?? journal?.header.databaseId ?? replaced?.header?.databaseId ?? null
  const rows = replaced?.header?.databaseId === wanted ? replaced : null
  if (wanted === null || (journal === null && rows === null)) {
    throw new RestoreRefused({
      reason: `there is no journal of removals of this database beside ${target}: name it with --journal, or restore --without-journal and repeat by hand what was erased, revoked and deleted since`
    })
  }
  const byPosition = new Map<number, Removal>()
  for (const each of [...(journal?.removals ?? []), ...(rows?.removals ?? [])])
    byPosition.set(each.position, each)
  const known = [...byPosition.values()].sort((one, other) => one.position - other.position)
  const newest = Math.max(
    journal === null ? 0 : (journal.removals.at(-1)?.position ?? journal.header.dropped),
    rows?.newest ?? 0
  )
  const warnings: Array<string> = []
  /** A row of the replaced database makes good for what the journal lacks. */
  const isCovered = rows !== null && rows.newest >= newest
  const incomplete = (reason: string): void => {
    if (!options.acceptIncomplete)
      throw new RestoreRefused({
        reason: `${reason}; with --accept-incomplete-journal the rest of it is used, and you repeat by hand what is missing`
      })
    warnings.push(`${reason}: repeat by hand what was erased, revoked and deleted since.`)
  }
  if (journal?.state === "damaged" && !isCovered) {
    incomplete(`the journal ${journal.file} is damaged behind removal ${newest}`)
  }
  if (newest < copy.newest) {
    incomplete(
      `the journal ends with removal ${newest}, before the copy was made with removal ${copy.newest}`
    )
  }
  const last = copy.removals.at(-1)
  const there = last === undefined ? undefined : byPosition.get(last.position)
  if (last !== undefined && there !== undefined && !same(last, there)) {
    throw new RestoreRefused({
      reason:
        "the copy is of a database that went another way than the journal: it was itself restored or served apart from it. Restore it --without-journal to another file, and erase there"
    })
  }
  const missing = known.filter(({ position }) => position > copy.newest)
  const oldest = missing[0]?.position ?? newest + 1
  if (oldest > copy.newest + 1 && copy.header !== null) {
    incomplete(
      `the journal begins with removal ${oldest}, and the copy was made with removal ${copy.newest}: the copy is older than the journal reaches`
    )
  }
  const { beganAt } = journal?.header ?? rows!.header!
  if (copy.header === null) {
    warnings.push(
      `The copy was made by a version without a journal. What was erased, revoked or deleted between it and ${new Date(beganAt).toISOString()}, when the journal began, is not in the journal: repeat that by hand.`
    )
  }
  return {
    file: journal?.file ?? null,
    databaseId: wanted,
    dropped: Math.min(
      journal?.header.dropped ?? Number.MAX_SAFE_INTEGER,
      rows?.header?.dropped ?? Number.MAX_SAFE_INTEGER
    ),
    beganAt,
    removals: missing,
    warnings
  }
}
