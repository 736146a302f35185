/** The caches of one store for reads of leads, which share the version of the file that its reading connection sees. */
import type { RenderedPage } from "@lead-signals/domain"
import type { QueryConnection } from "../connection/Connection.ts"
import { type LeadChanges, newestSql } from "../cache/LeadChanges.ts"
import type { KnownCounts, KnownTotals } from "../query/LeadPages.ts"
import { totalsCache } from "../query/Totals.ts"
import type { BucketCounts } from "../rank-index/RankIndex.ts"
import type { CountedTotals } from "../worker/Jobs.ts"
import { VersionedCache } from "../cache/VersionedCache.ts"

/** Characters of rendered pages; the cache of their encoded bodies keeps as many bytes or some more. */
const maxRenderedPages = 8_388_608

/** Characters of rendered details. */
const maxRenderedDetails = 4_194_304

/** Numbers of leads before buckets, of some thousand for a million leads. */
const maxBuckets = 131_072

const lengthOf = ({ length }: { readonly length: number }): number => length

const lengthOfPage = ({ leads }: RenderedPage): number => leads.reduce((size, lead) => size + lead.length, 0)

/** The caches of lists and leads, all of which an erasure empties. [PII-3] */
export class LeadCaches implements KnownCounts {
  readonly renderedPages = new VersionedCache<RenderedPage>({
    maxSize: maxRenderedPages,
    sizeOf: lengthOfPage
  })
  readonly renderedDetails = new VersionedCache<string>({ maxSize: maxRenderedDetails, sizeOf: lengthOf })
  readonly buckets = new VersionedCache<BucketCounts>({ maxSize: maxBuckets, sizeOf: lengthOf })
  private readonly counted
  readonly totals: KnownTotals
  private readonly keepsReads: boolean
  private version = -1

  /** Without `keepsReads` every read drops what the reads before it have left. */
  constructor(changes: LeadChanges, keepsReads: boolean) {
    this.keepsReads = keepsReads
    const counted = totalsCache(changes, 2000)
    this.counted = counted
    this.totals = {
      get: (key) => counted.get(key)?.n,
      set: (key, total, state) => counted.set(key, total, state)
    }
  }

  /** Must come before any use of the caches in a read over this connection. */
  at(sql: QueryConnection & { readonly dataVersion: number }): this {
    if (!this.keepsReads) {
      this.clear()
      return this
    }
    const version = sql.dataVersion
    if (version === this.version) return this
    this.version = version
    this.renderedPages.at(version)
    this.renderedDetails.at(version)
    this.buckets.at(version)
    this.counted.at(sql.value<number>(newestSql)!)
    return this
  }

  /** Drops all entries, which may hold texts of an erased person. [PII-3] */
  clear(): void {
    this.renderedPages.clear()
    this.renderedDetails.clear()
    this.buckets.clear()
    this.counted.clear()
  }

  /** Adds what a worker counted. */
  addTotals(counted: CountedTotals): void {
    for (const [key, { state, total }] of counted) this.counted.set(key, total, state)
  }
}
