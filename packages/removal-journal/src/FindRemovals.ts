/** Finds the removals that a restored state lacks: in journals, and in the database that it replaces. [REST-3] */
import { Data } from "effect"
import { readFileSync } from "node:fs"
import { type JournalHeader, type JournalText, readJournal, type Removal } from "./RemovalLines.ts"

/** A restore that would bring back what was removed, or lose a database. `reason` says what to do instead. */
export class RestoreRefused extends Data.TaggedError("RestoreRefused")<{
  /** What is wrong, and what to do instead: a clause without a full stop. */
  readonly reason: string
}> {}

/** How far a database is in the history of its removals. */
export interface RemovalHistory {
  /** Null of one by a version without a journal. */
  readonly header: JournalHeader | null
  /** The position of its newest removal. */
  readonly newest: number
  /** Its newest removals, oldest first. */
  readonly removals: ReadonlyArray<Removal>
}

/** A journal and its path. */
export interface NamedJournal extends JournalText {
  /** The path. */
  readonly file: string
}

/** Where removals are looked for. */
export interface FindOptions {
  /** What is restored, as messages call it. */
  readonly name: "copy" | "database"
  /** What is restored. */
  readonly copy: RemovalHistory
  /** Journals of the database, such as those of several nodes. Each may end earlier than another. */
  readonly journals: ReadonlyArray<NamedJournal>
  /** What the database that is replaced says of itself; null where there is none, or it can't be read. */
  readonly replaced: RemovalHistory | null
  /** The message where neither is there. */
  readonly missing: string
  /** Whether a journal counts that is damaged or ends too early. */
  readonly acceptIncomplete: boolean
}

/** The removals that a copy is to get. */
export interface FoundRemovals {
  /** The journals that were read. */
  readonly files: ReadonlyArray<string>
  /** The database whose copy it is; null to give the copy a name of its own. */
  readonly databaseId: string | null
  /** The position of the newest removal that no source keeps any more. */
  readonly dropped: number
  /** When the database began to record removals. */
  readonly beganAt: number
  /** What is to be done again, in its order. */
  readonly removals: ReadonlyArray<Removal>
  /** What may be missing, in sentences for the operator. */
  readonly warnings: ReadonlyArray<string>
}

/** Reads a journal; null where the file is none. Throws where it can't be read. */
export const readJournalFile = (file: string): NamedJournal | null => {
  const found = readJournal(readFileSync(file, "utf8"))
  return found === null ? null : { file, ...found }
}

const refuse = (reason: string): RestoreRefused => new RestoreRefused({ reason })

const same = (one: Removal, other: Removal): boolean =>
  one.kind === other.kind && one.subject === other.subject && one.at === other.at

const lastOf = ({ header, removals }: NamedJournal): number => removals.at(-1)?.position ?? header.dropped

/** All removals of the journals and the replaced database by position. Throws where two of them differ. */
const united = (
  journals: ReadonlyArray<NamedJournal>,
  rows: RemovalHistory | null
): ReadonlyMap<number, Removal> => {
  const byPosition = new Map<number, Removal>()
  for (const { file, removals } of journals) {
    for (const each of removals) {
      const known = byPosition.get(each.position)
      if (known !== undefined && !same(known, each))
        throw refuse(
          `${file} went another way than ${journals[0]!.file} from removal ${each.position} on: one of them is the journal of a database that was restored apart from the other. Name the journals of one of the two`
        )
      byPosition.set(each.position, each)
    }
  }
  for (const each of rows?.removals ?? []) byPosition.set(each.position, each)
  return byPosition
}

/** Throws a `RestoreRefused` when removals since the copy may be missing. */
export const findRemovals = ({
  acceptIncomplete,
  copy,
  journals,
  missing: missingReason,
  name,
  replaced
}: FindOptions): FoundRemovals => {
  for (const { file, header } of journals) {
    const { databaseId } = copy.header ?? journals[0]!.header
    if (header.databaseId !== databaseId)
      throw refuse(`${file} is the journal of another database than the ${name}'s`)
  }
  const wanted =
    copy.header?.databaseId ?? journals[0]?.header.databaseId ?? replaced?.header?.databaseId ?? null
  const rows = replaced?.header?.databaseId === wanted ? replaced : null
  if (wanted === null || (journals.length === 0 && rows === null)) throw refuse(missingReason)
  const byPosition = united(journals, rows)
  const newest = Math.max(0, ...journals.map(lastOf), rows?.newest ?? 0)
  const warnings: Array<string> = []
  const incomplete = (reason: string): void => {
    if (!acceptIncomplete)
      throw refuse(
        `${reason}; with --accept-incomplete-journal the rest of it is used, and you repeat by hand what is missing`
      )
    warnings.push(`${reason}: repeat by hand what was erased, revoked and deleted since.`)
  }
  /** Another journal, or a row of the replaced database, makes good for what a journal lacks. */
  const isCovered =
    (rows !== null && rows.newest >= newest) ||
    journals.some((each) => each.state !== "damaged" && lastOf(each) >= newest)
  const damaged = journals.find(({ state }) => state === "damaged")
  if (damaged !== undefined && !isCovered)
    incomplete(`the journal ${damaged.file} is damaged behind removal ${lastOf(damaged)}`)
  const was = name === "copy" ? "the copy was made" : "the database was backed up"
  if (newest < copy.newest)
    incomplete(`the journal ends with removal ${newest}, before ${was} with removal ${copy.newest}`)
  const last = copy.removals.at(-1)
  const there = last === undefined ? undefined : byPosition.get(last.position)
  if (last !== undefined && there !== undefined && !same(last, there)) {
    throw refuse(
      `the ${name} is of a database that went another way than the journal: it was itself restored or served apart from it. ${
        name === "copy"
          ? "Restore it --without-journal to another file, and erase there"
          : "Name the journal of that way, or begin another history with --without-journal, and erase by hand"
      }`
    )
  }
  const missing = [...byPosition.values()]
    .filter(({ position }) => position > copy.newest)
    .sort((one, other) => one.position - other.position)
  const oldest = missing[0]?.position ?? newest + 1
  if (oldest > copy.newest + 1 && copy.header !== null) {
    incomplete(
      `the journal begins with removal ${oldest}, and ${was} with removal ${copy.newest}: the ${name} is older than the journal reaches`
    )
  }
  const gap = missing.findIndex(({ position }, i) => position !== oldest + i)
  if (gap > 0)
    incomplete(
      `no journal has the removals from ${missing[gap - 1]!.position + 1} to ${missing[gap]!.position - 1}`
    )
  const headers = [...journals.map(({ header }) => header), ...(rows === null ? [] : [rows.header!])]
  const { beganAt } = headers[0]!
  if (copy.header === null) {
    warnings.push(
      `The ${name === "copy" ? "copy was made" : "database was backed up"} by a version without a journal. What was erased, revoked or deleted between it and ${new Date(beganAt).toISOString()}, when the journal began, is not in the journal: repeat that by hand.`
    )
  }
  return {
    files: journals.map(({ file }) => file),
    databaseId: wanted,
    dropped: Math.min(...headers.map(({ dropped }) => dropped)),
    beganAt,
    removals: missing,
    warnings
  }
}
