/** Where a stream of live events resumes, by the id of the last event that its reader has. [LIVE-2] */

/** The start of a stream. */
export interface Resumption {
  /** The position after which events follow. */
  readonly position: number
  /** Why events may be missing before it; null when none are. */
  readonly gap: EventGap | null
}

/**
 * Why events may be missing. `unknown`: the reader's id is no position of this store, or a later one than it has given. `too_old`: the reader is
 * more than `maxPositionsBehind` behind, or events since were pruned.
 */
export type EventGap = "unknown" | "too_old"

/** A reader that is further behind gets new events only. Positions count the events of all brands. */
export const maxPositionsBehind = 10_000

/** The positions of a store's events, as far as a resumption depends on them. */
export interface EventPositions {
  /** The position of the newest event that the store has. */
  readonly newest: number
  /** The greatest position of an event that was pruned; 0 when none was. */
  readonly newestPruned: number
}

/**
 * Where a stream begins: after the reader's last event, or after the newest event where `lastEventId` is undefined or there is a gap. An empty id
 * counts as none, because browsers send one before their first event. [LIVE-2]
 */
export const resumeEvents = (
  lastEventId: string | undefined,
  { newest: newestKept, newestPruned }: EventPositions
): Resumption => {
  const newest = Math.max(newestKept, newestPruned)
  if (lastEventId === undefined || lastEventId === "") return { position: newest, gap: null }
  if (!/^(0|[1-9]\d{0,14})$/.test(lastEventId) || Number(lastEventId) > newest) {
    return { position: newest, gap: "unknown" }
  }
  const position = Number(lastEventId)
  return newest - position > maxPositionsBehind || position < newestPruned
    ? { position: newest, gap: "too_old" }
    : { position, gap: null }
}
