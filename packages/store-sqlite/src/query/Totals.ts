/**
 * How many leads match a filter, kept right while leads change: the filter, applied to the leads that changed since, says
 * how many more or fewer match.
 */
import { VersionedCache } from "../cache/VersionedCache.ts"
import type { FilterableLead, LeadChanges } from "../cache/LeadChanges.ts"
import { isFoundBy } from "../search/SearchIndex.ts"
import type { Selection } from "../filter/Selection.ts"

type Filter = Pick<Selection, "brandId" | "signalId" | "flags" | "created" | "updated">

const isWithin = (range: Selection["created"], instant: number): boolean =>
  range === null || (instant >= range.from && instant <= range.to)

/** Whether a lead is among those that the SQL of such a filter and needle counts; the needle is folded. [LIST-3, LIST-5] */
const matches = (
  { brandId, created, flags, signalId, updated }: Filter,
  needle: string | null,
  lead: FilterableLead
): boolean =>
  lead.brandId === String(brandId) &&
  (flags === null || flags.includes(lead.flags)) &&
  (signalId === null || lead.signalIds.includes(String(signalId))) &&
  isWithin(created, lead.createdAt) &&
  isWithin(updated, lead.updatedAt) &&
  (needle === null || isFoundBy(needle, lead.name, lead.headline))

export interface Total {
  readonly n: number
  readonly filter: Filter
  /** Folded; null without a search. */
  readonly needle: string | null
}

/** The total after changes; undefined where some of them are not known. */
const advance = (changes: LeadChanges, total: Total, from: number, to: number): Total | undefined => {
  const since = changes.between(from, to)
  if (since === null) return undefined
  const { filter, needle } = total
  let { n } = total
  for (const { after, before } of since) {
    if (before !== null && matches(filter, needle, before)) n--
    if (after !== null && matches(filter, needle, after)) n++
  }
  return { ...total, n }
}

/** Totals by filter. Their version is the number of the newest change in the file. */
export const totalsCache = (changes: LeadChanges, maxSize: number): VersionedCache<Total> =>
  new VersionedCache({ maxSize, advance: (total, from, to) => advance(changes, total, from, to) })
