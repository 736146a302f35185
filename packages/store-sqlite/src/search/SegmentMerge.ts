/**
 * Merges the segments in which FTS5 keeps the search indexes. Each commit that changes texts adds a segment to each index, and a
 * search reads all segments. FTS5 merges four of one level into one of the next; with `automerge` it does so in the commit, which
 * takes 30 to 150 ms every few dozen commits beside a million leads. So `automerge` is off, and the writing thread runs the
 * command `merge`, a bounded number of pages at a time, until nothing is left to merge.
 *
 * FTS5 merges a large level in parts, and keeps the pages of a segment that is merged until the whole level is. An erased person's
 * entries can be in such pages. `segment_merge` records whether a merge is under way, so an erasure knows that it must end it.
 * [PII-3]
 */
import type { Connection, QueryConnection } from "../connection/Connection.ts"

/** The FTS5 tables: of words, and of one or two characters. */
export const searchIndexes = ["lead_text", "lead_gram"] as const

/** The name of one of them. */
export type SearchIndexName = (typeof searchIndexes)[number]

/** FTS5 merges this many pages, and then the rest of the entries of the token that it has reached. */
const mergeSql = (index: SearchIndexName): string =>
  `INSERT INTO ${index} (${index}, rank) VALUES ('merge', ?)`

/** Does nothing when another owner has begun a merge since. */
const ownedMergeSql = (index: SearchIndexName): string =>
  `INSERT INTO ${index} (${index}, rank) SELECT 'merge', ? FROM segment_merge WHERE owner = ?`

/** FTS5 documents that `merge` changes fewer rows than these when it finds nothing to merge. */
const minRowsChanged = 2

const hasMerged = (sql: Connection, merge: () => void): boolean => {
  const before = sql.changes
  merge()
  return sql.changes - before >= minRowsChanged
}

/** Whether the index had segments to merge. */
const mergeStep = (sql: Connection, index: SearchIndexName, pages: number): boolean =>
  hasMerged(sql, () => sql.run(mergeSql(index), [pages]))

/** Several processes can merge one file: the last that begins owns the merge, and the steps of others do nothing. */
export const beginMerge = (sql: Connection, owner: number): void => {
  if (sql.value<0 | 1>("SELECT owner = ? AND is_under_way FROM segment_merge", [owner]) === 1) return
  sql.run("UPDATE segment_merge SET owner = ?, is_under_way = 1", [owner])
}

/** A step of the merge of that owner. */
export interface OwnedStep {
  readonly owner: number
  readonly index: SearchIndexName
  readonly pages: number
}

/** Whether the index had segments to merge, and the owner may merge them. */
export const mergeOwnedStep = (sql: Connection, { index, owner, pages }: OwnedStep): boolean =>
  hasMerged(sql, () => sql.run(ownedMergeSql(index), [pages, owner]))

/** Callers run it when no index has anything to merge. */
export const endMerge = (sql: Connection, owner: number): void =>
  sql.run("UPDATE segment_merge SET is_under_way = 0 WHERE owner = ?", [owner])

/** Whether an erasure has a merge to end, which can take seconds beside a million leads. */
export const isMergeUnderWay = (sql: QueryConnection): boolean =>
  sql.value<number>("SELECT is_under_way FROM segment_merge") !== 0

/**
 * Ends the merge that is under way, if any: afterwards the indexes hold no pages of merged segments. To be called in the
 * transaction that removes entries of an erased person, after they are written. [PII-3]
 */
export const finishMerge = (sql: Connection): void => {
  if (!isMergeUnderWay(sql)) return
  for (const index of searchIndexes) while (mergeStep(sql, index, maxPagesAtOnce));
  // Another owner's merge ends with this, too.
  sql.run("UPDATE segment_merge SET owner = 0, is_under_way = 0")
}

/** A level of fewer segments is not merged: FTS5's `usermerge`, as it is by default. */
const commitsBeforeMerging = 4

/** Where transactions merge themselves, so many changed leads are worth a merge, in however few commits they came. */
const changedBeforeMerging = 16

interface Uncounted {
  commits: number
  changed: number
  /** Starts the scheduler; null where the transaction itself merges. */
  start: (() => void) | null
}

const uncounted = new WeakMap<Connection, Uncounted>()

const uncountedOf = (sql: Connection): Uncounted => {
  const known = uncounted.get(sql)
  if (known !== undefined) return known
  const made = { commits: 0, changed: 0, start: null }
  uncounted.set(sql, made)
  return made
}

/** Merges in proportion to what was changed. */
const mergeSome = (sql: Connection, changed: number): void => {
  let isUnderWay = false
  for (const index of searchIndexes) isUnderWay = mergeStep(sql, index, 8 + changed) || isUnderWay
  sql.run("UPDATE segment_merge SET is_under_way = ?", [Number(isUnderWay)])
}

/** Leaves the merges after commits of this connection to a scheduler: `start` runs when enough was committed. */
export const leaveMerges = (sql: Connection, start: () => void): void => {
  uncountedOf(sql).start = start
}

/**
 * Counts a transaction that changes the texts of so many leads; to be called before it writes them. Every few transactions the
 * scheduler starts a merge, or the transaction merges a little itself where there is no scheduler.
 */
export const countCommit = (sql: Connection, changed: number): void => {
  const state = uncountedOf(sql)
  state.commits++
  state.changed += changed
  const isEnough = state.start === null && state.changed >= changedBeforeMerging
  if (state.commits < commitsBeforeMerging && !isEnough) return
  if (state.start === null) mergeSome(sql, state.changed)
  else sql.afterCommit(state.start)
  state.commits = 0
  state.changed = 0
}

/** Some 10 ms of work during which nobody else writes; the most common token of a million leads takes 100. */
export const maxPagesAtOnce = 128
