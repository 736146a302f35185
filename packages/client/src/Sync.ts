/**
 * Keeps a copy of a brand's leads: asks for what was updated since the last time, from a little before that, and gives each
 * state of a lead once, as far as a cursor reaches. Pages follow each other by updatedAt and not by number, so that none slips by while leads move.
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

interface State {
  readonly progress: Cursor.Progress
  /** Updates from this instant on are asked for, and which page of them: later ones while all of a page have one instant. */
  readonly bound: number | null
  readonly page: number
  /** Whether later pages of this instant had anything new; then they are read once more, for what slipped by. */
  readonly sawNew: boolean
  /** A sync gives one page at least: its cursor. */
  readonly hasGiven: boolean
  readonly isOver: boolean
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

/** Where to ask next, after a page that was not the last one. */
const following = (
  state: State,
  leads: ReadonlyArray<Lead>,
  sawNew: boolean
): Pick<State, "bound" | "page" | "sawNew"> => {
  const last = updatedAt(leads.at(-1)!)
  if (state.bound === null || last > state.bound) {
    if (state.page > 1 && sawNew) return { bound: state.bound, page: 1, sawNew: false }
    return { bound: last, page: 1, sawNew: false }
  }
  return { bound: state.bound, page: state.page + 1, sawNew }
}

const step = (list: List, query: LeadPageQuery, windowMillis: number) => (state: State) =>
  Effect.gen(function* () {
    const { bound, page, progress } = state
    const updatedAfter = bound === null ? undefined : new Date(bound)
    const { data, meta } = yield* list({ ...query, page, updatedAfter, sort: "updatedAt:asc" })
    const seen = new Map(progress.seen)
    const leads: Array<Lead> = []
    for (const lead of data) {
      const print = Cursor.printOf(JSON.stringify(lead))
      if (!isNews(seen, lead, print)) continue
      seen.delete(lead.id)
      seen.set(lead.id, { updatedAt: updatedAt(lead), print })
      leads.push(lead)
    }
    const until = data.reduce<number | null>(
      (latest, lead) => Math.max(latest ?? 0, updatedAt(lead)),
      progress.until
    )
    const sawNew = state.sawNew || (page > 1 && leads.length > 0)
    const isLast = page >= meta.pagination.pageCount
    const next =
      isLast && page > 1 && sawNew
        ? { bound, page: 1, sawNew: false, isOver: false }
        : isLast
          ? { bound, page, sawNew, isOver: true }
          : { ...following(state, data, sawNew), isOver: false }
    forgetOld(seen, { until: until ?? 0, bound: next.bound ?? Number.POSITIVE_INFINITY, windowMillis })
    const given: SyncedPage | null =
      leads.length > 0 || (next.isOver && !state.hasGiven)
        ? { leads, cursor: Cursor.format({ until, seen }) }
        : null
    const after: State = { ...next, progress: { until, seen }, hasGiven: state.hasGiven || given !== null }
    return [given, after] as const
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
        bound: progress.until === null ? null : progress.until - windowMillis,
        page: 1,
        sawNew: false,
        hasGiven: false,
        isOver: false
      }
      const read = step(list, { ...query, pageSize }, windowMillis)
      return Stream.unfoldEffect(beginning, (state) =>
        state.isOver
          ? Effect.succeed(Option.none())
          : Effect.map(read(state), (result) => Option.some(result))
      ).pipe(Stream.filter((page) => page !== null))
    })
  )
}
