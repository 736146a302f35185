/**
 * Joins what commits have written to the indexes of texts. FTS5 keeps that in segments, level by level: four of one level
 * become one of the next. Left to itself it joins some hundred pages at once every few dozen commits, and holds everybody
 * up for 30 to 150 ms beside a million leads. So every few commits join a little of what is small; what is large is joined in a
 * thread, with rests, since FTS5 joins all entries of a token in one go.
 */
import { Effect, type Scope } from "effect"
import { answer, type Asking, tellInside } from "./Asking.ts"
import type { Connection } from "./Connection.ts"
import type { FileThread } from "./FileThread.ts"
import {
  askLevels,
  jointsOf,
  leastSegments,
  type Level,
  levelsOf,
  nextOf,
  pagesOf,
  recordSql
} from "./Segments.ts"

export const indexes = ["lead_text", "lead_gram"] as const

const hasLarge = (levels: ReadonlyArray<Level>, greatestPages: number): boolean =>
  jointsOf(levels).some(({ pages }) => pages > greatestPages)

/** Or whether a level has large segments, and lacks no more than one. */
const mayBeLarge = (levels: ReadonlyArray<Level>, greatestPages: number): boolean =>
  hasLarge(levels, greatestPages) ||
  levels.some(({ segments }) => segments.length >= leastSegments - 1 && pagesOf(segments) > greatestPages)

const joinSql = (index: string, pages: number | "?"): string =>
  `INSERT INTO ${index} (${index}, rank) VALUES ('merge', ${pages})`

/** Of fewer there is nothing to join yet; and at sixteen, of all processes together, the indexes join them all at once. */
const commitsBeforeJoining = 4

/** Of so many there is enough, in however few commits they came: much at a time keeps others waiting. */
const changedBeforeJoining = 16

/**
 * A large level of so many segments was not joined in time, whatever became of the thread: a commit goes on with it. FTS5 takes
 * the level with the most first: before such a one is as long as sixteen, those below it must have their turn.
 */
const mostLeft = 8

interface State {
  /** What this process has committed since it joined some. */
  commits: number
  changed: number
  /** What has more pages is left to `onLarge`. */
  greatestPages: number
  onLarge: () => void
}

const states = new WeakMap<Connection, State>()

const stateOf = (sql: Connection): State => {
  const known = states.get(sql)
  if (known !== undefined) return known
  const made = { commits: 0, changed: 0, greatestPages: Number.POSITIVE_INFINITY, onLarge: () => {} }
  states.set(sql, made)
  return made
}

const joinSmall = (
  sql: Connection,
  index: string,
  pages: number,
  { greatestPages, onLarge }: State
): void => {
  for (let left = pages; left > 0;) {
    const levels = answer(sql, askLevels(index))
    // SQLite says what is damaged.
    if (levels === null) return sql.run(joinSql(index, "?"), [left])
    const next = nextOf(levels)
    if (next === null) return
    if (next.pages > greatestPages) {
      sql.afterCommit(onLarge)
      if (next.segments.length < mostLeft) return
    }
    // What is left over of a step goes to the level that is next then: of one page nothing is.
    const step = mayBeLarge(levels, greatestPages) ? 1 : left
    sql.run(joinSql(index, "?"), [step])
    // It ends with the first token after so many.
    left -= step + 1
  }
}

/** In a transaction that changes the texts of so many leads, before it writes them: in proportion to what commits change. */
export const joinSome = (sql: Connection, changed: number): void => {
  const state = stateOf(sql)
  state.commits++
  state.changed += changed
  if (state.commits < commitsBeforeJoining && state.changed < changedBeforeJoining) return
  const pages = 8 + state.changed
  state.commits = 0
  state.changed = 0
  for (const index of indexes) joinSmall(sql, index, pages, state)
}

/** A page's number among the data of an index: that of its segment, and its own. */
const pagesOfSegment = 2 ** 37

/**
 * Takes away what is left of segments that have been joined, while others of their level are not: pages that FTS5 does not look
 * at any more, and that still hold what an erased lead was found by. [PII-3]
 */
export function* forgetJoined(): Asking<void> {
  for (const index of indexes) {
    for (const { first, id } of ((yield* askLevels(index)) ?? []).flatMap(({ segments }) => segments)) {
      if (first > 0) continue
      yield* tellInside(`DELETE FROM ${index}_data WHERE id >= ? AND id < ?`, [
        id * pagesOfSegment,
        (id + 1) * pagesOfSegment
      ])
    }
  }
}

export interface LargeJoining {
  /** A level of more pages is large: of two thousand the most common token has some thirty. */
  readonly greatestPages: number
  /** So many are joined at a time; nobody else writes meanwhile. */
  readonly pagesAtOnce: number
  readonly restMillis: number
}

/** What failed is tried again after ever longer rests, up to this one. */
const greatestRestMillis = 60_000

const defaults: LargeJoining = { greatestPages: 2000, pagesAtOnce: 128, restMillis: 200 }

/** From now on what is large is joined in the thread, once a commit has found it. */
export const joinLargeIn = (
  writer: Connection,
  thread: Pick<FileThread, "run">,
  { greatestPages, pagesAtOnce, restMillis }: LargeJoining = defaults
): Effect.Effect<void, never, Scope.Scope> => {
  const rest: { timer: NodeJS.Timeout | null; underWay: Promise<void> | null; isOver: boolean } = {
    timer: null,
    underWay: null,
    isOver: false
  }
  let millis = restMillis
  const joinEach = async (): Promise<boolean> => {
    let isMore = false
    for (const index of indexes) {
      const [row] = (await thread.run(recordSql(index))) as ReadonlyArray<{ readonly block: Uint8Array }>
      // Where something small is next, that comes first.
      if (!hasLarge(levelsOf(row!.block), greatestPages)) continue
      isMore = true
      await thread.run(joinSql(index, pagesAtOnce))
    }
    return isMore
  }
  const afterARest = (): void => {
    if (rest.timer !== null || rest.underWay !== null || rest.isOver) return
    rest.timer = setTimeout(() => {
      rest.timer = null
      rest.underWay = joinEach()
        .then(
          (isMore) => {
            millis = restMillis
            return isMore
          },
          () => {
            // Until it can be written a search reads some segments more.
            millis = Math.min(2 * millis, greatestRestMillis)
            return true
          }
        )
        .then((isMore) => {
          rest.underWay = null
          if (isMore) afterARest()
        })
    }, millis)
    rest.timer.unref()
  }
  const begin = Effect.sync(() => {
    Object.assign(stateOf(writer), { greatestPages, onLarge: afterARest })
  })
  const end = Effect.promise(async () => {
    rest.isOver = true
    if (rest.timer !== null) clearTimeout(rest.timer)
    await rest.underWay
  })
  return Effect.acquireRelease(begin, () => end)
}
