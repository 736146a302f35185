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
import { Effect, type Scope } from "effect"
import { randomInt } from "node:crypto"
import { answer, askColumn, type Asking, tell } from "./Asking.ts"
import type { Connection } from "./Connection.ts"
import type { FileThread } from "./FileThread.ts"

export const searchIndexes = ["lead_text", "lead_gram"] as const

type SearchIndexName = (typeof searchIndexes)[number]

/** FTS5 merges this many pages, and then the rest of the entries of the token that it has reached. */
const mergeSql = (index: SearchIndexName, pages: number | "?"): string =>
  `INSERT INTO ${index} (${index}, rank) VALUES ('merge', ${pages})`

const changesSql = "SELECT total_changes() AS n"

/** FTS5 documents that `merge` changes fewer rows than these when it finds nothing to merge. */
const minRowsChanged = 2

/** Whether the index had segments to merge. */
function* mergeStep(index: SearchIndexName, pages: number): Asking<boolean> {
  const [before] = yield* askColumn<number>(changesSql, [])
  yield* tell(mergeSql(index, "?"), [pages])
  const [after] = yield* askColumn<number>(changesSql, [])
  return after! - before! >= minRowsChanged
}

/**
 * Ends the merge that is under way, if any: afterwards the indexes hold no pages of merged segments. To be called in the
 * transaction that removes entries of an erased person, after they are written. [PII-3]
 */
export function* finishMerge(): Asking<void> {
  const [isUnderWay] = yield* askColumn<number>("SELECT is_under_way FROM segment_merge", [])
  if (isUnderWay === 0) return
  for (const index of searchIndexes) while (yield* mergeStep(index, maxPagesAtOnce));
  // Another owner's merge ends with this, too.
  yield* tell("UPDATE segment_merge SET owner = 0, is_under_way = 0")
}

/** Whether an erasure has a merge to end, which can take seconds beside a million leads. */
export function* isMergeUnderWay(): Asking<boolean> {
  const [isUnderWay] = yield* askColumn<number>("SELECT is_under_way FROM segment_merge", [])
  return isUnderWay !== 0
}

/** A level of fewer segments is not merged: FTS5's `usermerge`, as it is by default. */
const commitsBeforeMerging = 4

/** Where transactions merge themselves, so many changed leads are worth a merge, in however few commits they came. */
const changedBeforeMerging = 16

interface Uncounted {
  commits: number
  changed: number
  /** Starts a merge in the thread; null where no thread merges. */
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
function* mergeSome(changed: number): Asking<void> {
  let isUnderWay = false
  for (const index of searchIndexes) isUnderWay = (yield* mergeStep(index, 8 + changed)) || isUnderWay
  yield* tell("UPDATE segment_merge SET is_under_way = ?", [Number(isUnderWay)])
}

/**
 * Counts a transaction that changes the texts of so many leads; to be called before it writes them. Every few transactions the
 * thread is told to merge, or the transaction merges a little itself where no thread does.
 */
export const countCommit = (sql: Connection, changed: number): void => {
  const state = uncountedOf(sql)
  state.commits++
  state.changed += changed
  const isEnough = state.start === null && state.changed >= changedBeforeMerging
  if (state.commits < commitsBeforeMerging && !isEnough) return
  if (state.start === null) answer(sql, mergeSome(state.changed))
  else sql.afterCommit(state.start)
  state.commits = 0
  state.changed = 0
}

/** Some 10 ms of work during which nobody else writes; the most common token of a million leads takes 100. */
const maxPagesAtOnce = 128

/** After a step others may write for this many times as long as it took; for less while an erasure waits. */
const restFactor = 3
const pausedRestFactor = 1

const maxRestMillis = 200

/** For so long after a merge the file says that it is under way: while much is committed it need not be said each time. */
const settleMillis = 100

/** What failed is tried again after ever longer rests, up to this one. */
const maxRetryMillis = 60_000

export interface SegmentMerge {
  /** Runs the work while no merge is under way here: the one that is ends first, with short rests, and none begins. */
  readonly whilePaused: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** For a store whose commits merge by themselves. */
export const none: SegmentMerge = { whilePaused: (work) => work }

export interface SegmentMergeOptions {
  readonly pagesAtOnce: number
  readonly firstRetryMillis: number
}

const defaults: SegmentMergeOptions = { pagesAtOnce: maxPagesAtOnce, firstRetryMillis: 200 }

/**
 * Merges in the thread from now on, whenever `countCommit` finds that enough was committed, and at once what an ended process left
 * half done. Several processes can merge one file: the last that begins owns the merge, and the steps of others do nothing.
 */
export const mergeIn = (
  writer: Connection,
  thread: Pick<FileThread, "run">,
  { firstRetryMillis, pagesAtOnce }: SegmentMergeOptions = defaults
): Effect.Effect<SegmentMerge, never, Scope.Scope> => {
  const owner = randomInt(1, 2 ** 47)
  let timer: NodeJS.Timeout | null = null
  let underWay: Promise<void> | null = null
  const state = { isWanted: false, isClosing: false, pauses: 0 }
  let endRest = (): void => {}
  let endSettling = (): void => {}

  /** Waits until the time is over, or the function that it gives is called. */
  const wait = (millis: number, giveEnd: (end: () => void) => void): Promise<void> =>
    new Promise((resolve) => {
      if (state.isClosing) return resolve()
      const waiting = setTimeout(resolve, millis)
      waiting.unref()
      giveEnd(() => {
        clearTimeout(waiting)
        resolve()
      })
    })
  const rest = (stepMillis: number): Promise<void> => {
    const factor = state.pauses > 0 ? pausedRestFactor : restFactor
    return wait(Math.min(factor * stepMillis, maxRestMillis), (end) => (endRest = end))
  }
  const settle = (): Promise<void> =>
    state.isWanted || state.pauses > 0 ? Promise.resolve() : wait(settleMillis, (end) => (endSettling = end))
  interface Look {
    readonly changed: number
    readonly isOwned: 0 | 1
  }
  const look = async (): Promise<Look> => {
    const [row] = await thread.run(
      `SELECT total_changes() AS changed, owner = ${owner} AND is_under_way AS isOwned FROM segment_merge`
    )
    return row as Look
  }
  const step = (index: SearchIndexName) =>
    thread.run(
      `INSERT INTO ${index} (${index}, rank) SELECT 'merge', ${pagesAtOnce} FROM segment_merge WHERE owner = ${owner}`
    )
  const own = async (): Promise<Look> => {
    const { isOwned } = await look()
    if (isOwned === 0) await thread.run(`UPDATE segment_merge SET owner = ${owner}, is_under_way = 1`)
    return look()
  }
  /** Whether it came to an end. */
  const mergeOnce = async (): Promise<boolean> => {
    let { changed } = await own()
    let unmerged: ReadonlyArray<SearchIndexName> = searchIndexes
    while (unmerged.length > 0) {
      const left: Array<SearchIndexName> = []
      for (const index of unmerged) {
        if (state.isClosing) return false
        const startedAt = performance.now()
        await step(index)
        const before = changed
        changed = (await look()).changed
        // More than FTS5's when another statement of the thread came in between: then there is one more step.
        if (changed - before < minRowsChanged) continue
        left.push(index)
        await rest(performance.now() - startedAt)
      }
      unmerged = left
    }
    return true
  }
  const mergeAll = async (): Promise<void> => {
    do {
      state.isWanted = false
      if (!(await mergeOnce())) return
      await settle()
    } while (state.isWanted && state.pauses === 0 && !state.isClosing)
    // Each index had nothing to merge, and where others have begun a merge since they own it.
    await thread.run(`UPDATE segment_merge SET is_under_way = 0 WHERE owner = ${owner}`)
  }
  let retryMillis = firstRetryMillis
  const start = (): void => {
    state.isWanted = true
    endSettling()
    if (underWay !== null || timer !== null || state.pauses > 0 || state.isClosing) return
    underWay = mergeAll().then(
      () => {
        retryMillis = firstRetryMillis
        underWay = null
        if (state.isWanted) start()
      },
      () => {
        underWay = null
        if (state.isClosing) return
        // Until the file can be written a search reads some segments more.
        timer = setTimeout(() => {
          timer = null
          start()
        }, retryMillis)
        timer.unref()
        retryMillis = Math.min(2 * retryMillis, maxRetryMillis)
      }
    )
  }
  const pause = Effect.suspend(() => {
    state.pauses++
    endRest()
    endSettling()
    return Effect.promise(async () => await underWay)
  })
  const resume = Effect.sync(() => {
    if (--state.pauses === 0 && state.isWanted) start()
  })
  const begin = Effect.sync((): SegmentMerge => {
    uncountedOf(writer).start = start
    if (answer(writer, isMergeUnderWay())) start()
    return {
      whilePaused: (work) =>
        Effect.acquireUseRelease(
          pause,
          () => work,
          () => resume
        )
    }
  })
  const end = Effect.promise(async () => {
    state.isClosing = true
    if (timer !== null) clearTimeout(timer)
    endRest()
    endSettling()
    await underWay
  })
  return Effect.acquireRelease(begin, () => end)
}
