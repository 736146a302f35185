/**
 * The journal of removals: a file apart from the database that says what was erased, revoked and deleted, so that a backup from before can be
 * restored without bringing it back. Stores write it; a restore reads it.
 */
export {
  findLacking,
  identityOf,
  lackingIn,
  type LackingOptions,
  type LackingRemovals
} from "./LackingRemovals.ts"
export { type FoundRemovals, type FindOptions, findRemovals } from "./FindRemovals.ts"
export { JournalFile, type JournalEnd, type JournalFileOptions, syncFolderOf } from "./JournalFile.ts"
export { giveOwnerOf } from "./FileOwner.ts"
export { journaled, type Journaling } from "./Journaled.ts"
export {
  type JournalHeader,
  type JournalText,
  keptMillis,
  readJournal,
  type Removal,
  type RemovalKind,
  removalKinds,
  type ReplayedByKind
} from "./RemovalLines.ts"
export { type NamedJournal, readJournalFile, type RemovalHistory, RestoreRefused } from "./RestoreRefused.ts"
