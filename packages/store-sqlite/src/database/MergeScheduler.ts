/** Schedules the merges of the search indexes' segments in the writing worker, in steps with rests in between. */
import { Effect, type Scope } from "effect"
import { randomInt } from "node:crypto"
import type { Connection } from "../connection/Connection.ts"
import {
  isMergeUnderWay,
  leaveMerges,
  maxPagesAtOnce,
  searchIndexes,
  type SearchIndexName
} from "../search/SegmentMerge.ts"
import type { StoreWorker } from "../worker/StoreWorker.ts"

/** After a step others may write for this many times as long as it took; for less while an erasure waits. */
const restFactor = 3
const pausedRestFactor = 1

const maxRestMillis = 200

/** For so long after a merge the file says that it is under way: while much is committed it need not be said each time. */
const settleMillis = 100

/** What failed is tried again after ever longer rests, up to this one. */
const maxRetryMillis = 60_000

/** Merges segments of the search index beside other work. */
export interface MergeScheduler {
  /** Runs the work while no merge is under way here: the one that is ends first, with short rests, and none begins. */
  readonly whilePaused: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** For a store whose commits merge by themselves. */
export const noMerges: MergeScheduler = { whilePaused: (work) => work }

interface MergeOptions {
  readonly pagesAtOnce: number
  readonly firstRetryMillis: number
}

const defaults: MergeOptions = { pagesAtOnce: maxPagesAtOnce, firstRetryMillis: 200 }

/**
 * Merges in the worker from now on, whenever `countCommit` finds that enough was committed, and at once what an ended process
 * left half done.
 */
export const scheduleMerges = (
  writer: Connection,
  worker: Pick<StoreWorker, "run">,
  { firstRetryMillis, pagesAtOnce }: MergeOptions = defaults
): Effect.Effect<MergeScheduler, never, Scope.Scope> => {
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
  /** Whether it came to an end. */
  const mergeOnce = async (): Promise<boolean> => {
    await worker.run("beginMerge", owner)
    let unmerged: ReadonlyArray<SearchIndexName> = searchIndexes
    while (unmerged.length > 0) {
      const left: Array<SearchIndexName> = []
      for (const index of unmerged) {
        if (state.isClosing) return false
        const startedAt = performance.now()
        if (!(await worker.run("mergeStep", { owner, index, pages: pagesAtOnce }))) continue
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
    await worker.run("endMerge", owner)
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
  const begin = Effect.sync((): MergeScheduler => {
    leaveMerges(writer, start)
    if (isMergeUnderWay(writer)) start()
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
