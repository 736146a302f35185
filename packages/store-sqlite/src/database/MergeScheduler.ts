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

/** The merges of one process: at most one is under way, and none while another job is to have the worker. */
class SegmentMerger {
  private readonly owner = randomInt(1, 2 ** 47)
  private readonly worker: Pick<StoreWorker, "run">
  private readonly options: MergeOptions
  private retryMillis: number
  /** Starts the next merge after one that failed. */
  private timer: NodeJS.Timeout | null = null
  private underWay: Promise<void> | null = null
  private isWanted = false
  private isClosing = false
  private pauses = 0
  private endRest = (): void => {}
  private endSettling = (): void => {}

  constructor(worker: Pick<StoreWorker, "run">, options: MergeOptions) {
    this.worker = worker
    this.options = options
    this.retryMillis = options.firstRetryMillis
  }

  /** Begins a merge; one that is under way goes on with what was committed since. */
  readonly start = (): void => {
    this.isWanted = true
    this.endSettling()
    if (this.underWay !== null || this.timer !== null || this.pauses > 0 || this.isClosing) return
    this.underWay = this.mergeAll().then(
      () => {
        this.retryMillis = this.options.firstRetryMillis
        this.underWay = null
        if (this.isWanted) this.start()
      },
      () => {
        this.underWay = null
        this.retryLater()
      }
    )
  }

  /** Ends when no merge is under way, and none begins before `resume`. */
  async pause(): Promise<void> {
    this.pauses++
    this.endRest()
    this.endSettling()
    await this.underWay
  }

  /** Ends one pause; the last one begins what was wanted meanwhile. */
  resume(): void {
    if (--this.pauses === 0 && this.isWanted) this.start()
  }

  /** Begins nothing more, and ends when no merge is under way. */
  async close(): Promise<void> {
    this.isClosing = true
    if (this.timer !== null) clearTimeout(this.timer)
    this.endRest()
    this.endSettling()
    await this.underWay
  }

  /** Meanwhile, searches read some more segments. */
  private retryLater(): void {
    if (this.isClosing) return
    this.timer = setTimeout(() => {
      this.timer = null
      this.start()
    }, this.retryMillis)
    this.timer.unref()
    this.retryMillis = Math.min(2 * this.retryMillis, maxRetryMillis)
  }

  private async mergeAll(): Promise<void> {
    do {
      this.isWanted = false
      if (!(await this.mergeOnce())) return
      await this.settle()
    } while (this.isWanted && this.pauses === 0 && !this.isClosing)
    // Each index had nothing to merge, and where others have begun a merge since they own it.
    await this.worker.run("endMerge", this.owner)
  }

  /** Merges until no index has anything to merge. Returns false where the store closes before. */
  private async mergeOnce(): Promise<boolean> {
    const { owner, worker } = this
    await worker.run("beginMerge", owner)
    let unmerged: ReadonlyArray<SearchIndexName> = searchIndexes
    while (unmerged.length > 0) {
      const left: Array<SearchIndexName> = []
      for (const index of unmerged) {
        if (this.isClosing) return false
        const startedAt = performance.now()
        if (!(await worker.run("mergeStep", { owner, index, pages: this.options.pagesAtOnce }))) continue
        left.push(index)
        await this.rest(performance.now() - startedAt)
      }
      unmerged = left
    }
    return true
  }

  /** Leaves the worker and the disk to others after a step. */
  private rest(stepMillis: number): Promise<void> {
    const factor = this.pauses > 0 ? pausedRestFactor : restFactor
    return this.wait(Math.min(factor * stepMillis, maxRestMillis), (end) => (this.endRest = end))
  }

  private settle(): Promise<void> {
    return this.isWanted || this.pauses > 0
      ? Promise.resolve()
      : this.wait(settleMillis, (end) => (this.endSettling = end))
  }

  /** Waits until the time is over, or the function that it gives is called. */
  private wait(millis: number, giveEnd: (end: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      if (this.isClosing) return resolve()
      const waiting = setTimeout(resolve, millis)
      waiting.unref()
      giveEnd(() => {
        clearTimeout(waiting)
        resolve()
      })
    })
  }
}

/**
 * Merges in the worker from now on, whenever `countCommit` finds that enough was committed, and at once what an ended process
 * left half done.
 */
export const scheduleMerges = (
  writer: Connection,
  worker: Pick<StoreWorker, "run">,
  options: MergeOptions = defaults
): Effect.Effect<MergeScheduler, never, Scope.Scope> => {
  const merger = new SegmentMerger(worker, options)
  const begin = Effect.sync((): MergeScheduler => {
    leaveMerges(writer, merger.start)
    if (isMergeUnderWay(writer)) merger.start()
    return {
      whilePaused: (work) =>
        Effect.acquireUseRelease(
          Effect.promise(() => merger.pause()),
          () => work,
          () => Effect.sync(() => merger.resume())
        )
    }
  })
  return Effect.acquireRelease(begin, () => Effect.promise(() => merger.close()))
}
