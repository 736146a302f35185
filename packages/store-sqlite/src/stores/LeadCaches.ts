/** The caches of one store for reads of leads, which share the version of the file that its reading connection sees. */
import type { LeadId, RenderedPage } from "@lead-signals/domain"
import type { QueryConnection } from "../connection/Connection.ts"
import type { Counts } from "../query/FilterCounts.ts"
import { type LeadChanges, newestSql } from "../cache/LeadChanges.ts"
import type { ListCache } from "../query/LeadPages.ts"
import type { RankBuckets } from "../rank-index/RankIndex.ts"
import { totalsCache } from "../query/Totals.ts"
import type { Learned } from "../worker/Jobs.ts"
import { VersionedCache } from "../cache/VersionedCache.ts"

/** Characters of rendered pages; the cache of their encoded bodies keeps as many bytes or some more. */
const maxRenderedPages = 8_388_608

/** Characters of rendered details. */
const maxRenderedDetails = 4_194_304

const lengthOf = (text: string): number => text.length

const lengthOfPage = ({ leads }: RenderedPage): number => leads.reduce((size, lead) => size + lead.length, 0)

export class LeadCaches implements ListCache {
  readonly counts = new VersionedCache<Counts>({ maxSize: 2000 })
  readonly buckets = new VersionedCache<RankBuckets>({ maxSize: 50 })
  readonly lists = new VersionedCache<ReadonlyArray<LeadId>>({ maxSize: 50 })
  readonly pages = new VersionedCache<ReadonlyArray<LeadId>>({ maxSize: 500 })
  readonly renderedPages = new VersionedCache<RenderedPage>({
    maxSize: maxRenderedPages,
    sizeOf: lengthOfPage
  })
  readonly renderedDetails = new VersionedCache<string>({ maxSize: maxRenderedDetails, sizeOf: lengthOf })
  private readonly counted
  readonly totals: ListCache["totals"]
  private version = -1

  constructor(changes: LeadChanges) {
    const counted = totalsCache(changes, 2000)
    this.counted = counted
    this.totals = {
      get: (key) => counted.get(key)?.n,
      set: (key, total, state) => counted.set(key, total, state)
    }
  }

  /** Must come before any use of the caches in a read over this connection. */
  at(sql: QueryConnection & { readonly dataVersion: number }): this {
    const version = sql.dataVersion
    if (version === this.version) return this
    this.version = version
    for (const cache of this.ofDataVersion()) cache.at(version)
    this.counted.at(sql.value<number>(newestSql)!)
    return this
  }

  /** Drops all entries, which may hold texts of an erased person. [PII-3] */
  clear(): void {
    for (const cache of this.ofDataVersion()) cache.clear()
    this.counted.clear()
  }

  /** Returns a function that adds what a worker learns; it adds nothing once a later version has been seen. */
  captureVersion(): (learned: Learned) => void {
    const set = {
      counts: this.counts.captureVersion(),
      buckets: this.buckets.captureVersion(),
      lists: this.lists.captureVersion(),
      pages: this.pages.captureVersion()
    }
    return (learned) => {
      for (const [key, each] of learned.counts) set.counts(key, each)
      for (const [key, each] of learned.buckets) set.buckets(key, each)
      for (const [key, each] of learned.lists) set.lists(key, each)
      for (const [key, each] of learned.pages) set.pages(key, each)
      for (const [key, { state, total }] of learned.totals) this.counted.set(key, total, state)
    }
  }

  private ofDataVersion() {
    const { counts, lists, pages, renderedDetails, renderedPages, buckets } = this
    return [counts, buckets, lists, pages, renderedPages, renderedDetails] as const
  }
}
