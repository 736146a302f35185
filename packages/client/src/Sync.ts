/**
 * Keeps a copy of a brand's leads. Each sync requests the leads updated since the last one, begins a little
 * before that, and emits each state of a lead once, as far as the cursor reaches.
 *
 * Leads move between pages while a sync reads them. So it pages by updatedAt: it always requests the first
 * page of leads updated at an instant or later. When one instant fills more than a page, it reads that
 * instant's pages from the last to the first: leads only leave an instant that has passed, which moves those
 * behind them to earlier pages that are still to be read.
 */
import { Duration, Effect, Either, Option, Stream } from "effect"
import type { Lead, LeadFilter, LeadPage, LeadPageQuery, EngagementOptions } from "./ApiTypes.ts"
import { feed, hasNoFeed } from "./ChangeFeed.ts"
import * as Cursor from "./Cursor.ts"
import type { CallFailure, InvalidCursor } from "./Failures.ts"
import type { SyncedPage } from "./SyncedPage.ts"

/**
 * The options of `changes`: which leads, rendered with what, and where the sync begins. `updatedAfter` and
 * `updatedBefore` are the sync's own.
 */
export interface SyncOptions extends Omit<LeadFilter, "updatedAfter" | "updatedBefore">, EngagementOptions {
  /** The cursor of an earlier sync; without one the sync begins at the first lead. */
  readonly cursor?: string | undefined
  /** Leads on a page; 100 by default. */
  readonly pageSize?: number | undefined
  /**
   * Seconds that the service may wait for a change while there is none, from 0 to 30; 0 by default. Without a filter alone: a filtered
   * sync does not wait. [CHG-6]
   */
  readonly wait?: number | undefined
  /**
   * How long before the latest update seen the next sync begins; two minutes by default. It must exceed the
   * clock differences between the service's machines and the duration of its transactions.
   */
  readonly replayWindow?: Duration.DurationInput | undefined
}

/** The next request of a sync. */
type SyncPosition =
  /** The first page of leads updated at the instant or later; null: of all leads. */
  | { readonly _tag: "Forward"; readonly from: number | null }
  /**
   * Whether any lead was updated after the instant. If so the instant has passed, and no lead enters it any
   * more.
   */
  | { readonly _tag: "Boundary"; readonly instant: number }
  /** A page of the leads updated at the instant; null: the page whose pagination has the number of pages. */
  | {
      readonly _tag: "SameInstant"
      readonly instant: number
      readonly hasPassed: boolean
      readonly page: number | null
    }
  | { readonly _tag: "End" }

interface SyncState {
  readonly progress: Cursor.Progress
  readonly position: SyncPosition
  /** A sync emits at least one page, for its cursor. */
  readonly hasEmitted: boolean
}

type List = (query: LeadPageQuery) => Effect.Effect<LeadPage, CallFailure>

const updatedAt = (lead: Lead): number => Date.parse(lead.updatedAt)

const isNewState = (seen: Cursor.Progress["seen"], lead: Lead, fingerprint: number): boolean => {
  const known = seen.get(lead.id)
  return known === undefined || (known.fingerprint !== fingerprint && known.updatedAt <= updatedAt(lead))
}

/**
 * Leads that a cursor names at most. When more have changed within the replay window, as in an import, the
 * next sync emits the older of them again.
 */
const maxSeenLeads = 2000

/** This sync still requests updates from this instant on. */
const lowerBound = (position: SyncPosition): number => {
  switch (position._tag) {
    case "Forward":
      return position.from ?? Number.NEGATIVE_INFINITY
    case "Boundary":
    case "SameInstant":
      return position.instant
    case "End":
      return Number.POSITIVE_INFINITY
  }
}

/**
 * Drops leads that no later request can return, and the oldest beyond `maxSeenLeads`, but none that this sync
 * may read again.
 */
const pruneSeen = (
  seen: Map<number, Cursor.SeenLead>,
  {
    bound,
    until,
    windowMillis
  }: { readonly until: number; readonly bound: number; readonly windowMillis: number }
): void => {
  const kept = Math.min(bound, until - windowMillis)
  let surplus = seen.size - maxSeenLeads
  // The map iterates in the order in which leads were last seen.
  for (const [id, { updatedAt: at }] of seen) {
    if (at < kept) {
      seen.delete(id)
      surplus--
    } else if (surplus > 0 && at < bound && at < until) {
      seen.delete(id)
      surplus--
    }
  }
}

/**
 * The second page has the number of pages of an instant: the first was read on the way forward, and is read
 * once more at the end.
 */
const probedPage = 2

const queryAt = (position: Exclude<SyncPosition, { readonly _tag: "End" }>): LeadPageQuery => {
  switch (position._tag) {
    case "Forward":
      return { page: 1, updatedAfter: position.from === null ? undefined : new Date(position.from) }
    case "Boundary":
      return { page: 1, pageSize: 1, updatedAfter: new Date(position.instant + 1) }
    case "SameInstant": {
      const instant = new Date(position.instant)
      return { page: position.page ?? probedPage, updatedAfter: instant, updatedBefore: instant }
    }
  }
}

const end: SyncPosition = { _tag: "End" }

/** The request that follows a page read at the position. */
const nextPosition = (
  position: Exclude<SyncPosition, { readonly _tag: "End" }>,
  { data, meta: { pagination } }: LeadPage
): SyncPosition => {
  switch (position._tag) {
    case "Forward": {
      if (pagination.pageCount <= 1 || data.length === 0) return end
      const last = updatedAt(data.at(-1)!)
      return last === updatedAt(data[0]!)
        ? { _tag: "Boundary", instant: last }
        : { _tag: "Forward", from: last }
    }
    case "Boundary":
      return { _tag: "SameInstant", instant: position.instant, hasPassed: data.length > 0, page: null }
    case "SameInstant": {
      // The probed page may be the last one; otherwise the last page comes next.
      const before =
        position.page ?? (pagination.pageCount <= probedPage ? probedPage : Number.POSITIVE_INFINITY)
      const page = Math.min(before - 1, pagination.pageCount)
      if (page >= 1) return { ...position, page }
      // The next sync begins at this instant or before it, and so finds leads that enter it later.
      return position.hasPassed ? { _tag: "Forward", from: position.instant + 1 } : end
    }
  }
}

const readPage = (list: List, query: LeadPageQuery, windowMillis: number) => (state: SyncState) =>
  Effect.gen(function* () {
    const { position, progress } = state
    if (position._tag === "End") return Option.none()
    const page = yield* list({ ...query, ...queryAt(position), sort: "updatedAt:asc" })
    const next = nextPosition(position, page)
    if (position._tag === "Boundary") return Option.some([null, { ...state, position: next }] as const)
    const seen = new Map(progress.seen)
    const leads: Array<Lead> = []
    for (const lead of page.data) {
      const fingerprint = Cursor.fingerprintOf(JSON.stringify(lead))
      if (!isNewState(seen, lead, fingerprint)) continue
      seen.delete(lead.id)
      seen.set(lead.id, { updatedAt: updatedAt(lead), fingerprint })
      leads.push(lead)
    }
    const until = page.data.reduce<number | null>(
      (latest, lead) => Math.max(latest ?? 0, updatedAt(lead)),
      progress.until
    )
    pruneSeen(seen, { until: until ?? 0, bound: lowerBound(next), windowMillis })
    const emitted: SyncedPage | null =
      leads.length > 0 || (next._tag === "End" && !state.hasEmitted)
        ? { leads, removed: [], cursor: Cursor.format({ until, seen }) }
        : null
    const nextState: SyncState = {
      progress: { until, seen },
      position: next,
      hasEmitted: state.hasEmitted || emitted !== null
    }
    return Option.some([emitted, nextState] as const)
  })

/** The sync by `updatedAt`: with a filter, and for a service without the feed of changes. */
const changesByTime = (
  list: List,
  options: SyncOptions
): Stream.Stream<SyncedPage, CallFailure | InvalidCursor> => {
  const { cursor, pageSize = 100, replayWindow = "2 minutes", wait: _, ...query } = options
  const windowMillis = Duration.toMillis(replayWindow)
  return Stream.unwrap(
    Effect.map(cursor === undefined ? Effect.succeed(Cursor.beginning) : Cursor.parse(cursor), (progress) => {
      const beginning: SyncState = {
        progress,
        position: { _tag: "Forward", from: progress.until === null ? null : progress.until - windowMillis },
        hasEmitted: false
      }
      return Stream.unfoldEffect(beginning, readPage(list, { ...query, pageSize }, windowMillis)).pipe(
        Stream.filter((page) => page !== null)
      )
    })
  )
}

/** Where a sync reads. */
export interface SyncSources {
  readonly list: List
  readonly changes: Parameters<typeof feed>[0]
}

/**
 * The sync by the feed of changes. With a filter, after a cursor of the sync by time, and where the service has no feed, it is the sync by
 * time.
 */
export const changes = (
  { changes: readChanges, list }: SyncSources,
  options: SyncOptions
): Stream.Stream<SyncedPage, CallFailure | InvalidCursor> => {
  const {
    cursor,
    includeEngagementDetail,
    includeEngagements,
    pageSize,
    replayWindow: _,
    wait,
    ...filter
  } = options
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  const isByTime = cursor !== undefined && Either.isRight(Cursor.parse(cursor))
  if (isFiltered || isByTime || cursor === "") return changesByTime(list, options)
  const query = { cursor, pageSize: pageSize ?? 100, wait, includeEngagements, includeEngagementDetail }
  if (cursor !== undefined) return feed(readChanges, query)
  return Stream.suspend(() => {
    let hasFeed = false
    const read: typeof readChanges = (of) =>
      Effect.tap(readChanges(of), () => {
        hasFeed = true
      })
    return Stream.catchAll(feed(read, query), (failure) =>
      // After a page of the feed, a 404 does not mean that there is no feed. A sync by time reports no removed leads, and neither would a later sync
      // from its cursor.
      !hasFeed && failure._tag !== "InvalidCursor" && hasNoFeed(failure)
        ? changesByTime(list, options)
        : Stream.fail(failure)
    )
  })
}
