/** Lists of leads, read on the serving thread where that takes little effort, else in the reading worker. */
import type { LeadPage, RenderedPage, StoreUnavailable } from "@lead-signals/domain"
import { Effect } from "effect"
import type { LeadCaches } from "./LeadCaches.ts"
import type { SearchTexts } from "./SearchTexts.ts"
import type { Database } from "../database/Database.ts"
import {
  type ListingOptions,
  type Query,
  type ReadPage,
  readLeadPage,
  readRenderedPage,
  totalKeys
} from "../query/LeadPages.ts"
import type { Jobs } from "../worker/Jobs.ts"

export interface LeadLists {
  readonly list: (brandId: string, query: Query) => Effect.Effect<LeadPage, StoreUnavailable>
  /** Returns pages from the cache while nothing is written. */
  readonly listRendered: (brandId: string, query: Query) => Effect.Effect<RenderedPage, StoreUnavailable>
}

const queryKey = (brandId: string, { engagements, filter, page, sort }: Query): string =>
  JSON.stringify([brandId, engagements, sort, page, filter])

type ListKind = "listLeads" | "listRenderedLeads"
type Listed<K extends ListKind> = Jobs[K]["output"]["page"]

const searchKinds = { listLeads: "searchLeads", listRenderedLeads: "searchRenderedLeads" } as const

export const leadLists = (
  { read, readingWorker }: Pick<typeof Database.Service, "read" | "readingWorker">,
  caches: LeadCaches,
  texts: SearchTexts,
  options: ListingOptions
): LeadLists => {
  const offload = <K extends ListKind>(
    kind: K,
    brandId: string,
    query: Query
  ): Effect.Effect<Listed<K>, StoreUnavailable> =>
    Effect.suspend(() => {
      const job = readingWorker.read(brandId, kind, () => {
        const totals = new Map<string, number>()
        for (const key of totalKeys(brandId, query)) {
          const known = caches.totals.get(key)
          if (known !== undefined) totals.set(key, known)
        }
        return { brandId, query, rankIndex: options.rankIndex, totals }
      })
      texts.want(brandId, query.filter)
      return Effect.map(job, ({ counted, page }) => {
        caches.addTotals(counted)
        return page
      })
    })
  const listAs = <K extends ListKind>(
    kind: K,
    readPage: ReadPage<Listed<K>>,
    brandId: string,
    query: Query
  ): Effect.Effect<Listed<K>, StoreUnavailable> =>
    Effect.suspend(() => {
      const { filter } = query
      const inMemory = (otherwise: Effect.Effect<Listed<K>, StoreUnavailable>) =>
        Effect.flatMap(texts.search(searchKinds[kind], brandId, query), (page) =>
          page === null ? otherwise : Effect.succeed(page as Listed<K>)
        )
      const fromFile = (slowly: Effect.Effect<Listed<K>, StoreUnavailable>) =>
        Effect.flatMap(
          read((sql) => readPage(sql, brandId, query, options, caches.at(sql))),
          (page) => (page === null ? slowly : Effect.succeed(page))
        )
      const offloaded = offload(kind, brandId, query)
      if (!texts.has(brandId, filter)) return fromFile(offloaded)
      // The file's counters and indexes often answer a list without a search sooner than memory.
      return filter.search === undefined ? fromFile(inMemory(offloaded)) : inMemory(fromFile(offloaded))
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
