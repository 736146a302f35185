/** Finds the removals that a copy of a database lacks: in the journal, and in the database that the copy replaces. [REST-3] */
import { incompleteness, type NamedJournal, type RemovalHistory, RestoreRefused } from "./RestoreRefused.ts"
import type { Removal } from "./RemovalLines.ts"

/** Where removals are looked for. */
export interface FindOptions {
  /** The copy that is restored. */
  readonly copy: RemovalHistory
  /** The journal of its database; null where there is none. */
  readonly journal: NamedJournal | null
  /** What the database that is replaced says of itself; null where there is none, or it can't be read. */
  readonly replaced: RemovalHistory | null
  /** The message where neither is there. */
  readonly missing: string
  /** Whether a journal counts that is damaged or ends too early. */
  readonly acceptIncomplete: boolean
}

/** The removals that a copy is to get. */
export interface FoundRemovals {
  /** The journal that was read; null without one. */
  readonly file: string | null
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

const refuse = (reason: string): RestoreRefused => new RestoreRefused({ reason })

const same = (one: Removal, other: Removal): boolean =>
  one.kind === other.kind && one.subject === other.subject && one.at === other.at

/** Throws a `RestoreRefused` when removals since the copy may be missing. */
export const findRemovals = ({
  acceptIncomplete,
  copy,
  journal,
  missing: missingReason,
  replaced
}: FindOptions): FoundRemovals => {
  if (copy.header !== null && journal !== null && journal.header.databaseId !== copy.header.databaseId)
    throw refuse(`${journal.file} is the journal of another database than the copy's`)
  const wanted = copy.header?.databaseId ?? journal?.header.databaseId ?? replaced?.header?.databaseId ?? null
  const rows = replaced?.header?.databaseId === wanted ? replaced : null
  if (wanted === null || (journal === null && rows === null)) throw refuse(missingReason)
  const byPosition = new Map<number, Removal>()
  for (const each of [...(journal?.removals ?? []), ...(rows?.removals ?? [])])
    byPosition.set(each.position, each)
  const known = [...byPosition.values()].sort((one, other) => one.position - other.position)
  const newest = Math.max(
    journal === null ? 0 : (journal.removals.at(-1)?.position ?? journal.header.dropped),
    rows?.newest ?? 0
  )
  const { note, warnings } = incompleteness(acceptIncomplete)
  /** A row of the replaced database makes good for what the journal lacks. */
  const isCovered = rows !== null && rows.newest >= newest
  if (journal?.state === "damaged" && !isCovered)
    note(`the journal ${journal.file} is damaged behind removal ${newest}`)
  if (newest < copy.newest)
    note(`the journal ends with removal ${newest}, before the copy was made with removal ${copy.newest}`)
  const last = copy.removals.at(-1)
  const there = last === undefined ? undefined : byPosition.get(last.position)
  if (last !== undefined && there !== undefined && !same(last, there)) {
    throw refuse(
      "the copy is of a database that went another way than the journal: it was itself restored or served apart from it. Restore it --without-journal to another file, and erase there"
    )
  }
  const missing = known.filter(({ position }) => position > copy.newest)
  const oldest = missing[0]?.position ?? newest + 1
  if (oldest > copy.newest + 1 && copy.header !== null) {
    note(
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
