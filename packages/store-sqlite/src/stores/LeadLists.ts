/** Lists of leads, read on the serving thread where that takes little effort, else in the reading worker. */
import type { LeadListQuery, LeadPage, RenderedPage, StoreUnavailable } from "@lead-signals/domain"
import { Effect } from "effect"
import type { LeadCaches } from "./LeadCaches.ts"
import type { SearchTexts } from "./SearchTexts.ts"
import type { Database } from "../database/Database.ts"
import {
  type ListingOptions,
  type ReadPage,
  readLeadPage,
  readRenderedPage,
  totalKeys
} from "../query/LeadPages.ts"
import type { Jobs } from "../worker/Jobs.ts"

/** Reads lists here or in a worker, whichever is sooner. */
export interface LeadLists {
  readonly list: (brandId: string, query: LeadListQuery) => Effect.Effect<LeadPage, StoreUnavailable>
  /** Returns pages from the cache while nothing is written. */
  readonly listRendered: (
    brandId: string,
    query: LeadListQuery
  ) => Effect.Effect<RenderedPage, StoreUnavailable>
}

const queryKey = (brandId: string, { engagements, filter, page, sort }: LeadListQuery): string =>
  JSON.stringify([brandId, engagements, sort, page, filter])

type ListKind = "listLeads" | "listRenderedLeads"
type Listed<K extends ListKind> = NonNullable<Jobs[K]["output"]["page"]>

const searchKinds = { listLeads: "searchLeads", listRenderedLeads: "searchRenderedLeads" } as const

/** Decides by the plan of the list, before anything of it is read. */
export const leadLists = (
  { read, readingWorker }: Pick<typeof Database.Service, "read" | "readingWorker">,
  caches: LeadCaches,
  texts: SearchTexts,
  options: ListingOptions
): LeadLists => {
  /** Null where memory answers sooner, and has the brand. */
  const offload = <K extends ListKind>(
    kind: K,
    brandId: string,
    query: LeadListQuery,
    isInMemory: boolean
  ): Effect.Effect<Listed<K> | null, StoreUnavailable> =>
    Effect.suspend(() => {
      const job = readingWorker.read(brandId, kind, () => {
        const totals = new Map<string, number>()
        for (const key of totalKeys(brandId, query)) {
          const known = caches.totals.get(key)
          if (known !== undefined) totals.set(key, known)
        }
        return { brandId, query, rankIndex: options.rankIndex, isInMemory, totals }
      })
      if (!isInMemory) texts.want(brandId, query.filter)
      return Effect.map(job, ({ counted, page }) => {
        caches.addTotals(counted)
        return page
      })
    })
  const listAs = <K extends ListKind>(
    kind: K,
    readPage: ReadPage<Listed<K>>,
    brandId: string,
    query: LeadListQuery
  ): Effect.Effect<Listed<K>, StoreUnavailable> =>
    Effect.suspend(() => {
      const { filter } = query
      type Way = Effect.Effect<Listed<K> | null, StoreUnavailable>
      const served: Way = read((sql) => readPage(sql, brandId, query, options, caches.at(sql)))
      const inMemory = Effect.suspend(
        () => texts.search(searchKinds[kind], brandId, query) as Effect.Effect<Listed<K> | null>
      )
      // Without memory beside it there is always a page.
      const offloaded = offload(kind, brandId, query, false) as Effect.Effect<Listed<K>, StoreUnavailable>
      const first = (...ways: ReadonlyArray<Way>): Effect.Effect<Listed<K>, StoreUnavailable> =>
        ways.reduceRight<Effect.Effect<Listed<K>, StoreUnavailable>>(
          (others, way) => Effect.flatMap(way, (page) => (page === null ? others : Effect.succeed(page))),
          offloaded
        )
      if (!texts.has(brandId, filter)) return first(served)
      // The file's counters and indexes often answer a list without a search sooner than memory.
      return filter.search === undefined
        ? first(served, offload(kind, brandId, query, true), inMemory)
        : first(inMemory, served)
    })
  return {
    list: (brandId, query) => listAs("listLeads", readLeadPage, brandId, query),
    listRendered: (brandId, query) =>
      Effect.suspend(() => {
        const key = queryKey(brandId, query)
        return Effect.flatMap(
          read((sql) => caches.at(sql).renderedPages.get(key)),
          (cached) => {
            if (cached !== undefined) return Effect.succeed(cached)
            const cache = caches.renderedPages.captureVersion()
            return Effect.map(listAs("listRenderedLeads", readRenderedPage, brandId, query), (page) => {
              cache(key, page)
              return page
            })
          }
        )
      })
  }
}
