/**
 * How many leads match what was asked for, kept right while leads change: what a filter lets through of the leads that were
 * changed since says how many more or fewer there are.
 */
import type { Facts, LeadChanges } from "./LeadChanges.ts"
import type { Selection } from "./Selection.ts"
import { isFoundBy } from "./SearchIndex.ts"

type Filter = Pick<Selection, "brandId" | "signalId" | "flags" | "created" | "updated">

const isWithin = (range: Selection["created"], instant: number): boolean =>
  range === null || (instant >= range.from && instant <= range.to)

/** Whether a lead is among those that the SQL of such a filter and needle counts; the needle is folded. [LIST-3, LIST-5] */
export const matches = (
  { brandId, created, flags, signalId, updated }: Filter,
  needle: string | null,
  lead: Facts
): boolean =>
  lead.brandId === String(brandId) &&
  (flags === null || flags.includes(lead.flags)) &&
  (signalId === null || lead.signalIds.includes(String(signalId))) &&
  isWithin(created, lead.createdAt) &&
  isWithin(updated, lead.updatedAt) &&
  (needle === null || isFoundBy(needle, lead.name, lead.headline))

/** Of the file when its newest change had the number `state`. */
interface Total {
  state: number
  n: number
  readonly counts: (lead: Facts) => boolean
}

/** What a reading of the file knows and finds out. */
export interface KnownTotals {
  readonly get: (key: string) => number | undefined
  readonly set: (key: string, total: Total) => void
}

export class Totals {
  private kept = new Map<string, Total>()
  private newest = -1

  /** So many are kept at most; then all are forgotten. */
  constructor(
    private readonly changes: LeadChanges,
    private readonly greatestNumber: number
  ) {}

  /** As the file is: its newest change has this number. */
  at(state: number): KnownTotals {
    this.newest = Math.max(this.newest, state)
    return { get: (key) => this.total(key, state), set: (key, total) => this.set(key, total) }
  }

  /** For a reader that sees the file as it was last asked about, or later. */
  ofLate(): KnownTotals {
    return { get: (key) => this.total(key, this.newest), set: (key, total) => this.set(key, total) }
  }

  private total(key: string, state: number): number | undefined {
    const known = this.kept.get(key)
    // Another reader may have seen more.
    if (known === undefined || known.state > state) return undefined
    if (known.state === state) return known.n
    const changes = this.changes.between(known.state, state)
    if (changes === null) {
      this.kept.delete(key)
      return undefined
    }
    for (const { after, before } of changes) {
      if (before !== null && known.counts(before)) known.n--
      if (after !== null && known.counts(after)) known.n++
    }
    known.state = state
    return known.n
  }

  private set(key: string, total: Total): void {
    if (this.kept.size >= this.greatestNumber) this.kept.clear()
    this.kept.set(key, total)
  }
}
