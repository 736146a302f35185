/**
 * Finds the removals that a database lacks which its operator has restored: those of the journals of its nodes that it does not have itself.
 * Numbers do not matter for that. So it finds them, too, where a node has served the restored database and numbered other removals. [REST-3]
 */
import type { Removal } from "./RemovalLines.ts"
import { incompleteness, type NamedJournal, type RemovalHistory, RestoreRefused } from "./RestoreRefused.ts"

/** What is compared. */
export interface LackingOptions {
  /** What was restored, as it is now. */
  readonly database: RemovalHistory
  /** The journals of its nodes, each of which has all removals up to its end. */
  readonly journals: ReadonlyArray<NamedJournal>
  /** Whether journals count that are damaged or end too early. */
  readonly acceptIncomplete: boolean
}

/** What a database lacks. */
export interface LackingRemovals {
  /** The journals that were read. */
  readonly files: ReadonlyArray<string>
  /** The name of the database. */
  readonly databaseId: string
  /** When the database began to record removals. */
  readonly beganAt: number
  /** What is to be done again, in its order. */
  readonly removals: ReadonlyArray<Removal>
  /** What may be missing, in sentences for the operator. */
  readonly warnings: ReadonlyArray<string>
}

/** Tells removals apart, whatever their numbers. */
export const identityOf = ({ at, brandId, kind, subject }: Omit<Removal, "position">): string =>
  `${kind} ${brandId ?? "-"} ${subject} ${at}`

const lastOf = ({ header, removals }: NamedJournal): number => removals.at(-1)?.position ?? header.dropped

/** The removals of the journal that the database does not have, oldest first. */
export const lackingIn = (
  database: RemovalHistory,
  removals: ReadonlyArray<Removal>
): ReadonlyArray<Removal> => {
  const known = new Set(database.removals.map(identityOf))
  const dropped = database.header?.dropped ?? 0
  return removals.filter((each) => each.position > dropped && !known.has(identityOf(each)))
}

const refuse = (reason: string): RestoreRefused => new RestoreRefused({ reason })

/** The journals of the database. Throws where none is, or it is not known which are. */
const ownJournals = (
  { header }: RemovalHistory,
  journals: ReadonlyArray<NamedJournal>
): ReadonlyArray<NamedJournal> => {
  const ids = new Set(journals.map((each) => each.header.databaseId))
  if (header === null && ids.size > 1)
    throw refuse(
      "the journals are of several databases, and this one has no name yet by which to know its own: name them one by one"
    )
  const own = journals.filter((each) => header === null || each.header.databaseId === header.databaseId)
  if (own.length > 0) return own
  throw refuse(
    journals.length === 0
      ? "there is no journal of removals there"
      : `${journals[0]!.file} is the journal of another database`
  )
}

/** Throws a `RestoreRefused` when removals may be missing. Journals of other databases are left out. */
export const findLacking = ({ acceptIncomplete, database, journals }: LackingOptions): LackingRemovals => {
  const own = ownJournals(database, journals)
  const { note, warnings } = incompleteness(acceptIncomplete)
  for (const journal of own) {
    if (journal.state === "damaged")
      note(`the journal ${journal.file} is damaged behind removal ${lastOf(journal)}`)
  }
  const newest = Math.max(...own.map(lastOf))
  if (newest < database.newest)
    note(
      `the newest journal ends with removal ${newest}, before the database was backed up with removal ${database.newest}`
    )
  const dropped = Math.min(...own.map(({ header }) => header.dropped))
  if (database.header !== null && dropped > database.newest)
    note(
      `the oldest journal begins with removal ${dropped + 1}, and the database was backed up with removal ${database.newest}: it is older than the journals reach`
    )
  const { beganAt, databaseId } = own[0]!.header
  if (database.header === null) {
    warnings.push(
      `The database was backed up before its first node with a journal. What was erased, revoked or deleted between then and ${new Date(beganAt).toISOString()}, when removals began to be recorded, is in no journal: repeat that by hand.`
    )
  }
  const lacking = new Map<string, Removal>()
  for (const { removals } of own)
    for (const each of lackingIn(database, removals)) lacking.set(identityOf(each), each)
  return {
    files: own.map(({ file }) => file),
    databaseId,
    beganAt,
    removals: [...lacking.values()].sort((one, other) => one.position - other.position),
    warnings
  }
}
