/** Where a feed of events goes on, by the id of the last event that its reader has. [LIVE-2] */

/** A feed that begins. */
export interface Resumption {
  /** The position after which events follow. */
  readonly position: number
  /** Why events may be missing before it; null when none are. */
  readonly gap: EventGap | null
}

/**
 * Why events may be missing: `unknown`, the reader's id is no id of this store's events or a later one than it has; `too_old`, more
 * events lie after it than are sent again, or some of them were pruned.
 */
export type EventGap = "unknown" | "too_old"

/** A reader that is more positions behind begins with what is new. Positions count the events of all brands. */
export const maxPositionsBehind = 10_000

/** What a store says of the positions of its events. */
export interface EventPositions {
  /** The position of the newest event. */
  readonly newest: number
  /** The greatest position of an event that was pruned; 0 when none was. */
  readonly newestPruned: number
}

/**
 * Where the feed begins: after the reader's last event, or after the newest one where `lastEventId` is undefined or there is a gap. An
 * empty id counts as none, because browsers send it so. [LIVE-2]
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
