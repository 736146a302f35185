/**
 * Totals of filters, advanced while leads change: the filter, applied to each lead before and after its change, gives the
 * difference.
 */
import type { BrandId, LeadFilter } from "@lead-signals/domain"
import { matchesFilter } from "@lead-signals/domain/pure"
import { VersionedCache } from "../cache/VersionedCache.ts"
import type { LeadChanges, ListableLead } from "../cache/LeadChanges.ts"
import { isFoundBy } from "../search/SearchIndex.ts"

/** Whether the lead is one of those that the SQL of the filter counts. [LIST-3, LIST-5] */
const matches = ({ brandId, filter }: Total, lead: ListableLead): boolean =>
  lead.brandId === brandId && matchesFilter(filter, lead, (text) => isFoundBy(text, lead.name, lead.headline))

/** How many leads a list has. */
export interface Total {
  readonly n: number
  readonly brandId: BrandId
  readonly filter: LeadFilter
}

/** The total after changes; undefined where some of them are not known. */
const advance = (changes: LeadChanges, total: Total, from: number, to: number): Total | undefined => {
  const since = changes.between(from, to)
  if (since === null) return undefined
  let { n } = total
  for (const { after, before } of since) {
    if (before !== null && matches(total, before)) n--
    if (after !== null && matches(total, after)) n++
  }
  return { ...total, n }
}

/** Totals by filter. Their version is the number of the newest change in the file. */
export const totalsCache = (changes: LeadChanges, maxSize: number): VersionedCache<Total> =>
  new VersionedCache({ maxSize, advance: (total, from, to) => advance(changes, total, from, to) })
