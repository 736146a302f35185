/** What changes of leads mean for counters and rank buckets, and how those are written. */
import type { Lead, LeadId } from "@lead-signals/domain"
import { Folding } from "@lead-signals/domain/pure"
import { flagsOf, idOf } from "@lead-signals/sql-rows"
import type { Connection } from "../connection/Connection.ts"
import { type Key, type Ordering, orderings } from "../query/Ordering.ts"
import { type LongBucket, moveBeginning, splitBucket } from "./RankBuckets.ts"
import { type Column, Params } from "./Rows.ts"

/** The fields of a lead that counters and rank buckets depend on. */
export interface CountedLead {
  readonly id: LeadId
  readonly flags: number
  readonly signalIds: ReadonlyArray<number>
  readonly keys: Readonly<Record<Ordering["name"], Key>>
}

/** What counters read of a lead. */
export const countedOf = (lead: Lead): CountedLead => ({
  id: lead.id,
  flags: flagsOf(lead),
  signalIds: lead.signalIds.map(idOf),
  keys: {
    created: lead.createdAt,
    updated: lead.updatedAt,
    name: Folding.fold(lead.profile.name),
    score: lead.score1 ?? Number.POSITIVE_INFINITY,
    scoreDesc: lead.score1 === null ? Number.POSITIVE_INFINITY : -lead.score1
  }
})

/** A lead before and after a transaction; null where there is none. */
export interface CountedChange {
  readonly brandId: number
  readonly before: CountedLead | null
  readonly after: CountedLead | null
}

/** By how many a counter changes. */
class Deltas<Of extends ReadonlyArray<string | number>> {
  private readonly byKey = new Map<string, { readonly of: Of; n: number }>()

  add(n: number, ...of: Of): void {
    const key = JSON.stringify(of)
    const delta = this.byKey.get(key)
    if (delta === undefined) this.byKey.set(key, { of, n })
    else delta.n += n
  }

  rows(): ReadonlyArray<ReadonlyArray<string | number>> {
    return [...this.byKey.values()].filter(({ n }) => n !== 0).map(({ n, of }) => [...of, n])
  }
}

type PlaceDelta = readonly [
  brandId: number,
  ordering: string,
  key: string,
  id: number,
  flags: number,
  n: number
]

/** Changes of all counters that one transaction makes. */
export class CounterChanges {
  private readonly places: Array<PlaceDelta> = []
  private readonly leads = new Deltas<[brandId: number, signalId: number, flags: number]>()
  private readonly deliveries = new Deltas<[brandId: number, webhookId: number, state: string]>()
  /** Names that a rank bucket must not begin with any more. */
  private readonly forgotten = new Set<string>()

  change({ after, before, brandId }: CountedChange): void {
    for (const { name, textOf } of Object.values(orderings)) {
      const [was, is] = [before?.keys[name], after?.keys[name]]
      if (was === is && before?.flags === after?.flags) continue
      if (before !== null) this.places.push([brandId, name, textOf(was!), before.id, before.flags, -1])
      if (after !== null) this.places.push([brandId, name, textOf(is!), after.id, after.flags, 1])
    }
    for (const signalId of [0, ...(before?.signalIds ?? [])])
      if (before !== null) this.leads.add(-1, brandId, signalId, before.flags)
    for (const signalId of [0, ...(after?.signalIds ?? [])])
      if (after !== null) this.leads.add(1, brandId, signalId, after.flags)
    if (before !== null && before.keys.name !== after?.keys.name)
      this.forgotten.add(`${brandId} ${before.id} ${before.keys.name}`)
  }

  /** A lead of which nothing changes but when it was updated. */
  moveUpdated(
    brandId: number,
    { flags, id }: Pick<CountedLead, "id" | "flags">,
    from: number,
    to: number
  ): void {
    const { name, textOf } = orderings.updated
    this.places.push([brandId, name, textOf(from), id, flags, -1], [brandId, name, textOf(to), id, flags, 1])
  }

  changeDeliveries(n: number, brandId: number, webhookId: number, state: string): void {
    this.deliveries.add(n, brandId, webhookId, state)
  }

  /**
   * Writes the counters, the last rows that a transaction changes. The caller holds the row of each brand's version, which serialises
   * the writers of a brand's counters: buckets neither begin nor end elsewhere meanwhile. `maxBucketLeads` is when a bucket is split.
   */
  async apply(db: Connection, maxBucketLeads: number): Promise<void> {
    const params = new Params()
    const table = (alias: string, of: string, rows: ReadonlyArray<ReadonlyArray<string | number>>): string =>
      params.rows(
        alias,
        of.split(", ").map((column) => column.split(" ") as unknown as Column),
        rows
      )
    const [leads, deliveries] = [sorted(this.leads.rows()), sorted(this.deliveries.rows())]
    const parts: Array<string> = []
    if (leads.length > 0)
      parts.push(`leads AS (
        INSERT INTO lead_signals.lead_count AS c (brand_id, signal_id, flags, n)
        SELECT * FROM ${table("d", "brand_id bigint, signal_id bigint, flags smallint, n bigint", leads)}
        ON CONFLICT (brand_id, signal_id, flags) DO UPDATE SET n = c.n + excluded.n)`)
    if (this.places.length > 0)
      parts.push(`placed AS (
        SELECT d.brand_id, d.ordering, coalesce(b.key, '') AS key, coalesce(b.id, 0) AS id, ${sums}
        FROM ${table("d", "brand_id bigint, ordering text, key text, id bigint, flags smallint, n integer", this.places)}
        LEFT JOIN LATERAL (
          SELECT b.key, b.id FROM lead_signals.lead_bucket b
          WHERE b.brand_id = d.brand_id AND b.ordering = d.ordering AND (b.key, b.id) <= (d.key COLLATE "C", d.id)
          ORDER BY b.key DESC, b.id DESC LIMIT 1) b ON true
        GROUP BY 1, 2, 3, 4),
      buckets AS (
        INSERT INTO lead_signals.lead_bucket AS b (brand_id, ordering, key, id, ${columns})
        SELECT brand_id, ordering, key, id, ${columns} FROM placed
        ON CONFLICT (brand_id, ordering, key, id) DO UPDATE SET ${additions}
        RETURNING b.brand_id, b.ordering, b.key, b.id, ${total} AS n)`)
    // The emitters change these counters, too, so that they are locked last.
    if (deliveries.length > 0)
      parts.push(`deliveries AS (
        INSERT INTO lead_signals.delivery_count AS c (brand_id, webhook_id, state, n)
        SELECT * FROM ${table("d", "brand_id bigint, webhook_id bigint, state text, n bigint", deliveries)}
        ON CONFLICT (brand_id, webhook_id, state) DO UPDATE SET n = c.n + excluded.n)`)
    if (parts.length === 0) return
    const result = this.places.length > 0 ? "SELECT * FROM buckets" : "SELECT WHERE false"
    const touched = await db.all<LongBucket>(`WITH ${parts.join(", ")} ${result}`, params.all)
    for (const bucket of touched) {
      const isForgotten =
        bucket.ordering === "name" && this.forgotten.has(`${bucket.brand_id} ${bucket.id} ${bucket.key}`)
      const moved = isForgotten ? await moveBeginning(db, bucket) : bucket
      if (moved !== null && moved.n > maxBucketLeads) await splitBucket(db, moved, maxBucketLeads)
    }
  }
}

const compare = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0)

/** In the order of the key, so that no two writers wait for each other. */
const sorted = (rows: ReadonlyArray<ReadonlyArray<string | number>>) =>
  [...rows].sort((a, b) => compare(a[0]!, b[0]!) || compare(a[1]!, b[1]!) || compare(a[2]!, b[2]!))

const allFlags = [0, 1, 2, 3, 4, 5, 6, 7]
const columns = allFlags.map((flags) => `n${flags}`).join(", ")
const sums = allFlags
  .map((flags) => `coalesce(sum(d.n) FILTER (WHERE d.flags = ${flags}), 0)::integer AS n${flags}`)
  .join(", ")
const additions = allFlags.map((flags) => `n${flags} = b.n${flags} + excluded.n${flags}`).join(", ")
const total = allFlags.map((flags) => `b.n${flags}`).join(" + ")
