/**
 * Reads every lead that passes a filter, once each, page by page. It holds one page, and the ids of the leads of one instant. It needs nothing
 * of the server but what it answers, so a server that is restarted on the way loses and repeats nothing. [CLI-11]
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

/** The query parameters of the list, but for the order and the page, which are the export's. */
export type ExportFilter = Readonly<Record<string, string>>

/** Leads that were read together. */
export interface ExportedPart<Lead> {
  readonly leads: ReadonlyArray<Lead>
  /** How many leads passed the filter when the export began. */
  readonly total: number
}

/** The most that a page has: with engagements less. */
const pageSizeOf = (filter: ExportFilter): string => (filter["includeEngagements"] === "true" ? "25" : "100")

/**
 * The leads that pass the filter, in the order of their creation. A lead that is erased or created meanwhile moves the others between pages, so
 * each page begins at the instant of the last lead before it. One instant that fills more than a page is read from its last page to its first:
 * what is erased meanwhile then moves no lead that is still to come.
 */
export const exportLeads = <Lead extends ExportedLead, E>(
  read: (query: ExportFilter) => Effect.Effect<ExportedPage<Lead>, E>,
  filter: ExportFilter
): Stream.Stream<ExportedPart<Lead>, E> =>
  Stream.unwrap(
    Effect.sync(() => {
      const ordered = { ...filter, sort: "createdAt:asc", pageSize: pageSizeOf(filter) }
      let total: number | null = null
      let after = filter["createdAfter"]
      let seen = new Set<number>()
      /** The page of the instant that is read next; null: the first of the leads from `after` on. */
      let pageOfInstant: number | null = null
      let isLast = false

      const partOf = (page: ExportedPage<Lead>): ExportedPart<Lead> => {
        const leads = page.data.filter(({ id }) => !seen.has(id))
        return { leads, total: total! }
      }

      const next = Effect.gen(function* () {
        if (pageOfInstant !== null) {
          const page = yield* read({
            ...ordered,
            createdAfter: after!,
            createdBefore: after!,
            page: String(pageOfInstant)
          })
          const part = partOf(page)
          for (const { id } of page.data) seen.add(id)
          if (--pageOfInstant === 0) {
            pageOfInstant = null
            after = new Date(Date.parse(after!) + 1).toISOString()
            seen = new Set()
          }
          return part
        }
        const page = yield* read({ ...ordered, ...(after === undefined ? {} : { createdAfter: after }) })
        const { pageCount, total: found } = page.meta.pagination
        total ??= found
        const part = partOf(page)
        const last = page.data.at(-1)?.createdAt
        isLast = last === undefined || pageCount <= 1
        if (isLast) return part
        const ofLast = page.data.filter(({ createdAt }) => createdAt === last).map(({ id }) => id)
        if (last !== after) {
          after = last!
          seen = new Set(ofLast)
          return part
        }
        // The whole page is of one instant, at which it began.
        for (const id of ofLast) seen.add(id)
        const first = yield* read({ ...ordered, createdAfter: last!, createdBefore: last! })
        pageOfInstant = Math.max(1, first.meta.pagination.pageCount)
        return part
      })

      return Stream.repeatEffectOption(
        Effect.suspend(() => (isLast ? Effect.fail(null) : next)).pipe(
          Effect.mapError((failure) => (failure === null ? Option.none<E>() : Option.some(failure as E)))
        )
      )
    })
  )
