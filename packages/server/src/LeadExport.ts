/**
 * Reads every lead that passes a filter, once each, page by page. It holds one page. It needs nothing of the server but
 * what it answers, so a server that is restarted on the way loses and repeats nothing. [CLI-11]
 */
import { Effect, Option, Stream } from "effect"

/** A lead as far as the order of the export needs it. */
export interface ExportedLead {
  readonly id: number
  /** ISO 8601 in UTC, to the millisecond. */
  readonly createdAt: string
}

/** A page as the list of leads answers it. */
export interface ExportedPage<Lead extends ExportedLead> {
  readonly data: ReadonlyArray<Lead>
  readonly meta: { readonly pagination: { readonly pageCount: number; readonly total: number } }
}

/** The query parameters of the list, but for the order, the page and its size, which are the export's. */
export type ExportFilter = Readonly<Record<string, string>>

/** Leads that were read together. */
export interface ExportedPart<Lead> {
  readonly leads: ReadonlyArray<Lead>
  /** How many leads passed the filter when the export began. */
  readonly total: number
}

/** The most leads that a page has: with engagements fewer. */
const maxPageSizeOf = (filter: ExportFilter): number => (filter["includeEngagements"] === "true" ? 25 : 100)

/** A page of the list, by its number from 1 on and its size. */
interface PagePlace {
  readonly page: number
  readonly size: number
}

/** The page that begins at `offset` or before it and reaches the furthest, of those with at most `maxSize` leads. */
const pageFrom = (offset: number, maxSize: number): PagePlace => {
  let furthest: PagePlace = { page: 1, size: 0 }
  for (let size = maxSize; size > 0; size--) {
    const page = Math.floor(offset / size) + 1
    if (page * size > furthest.page * furthest.size) furthest = { page, size }
  }
  return furthest
}

/** Whether the lead comes after the other one in the order of the export. */
const isAfter = (lead: ExportedLead, other: ExportedLead): boolean =>
  lead.createdAt > other.createdAt || (lead.createdAt === other.createdAt && lead.id > other.id)

/**
 * The leads that pass the filter, in the order of their creation, and those of one instant by id.
 *
 * Writers move leads between pages meanwhile, so the list is read from the instant of the last lead on, and a page counts only when it
 * begins with a lead that was read before, or with the first lead of the list: then no lead lies between it and the page before. Where
 * an instant fills more than a page, the next page overlaps the one before, and the page is read again from nearer its beginning when it begins
 * behind the last lead.
 */
export const exportLeads = <Lead extends ExportedLead, E>(
  read: (query: ExportFilter) => Effect.Effect<ExportedPage<Lead>, E>,
  filter: ExportFilter
): Stream.Stream<ExportedPart<Lead>, E> =>
  Stream.unwrap(
    Effect.sync(() => {
      const maxSize = maxPageSizeOf(filter)
      /** Leads by which a page overlaps the one before: as many may leave the instant before the page is read in vain. */
      const minOverlap = Math.ceil(maxSize / 10)
      let total: number | null = null
      /** The last lead that was read: each one before it was read, or did not stay. */
      let last: Lead | null = null
      let after = filter["createdAfter"]
      /** The number of leads from the instant `after` to `last` when their pages were last read. */
      let rank = 0
      let overlap = minOverlap
      let isDone = false

      const next = Effect.gen(function* () {
        const { page, size } = pageFrom(Math.max(0, rank - overlap), maxSize)
        const { data, meta } = yield* read({
          ...filter,
          sort: "createdAt:asc",
          ...(after === undefined ? {} : { createdAfter: after }),
          page: String(page),
          pageSize: String(size)
        })
        total ??= meta.pagination.total
        const before = last
        const isAdjacent = page === 1 || (data.length > 0 && before !== null && !isAfter(data[0]!, before))
        if (!isAdjacent) {
          overlap *= 2
          return { leads: [], total }
        }
        overlap = minOverlap
        isDone = page >= meta.pagination.pageCount
        rank = (page - 1) * size + data.length
        const leads = before === null ? data : data.filter((lead) => isAfter(lead, before))
        const newest = leads.at(-1)
        if (newest === undefined) return { leads, total }
        if (newest.createdAt !== after) {
          after = newest.createdAt
          rank = data.filter(({ createdAt }) => createdAt === after).length
        }
        last = newest
        return { leads, total }
      })

      return Stream.repeatEffectOption(
        Effect.suspend(() => (isDone ? Effect.fail(null) : next)).pipe(
          Effect.mapError((failure) => (failure === null ? Option.none<E>() : Option.some(failure as E)))
        )
      )
    })
  )
