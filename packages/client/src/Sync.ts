/**
 * Keeps a copy of a brand's leads: asks for what was updated since the last time, from a little before that, and gives each
 * state of a lead once, as far as a cursor reaches.
 *
 * Leads move while they are read, and with them the numbers of pages. So pages follow each other by updatedAt: always the first
 * of what was updated at an instant or later. Where one instant fills more than a page its pages are read from the last to the
 * first: leads only leave an instant that has passed, which moves those behind them to earlier pages, all still to be read.
 */
import { Duration, Effect, Option, Stream } from "effect"
import type { Lead, LeadFilter, LeadPage, LeadPageQuery, Shown } from "./Contract.ts"
import * as Cursor from "./Cursor.ts"
import type { CallFailure, InvalidCursor } from "./Failures.ts"

export interface SyncOptions extends Omit<LeadFilter, "updatedAfter" | "updatedBefore">, Shown {
  /** Where an earlier sync ended; absent: from the first lead on. */
  readonly cursor?: string | undefined
  /** 100 unless given. */
  readonly pageSize?: number | undefined
  /**
   * From how long before the latest update seen the next sync asks again: two minutes unless given. Longer than the clocks of
   * the service's machines differ, and than its transactions take.
   */
  readonly replayWindow?: Duration.DurationInput | undefined
}

/** Leads that are new or have changed, oldest update first. */
export interface SyncedPage {
  readonly leads: ReadonlyArray<Lead>
  /** To be stored when these leads are dealt with: a sync that begins with it goes on after them. */
  readonly cursor: string
}

/** What is asked for next. */
type Place =
  /** The first page of updates from the instant on; null: of all. */
  | { readonly _tag: "Ahead"; readonly from: number | null }
  /** Whether there are later updates than those of the instant: then it has passed, and no lead comes to it any more. */
  | { readonly _tag: "Edge"; readonly instant: number }
  /** A page of the instant's own leads; null: any, to learn how many there are. */
  | {
      readonly _tag: "Within"
      readonly instant: number
      readonly hasPassed: boolean
      readonly page: number | null
    }
  | { readonly _tag: "End" }

interface State {
  readonly progress: Cursor.Progress
  readonly place: Place
  /** A sync gives one page at least: its cursor. */
  readonly hasGiven: boolean
}

type List = (query: LeadPageQuery) => Effect.Effect<LeadPage, CallFailure>

const updatedAt = (lead: Lead): number => Date.parse(lead.updatedAt)

const isNews = (seen: Cursor.Progress["seen"], lead: Lead, print: number): boolean => {
  const known = seen.get(lead.id)
  return known === undefined || (known.print !== print && known.updatedAt <= updatedAt(lead))
}

/**
 * A cursor names so many leads at most: where more have changed within the replay window, as when many were imported, the older of
 * them are given again by the next sync.
 */
const greatestRemembered = 2000

/** Updates from this instant on are still asked for by this sync. */
const boundOf = (place: Place): number => {
  switch (place._tag) {
    case "Ahead":
      return place.from ?? Number.NEGATIVE_INFINITY
    case "Edge":
    case "Within":
      return place.instant
    case "End":
      return Number.POSITIVE_INFINITY
  }
}

/** What is asked for again must be known again; and of what the next sync asks for, the latest. */
const forgetOld = (
  seen: Map<number, Cursor.Sight>,
  {
    bound,
    until,
    windowMillis
  }: { readonly until: number; readonly bound: number; readonly windowMillis: number }
): void => {
  const kept = Math.min(bound, until - windowMillis)
  let surplus = seen.size - greatestRemembered
  // In the order in which they were seen last.
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

/** To learn how many pages an instant has, its second is asked for: the first has been seen, and is read once more at the end. */
const probedPage = 2

const queryAt = (place: Exclude<Place, { readonly _tag: "End" }>): LeadPageQuery => {
  switch (place._tag) {
    case "Ahead":
      return { page: 1, updatedAfter: place.from === null ? undefined : new Date(place.from) }
    case "Edge":
      return { page: 1, pageSize: 1, updatedAfter: new Date(place.instant + 1) }
    case "Within": {
      const instant = new Date(place.instant)
      return { page: place.page ?? probedPage, updatedAfter: instant, updatedBefore: instant }
    }
  }
}

const end: Place = { _tag: "End" }

/** Where to ask next, after a page that was asked for at the place. */
const following = (
  place: Exclude<Place, { readonly _tag: "End" }>,
  { data, meta: { pagination } }: LeadPage
): Place => {
  switch (place._tag) {
    case "Ahead": {
      if (pagination.pageCount <= 1 || data.length === 0) return end
      const last = updatedAt(data.at(-1)!)
      return last === updatedAt(data[0]!) ? { _tag: "Edge", instant: last } : { _tag: "Ahead", from: last }
    }
    case "Edge":
      return { _tag: "Within", instant: place.instant, hasPassed: data.length > 0, page: null }
    case "Within": {
      // The probed page may be the last; else the last is the next.
      const before =
        place.page ?? (pagination.pageCount <= probedPage ? probedPage : Number.POSITIVE_INFINITY)
      const page = Math.min(before - 1, pagination.pageCount)
      if (page >= 1) return { ...place, page }
      // What comes to an instant that has not passed is found by the next sync, which begins no later than with it.
      return place.hasPassed ? { _tag: "Ahead", from: place.instant + 1 } : end
    }
  }
}

const step = (list: List, query: LeadPageQuery, windowMillis: number) => (state: State) =>
  Effect.gen(function* () {
    const { place, progress } = state
    if (place._tag === "End") return Option.none()
    const page = yield* list({ ...query, ...queryAt(place), sort: "updatedAt:asc" })
    const next = following(place, page)
    if (place._tag === "Edge") return Option.some([null, { ...state, place: next }] as const)
    const seen = new Map(progress.seen)
    const leads: Array<Lead> = []
    for (const lead of page.data) {
      const print = Cursor.printOf(JSON.stringify(lead))
      if (!isNews(seen, lead, print)) continue
      seen.delete(lead.id)
      seen.set(lead.id, { updatedAt: updatedAt(lead), print })
      leads.push(lead)
    }
    const until = page.data.reduce<number | null>(
      (latest, lead) => Math.max(latest ?? 0, updatedAt(lead)),
      progress.until
    )
    forgetOld(seen, { until: until ?? 0, bound: boundOf(next), windowMillis })
    const given: SyncedPage | null =
      leads.length > 0 || (next._tag === "End" && !state.hasGiven)
        ? { leads, cursor: Cursor.format({ until, seen }) }
        : null
    const after: State = {
      progress: { until, seen },
      place: next,
      hasGiven: state.hasGiven || given !== null
    }
    return Option.some([given, after] as const)
  })

export const changes = (
  list: List,
  options: SyncOptions
): Stream.Stream<SyncedPage, CallFailure | InvalidCursor> => {
  const { cursor, pageSize = 100, replayWindow = "2 minutes", ...query } = options
  const windowMillis = Duration.toMillis(replayWindow)
  return Stream.unwrap(
    Effect.map(cursor === undefined ? Effect.succeed(Cursor.beginning) : Cursor.parse(cursor), (progress) => {
      const beginning: State = {
        progress,
        place: { _tag: "Ahead", from: progress.until === null ? null : progress.until - windowMillis },
        hasGiven: false
      }
      return Stream.unfoldEffect(beginning, step(list, { ...query, pageSize }, windowMillis)).pipe(
        Stream.filter((page) => page !== null)
      )
    })
  )
}
