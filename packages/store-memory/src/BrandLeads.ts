/**
 * Indexes the leads of one brand: by id, external id and signal, by each sort order requested so far, and
 * counted by flags. A page and its total scan all leads only when a filter requires it.
 */
import {
  type Engagement,
  EngagementWindows,
  Folding,
  type Lead,
  type LeadFilter,
  type LeadId,
  matchesFilter,
  SortOrder
} from "@lead-signals/domain"
import { SortedList } from "./SortedList.ts"

/** A lead with derived values. Immutable but for its engagements; a change replaces it. */
export interface LeadRecord {
  readonly lead: Lead
  readonly nameKey: string
  readonly searchKeys: ReadonlyArray<string>
  /** Newest first. Successors of the record share the array. */
  readonly engagements: Array<Engagement>
}

const record = (lead: Lead, engagements: Array<Engagement>): LeadRecord => ({
  lead,
  nameKey: Folding.fold(lead.profile.name),
  searchKeys: [lead.profile.name, lead.profile.headline ?? ""].map(Folding.fold),
  engagements
})

type Compare = (a: LeadRecord, b: LeadRecord) => number

const byScore = (a: number | null, b: number | null, sign: number): number =>
  a === null || b === null ? Number(a === null) - Number(b === null) : sign * (a - b)

/** Ties break by id ascending in either direction; a null score is last in either. [SORT-5, SORT-6] */
const comparison = ({ field, direction }: SortOrder.SortOrder): Compare => {
  const sign = direction === "asc" ? 1 : -1
  const byField: Compare =
    field === "name"
      ? (a, b) => sign * Folding.compareCodePoints(a.nameKey, b.nameKey)
      : field === "score1"
        ? (a, b) => byScore(a.lead.score1, b.lead.score1, sign)
        : (a, b) => sign * (a.lead[field] - b.lead[field])
  return (a, b) => byField(a, b) || a.lead.id - b.lead.id
}

const flagBits = ({
  qualified,
  exported,
  isEmployee
}: Pick<Lead, "qualified" | "exported" | "isEmployee">): number =>
  Number(qualified) + 2 * Number(exported) + 4 * Number(isEmployee)

const matches =
  (filter: LeadFilter) =>
  ({ lead, searchKeys }: LeadRecord): boolean =>
    matchesFilter(filter, lead, (text) => searchKeys.some((key) => key.includes(text)))

/** Where a lead is in the feed of changes. */
export interface FeedEntry {
  readonly id: LeadId
  readonly position: number
  /** When the lead was removed; null of one that is there. */
  readonly removedAt: number | null
}

/** Whether the counters alone give the total of the filter. */
const isCounted = (filter: LeadFilter): boolean =>
  Object.keys(filter).every((key) => ["signalId", "qualified", "exported", "isEmployee"].includes(key))

/** The name of the counter of all leads; the others are named by their signal. */
const allLeads = ""

/** The leads of one brand. */
export class BrandLeads {
  readonly byId = new Map<LeadId, LeadRecord>()
  readonly byExtId = new Map<string, LeadId>()
  readonly engagements = new Map<string, Engagement>()
  /** Ids of engagements by the external id of their post's author. */
  readonly byAuthor = new Map<string, Set<string>>()
  /** Hashes of erased persons' external ids, with the instant of each erasure. */
  readonly suppressed = new Map<string, number>()
  /** The position of a removed lead up to which removals are forgotten. */
  forgottenChanges = 0
  /** By the lead, in the order of the positions. */
  private feed = new Map<LeadId, FeedEntry>()
  /** The removed leads of the feed, in the order of their removal. */
  private readonly removed = new Map<LeadId, FeedEntry>()
  private readonly bySignal = new Map<string, Set<LeadId>>()
  private readonly counters = new Map<string, Array<number>>()
  private readonly sorted = new Map<string, SortedList<LeadRecord>>()

  /** Adds the lead, or replaces its earlier state, in all indexes. */
  put(lead: Lead): void {
    const earlier = this.byId.get(lead.id)
    if (earlier !== undefined) {
      this.unindex(earlier)
      for (const signalId of earlier.lead.signalIds) {
        // An undone commit may remove a signal from the lead.
        if (!lead.signalIds.includes(signalId)) this.bySignal.get(signalId)?.delete(lead.id)
      }
    }
    const next = record(lead, earlier?.engagements ?? [])
    this.byId.set(lead.id, next)
    this.byExtId.set(lead.extId, lead.id)
    for (const signalId of lead.signalIds) {
      const caught = this.bySignal.get(signalId)
      if (caught === undefined) this.bySignal.set(signalId, new Set([lead.id]))
      else caught.add(lead.id)
    }
    this.count(lead, 1)
    for (const list of this.sorted.values()) list.insert(next)
  }

  /** Removes the lead and its engagements from all indexes. */
  remove(id: LeadId): void {
    const earlier = this.byId.get(id)
    if (earlier === undefined) return
    this.unindex(earlier)
    for (const signalId of earlier.lead.signalIds) this.bySignal.get(signalId)?.delete(id)
    this.byId.delete(id)
    this.byExtId.delete(earlier.lead.extId)
    for (const engagement of earlier.engagements) this.unindexEngagement(engagement)
  }

  addEngagement(engagement: Engagement): void {
    const { engagements } = this.byId.get(engagement.leadId)!
    const after = engagements.findIndex((other) => EngagementWindows.newestFirst(engagement, other) < 0)
    engagements.splice(after < 0 ? engagements.length : after, 0, engagement)
    this.indexEngagement(engagement)
  }

  removeEngagement(engagement: Engagement): void {
    const { engagements } = this.byId.get(engagement.leadId)!
    engagements.splice(engagements.indexOf(engagement), 1)
    this.unindexEngagement(engagement)
  }

  replaceEngagement(earlier: Engagement, next: Engagement): void {
    const { engagements } = this.byId.get(earlier.leadId)!
    engagements.splice(engagements.indexOf(earlier), 1, next)
    this.unindexEngagement(earlier)
    this.indexEngagement(next)
  }

  /** Moves the lead to the end of the feed. Returns a function that takes that back. */
  noteChange(entry: FeedEntry): () => void {
    const { id } = entry
    const earlier = this.feed.get(id)
    this.feed.delete(id)
    this.feed.set(id, entry)
    if (entry.removedAt !== null) this.removed.set(id, entry)
    return () => {
      this.feed.delete(id)
      const all = [...this.feed.values(), ...(earlier === undefined ? [] : [earlier])]
      this.feed = new Map(all.sort((a, b) => a.position - b.position).map((each) => [each.id, each]))
    }
  }

  /** Forgets the leads that were removed before the instant. */
  forgetRemoved(before: number): void {
    for (const { id, position, removedAt } of this.removed.values()) {
      if (removedAt! >= before) return
      this.feed.delete(id)
      this.removed.delete(id)
      this.forgottenChanges = Math.max(this.forgottenChanges, position)
    }
  }

  /** The feed behind the position, at most `limit` entries. */
  changesAfter(position: number, limit: number): ReadonlyArray<FeedEntry> {
    const found: Array<FeedEntry> = []
    for (const entry of this.feed.values()) {
      if (found.length === limit) break
      if (entry.position > position) found.push(entry)
    }
    return found
  }

  total(filter: LeadFilter): number {
    if (isCounted(filter)) {
      const counter = this.counters.get(filter.signalId ?? allLeads) ?? []
      return counter.reduce((sum, n, bits) => sum + (this.bitsMatch(bits, filter) ? n : 0), 0)
    }
    const test = matches(filter)
    let total = 0
    for (const candidate of this.candidates(filter)) if (test(candidate)) total++
    return total
  }

  page(
    filter: LeadFilter,
    sort: SortOrder.SortOrder,
    offset: number,
    limit: number
  ): ReadonlyArray<LeadRecord> {
    const unfiltered = Object.keys(filter).length === 0
    const test = matches(filter)
    const found: Array<LeadRecord> = []
    let skip = unfiltered ? 0 : offset
    for (const candidate of this.sortedBy(sort).from(unfiltered ? offset : 0)) {
      if (found.length === limit) break
      if (!test(candidate)) continue
      if (skip > 0) skip--
      else found.push(candidate)
    }
    return found
  }

  private *candidates(filter: LeadFilter): Generator<LeadRecord> {
    if (filter.signalId === undefined) yield* this.byId.values()
    else for (const id of this.bySignal.get(filter.signalId) ?? []) yield this.byId.get(id)!
  }

  private bitsMatch(bits: number, { qualified, exported, isEmployee }: LeadFilter): boolean {
    return [qualified, exported, isEmployee].every(
      (wanted, i) => wanted === undefined || wanted === ((bits & (1 << i)) !== 0)
    )
  }

  private sortedBy(sort: SortOrder.SortOrder): SortedList<LeadRecord> {
    const name = SortOrder.format(sort)
    const existing = this.sorted.get(name)
    if (existing !== undefined) return existing
    const list = new SortedList(comparison(sort))
    for (const each of this.byId.values()) list.insert(each)
    this.sorted.set(name, list)
    return list
  }

  private unindex(earlier: LeadRecord): void {
    this.count(earlier.lead, -1)
    for (const list of this.sorted.values()) list.remove(earlier)
  }

  private count(lead: Lead, by: number): void {
    for (const name of [allLeads, ...lead.signalIds]) {
      const counter = this.counters.get(name) ?? Array.from({ length: 8 }, () => 0)
      counter[flagBits(lead)]! += by
      this.counters.set(name, counter)
    }
  }

  private indexEngagement(engagement: Engagement): void {
    this.engagements.set(engagement.id, engagement)
    const author = engagement.postAuthorDetail?.extId
    if (author == null) return
    const authored = this.byAuthor.get(author)
    if (authored === undefined) this.byAuthor.set(author, new Set([engagement.id]))
    else authored.add(engagement.id)
  }

  private unindexEngagement(engagement: Engagement): void {
    this.engagements.delete(engagement.id)
    const author = engagement.postAuthorDetail?.extId
    if (author != null) this.byAuthor.get(author)?.delete(engagement.id)
  }
}
