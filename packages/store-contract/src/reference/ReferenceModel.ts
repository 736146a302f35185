/**
 * The reference model of a brand. It filters and sorts arrays anew for every list, and writes answers out key by key. It is written from
 * docs/specification.md alone, and shares no code with the rules, the views and the stores that it checks. The contract of stores and the
 * simulator's oracles compare answers with it to the byte.
 */
import {
  newestCompany,
  type ReferenceLead,
  type ReferenceSignal,
  type Seen,
  type SeenPerson
} from "./ReferenceLead.ts"
import { type Query, selectLeads } from "./ReferenceQuery.ts"
import { compareTexts, FoldedTexts } from "./ReferenceText.ts"
import {
  engagementWindow,
  iso,
  postsOf,
  renderedCompany,
  renderedEngagement,
  renderedLead,
  renderedPerson,
  type BrandLookup
} from "./ReferenceViews.ts"

interface Fired {
  event: string
  brandId: string
  leadId: number
  engagementId: string
  isFirstActivity: boolean
  occurredAt: number
}

const newestFirst = (a: { trackedAt: number; id: string }, b: { trackedAt: number; id: string }): number =>
  b.trackedAt - a.trackedAt || compareTexts(b.id, a.id)

/** What an erasure leaves of a post by the erased person. [PII-3] */
const withoutAuthor = { postUrl: null, postContent: null, postAuthor: null, postAuthorDetail: null }

/** A naive brand: it filters and sorts its leads anew for every list, and finds one by its id in a map. */
export class ReferenceModel {
  /** The brand's leads in the order of their creation. */
  rows: Array<ReferenceLead> = []
  /** Each lead once, in the order of its newest change, with the time of its removal; null of one that is there. [CHG-1, CHG-3] */
  changes: Array<{ id: number; removedAt: number | null }> = []
  /** The external ids of erased persons. */
  erased: Array<string> = []
  /** The events that were fired and not erased. */
  events: Array<Fired> = []
  /** For how many milliseconds engagements and leads are kept; null for ever. [RET-8] */
  kept: { readonly engagements: number | null; readonly leads: number | null } = {
    engagements: null,
    leads: null
  }
  /** The ids of leads whose engagements lost the author of a post in an erasure. */
  readonly renewed = new Set<number>()
  /** The ids of deleted signals: what they caught still shows them. [DEL-2] */
  readonly deletedSignals = new Set<string>()
  /** The lead of each engagement. */
  private readonly owners = new Map<string, number>()
  private readonly byId = new Map<number, ReferenceLead>()
  private readonly byExtId = new Map<string, ReferenceLead>()
  private readonly foldedTexts = new FoldedTexts()
  private readonly lookup: BrandLookup

  /** A brand without leads, with these signals. */
  constructor(
    readonly brandId: string,
    readonly signals: Array<ReferenceSignal>
  ) {
    this.lookup = { signals, leadOfPerson: (extId) => this.byExtId.get(extId) }
  }

  /** Records an observation and answers the outcome that the store must give. `idOf` is called for the id of a new lead. */
  observe(seen: Seen, now: number, idOf: () => number): { outcome: string; leadId: number | null } {
    const isCaught = this.signals.some(({ id }) => id === seen.signalId)
    if (!isCaught || this.deletedSignals.has(seen.signalId)) return { outcome: "rejected", leadId: null }
    if (this.erased.includes(seen.person.extId)) return { outcome: "suppressed", leadId: null }
    const owner = this.owners.get(seen.engagement.id)
    if (owner !== undefined) return { outcome: "duplicate", leadId: owner }
    let row = this.byExtId.get(seen.person.extId)
    if (this.isTooOld(seen.engagement.trackedAt, row !== undefined, now))
      return { outcome: "rejected", leadId: null }
    const first = row === undefined
    if (row === undefined) {
      row = {
        id: idOf(),
        extId: seen.person.extId,
        signalId: seen.signalId,
        qualified: false,
        exported: false,
        isEmployee: false,
        score1: null,
        createdAt: now,
        updatedAt: now,
        known: {},
        engagements: [],
        signals: new Set()
      }
      this.rows.push(row)
      this.byId.set(row.id, row)
      this.byExtId.set(row.extId, row)
      this.fire("lead2.created", row.id, seen.engagement.id, false, now)
    }
    this.fire("activity.detected", row.id, seen.engagement.id, first, now)
    const trackedAt = seen.engagement.trackedAt ?? now
    row.updatedAt = Math.max(row.updatedAt, now)
    this.learn(row, seen.person, trackedAt)
    const engagement = { ...seen.engagement, trackedAt, signalId: seen.signalId }
    if (engagement.type !== "reaction") engagement.reactionType = null
    if (engagement.type !== "comment") engagement.commentText = null
    if (
      engagement.postAuthorDetail?.extId != null &&
      this.erased.includes(engagement.postAuthorDetail.extId)
    ) {
      Object.assign(engagement, withoutAuthor)
    }
    const after = row.engagements.findIndex((other) => newestFirst(engagement, other) < 0)
    row.engagements.splice(after < 0 ? row.engagements.length : after, 0, engagement)
    row.signals.add(seen.signalId)
    this.owners.set(engagement.id, row.id)
    this.noteChange(row.id, null)
    return { outcome: "recorded", leadId: row.id }
  }

  private noteChange(id: number, removedAt: number | null): void {
    const before = this.changes.findLastIndex((change) => change.id === id)
    if (before >= 0) this.changes.splice(before, 1)
    this.changes.push({ id, removedAt })
  }

  private isTooOld(trackedAt: number | null, isLead: boolean, now: number): boolean {
    if (trackedAt === null) return false
    const { engagements, leads } = this.kept
    const isOlder = (millis: number | null): boolean => millis !== null && trackedAt < now - millis
    return isOlder(engagements) || (!isLead && isOlder(leads))
  }

  /** Removes an engagement that was pruned: its id is new again. Nothing else of the lead changes. [RET-6] */
  pruneEngagement(leadId: number, id: string): void {
    const row = this.byId.get(leadId)
    if (row === undefined) return
    row.engagements = row.engagements.filter((engagement) => engagement.id !== id)
    this.owners.delete(id)
  }

  /** Removes a lead that was pruned, with its engagements and events: the person can be seen again. [RET-7] */
  pruneLead(id: number, now: number): void {
    const row = this.byId.get(id)
    if (row === undefined) return
    this.noteChange(id, now)
    this.byId.delete(id)
    this.byExtId.delete(row.extId)
    for (const [engagement, owner] of this.owners) if (owner === id) this.owners.delete(engagement)
    this.rows = this.rows.filter((each) => each !== row)
    this.events = this.events.filter((event) => event.leadId !== id)
  }

  /** Sets flags and score of a lead; without such a lead it does nothing. */
  amend(id: number, change: Partial<ReferenceLead>, now: number): void {
    const row = this.byId.get(id)
    if (row === undefined) return
    const changes = Object.entries(change).some(([key, value]) => row[key as keyof ReferenceLead] !== value)
    Object.assign(row, change)
    if (!changes) return
    row.updatedAt = Math.max(row.updatedAt, now)
    this.noteChange(id, null)
  }

  /** Erases a lead and what others' engagements say of the person; without such a lead it does nothing. [PII-3] */
  erase(id: number, now: number): void {
    const extId = this.byId.get(id)?.extId
    if (extId === undefined) return
    this.erased.push(extId)
    this.byId.delete(id)
    this.byExtId.delete(extId)
    for (const [engagement, owner] of this.owners) if (owner === id) this.owners.delete(engagement)
    this.rows = this.rows.filter((row) => row.id !== id)
    this.events = this.events.filter((event) => event.leadId !== id)
    this.noteChange(id, now)
    for (const row of this.rows) {
      if (row.engagements.some(({ postAuthorDetail }) => postAuthorDetail?.extId === extId))
        this.noteChange(row.id, null)
      for (const engagement of row.engagements) {
        if (engagement.postAuthorDetail?.extId !== extId) continue
        Object.assign(engagement, withoutAuthor)
        row.updatedAt = Math.max(row.updatedAt, now)
        this.renewed.add(row.id)
      }
    }
  }

  /** The body of `GET /signals/leads`. */
  list(query: Query): unknown {
    const matching = selectLeads(this.rows, query, this.foldedTexts)
    const from = (query.page - 1) * query.pageSize
    return {
      data: matching.slice(from, from + query.pageSize).map(({ id }) => this.listed(id, query.engagements)),
      meta: {
        pagination: {
          page: query.page,
          pageSize: query.pageSize,
          pageCount: Math.ceil(matching.length / query.pageSize),
          total: matching.length
        },
        sort: `${query.field}:${query.direction}`,
        engagements: { detailIncluded: query.engagements === "detailed" }
      }
    }
  }

  /** A lead as a list and the feed of changes show it; null without such a lead. [LIST-8, CHG-1] */
  listed(id: number, engagements: Query["engagements"]): unknown {
    const row = this.byId.get(id)
    if (row === undefined) return null
    return {
      ...renderedLead(row),
      ...(engagements === "none" ? {} : engagementWindow(row, engagements === "detailed", this.lookup))
    }
  }

  /** The data of `GET /signals/leads/{id}`; null where it is 404. */
  detail(id: number, withDetail: boolean): unknown {
    const row = this.byId.get(id)
    return row === undefined
      ? null
      : {
          ...renderedLead(row),
          company: renderedCompany(newestCompany(row)),
          ...engagementWindow(row, withDetail, this.lookup)
        }
  }

  /** The body of a webhook post, if it is made now; null for an event that there is not, or no more. */
  post(deliveryId: string, event: string, leadId: number, engagementId: string | null): unknown {
    const fired = this.events.findLast(
      (each) =>
        each.event === event &&
        each.leadId === leadId &&
        (event === "lead2.created" || each.engagementId === engagementId)
    )
    const row = this.byId.get(leadId)
    if (fired === undefined || row === undefined) return null
    const lead2 = renderedPerson(row)
    const { engagements } = engagementWindow(row, true, this.lookup)
    const single = row.engagements.find((e) => e.id === fired.engagementId)
    return {
      id: deliveryId,
      event,
      version: "1",
      createdAt: iso(fired.occurredAt),
      brandId: this.brandId,
      data:
        event === "lead2.created"
          ? { lead2, engagements }
          : {
              isFirstActivity: fired.isFirstActivity,
              lead2,
              engagements: single === undefined ? [] : [renderedEngagement(single, true, this.lookup)]
            }
    }
  }

  /** The ids of all engagements of a lead, newest first, for an export; empty without such a lead. */
  engagementIds(id: number): ReadonlyArray<string> {
    return this.byId.get(id)?.engagements.map((e) => e.id) ?? []
  }

  /**
   * The data of an export: the lead, its company, all of its engagements, and the posts of the person with which others engaged,
   * each once, in the order of their JSON; null where it is 404. [PII-5]
   */
  exported(id: number): unknown {
    const row = this.byId.get(id)
    if (row === undefined) return null
    return {
      lead: renderedLead(row),
      company: renderedCompany(newestCompany(row)),
      engagements: row.engagements.map((e) => renderedEngagement(e, true, this.lookup)),
      posts: postsOf(row, this.rows)
    }
  }

  /** Every engagement that the signal caught shows its new name. [OPER-6] */
  renameSignal(id: string, name: string): void {
    const signal = this.signals.find((each) => each.id === id)
    if (signal !== undefined) signal.name = name
  }

  /** Observations of the signal are rejected from now on. [DEL-2] */
  deleteSignal(id: string): void {
    this.deletedSignals.add(id)
  }

  /** The answer to an operator's change of a lead; null where it is 404. */
  lead(id: number): unknown {
    const row = this.byId.get(id)
    return row === undefined ? null : renderedLead(row)
  }

  private fire(
    event: string,
    leadId: number,
    engagementId: string,
    isFirstActivity: boolean,
    occurredAt: number
  ): void {
    this.events.push({ event, brandId: this.brandId, leadId, engagementId, isFirstActivity, occurredAt })
  }

  /** For each field the newest that is known wins; of several seen at one time, the greatest. */
  private learn(row: ReferenceLead, person: SeenPerson, at: number): void {
    const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))
    for (const [key, value] of Object.entries(person) as Array<[keyof SeenPerson, unknown]>) {
      if (value === null || value === undefined || key === "extId") continue
      const before = row.known[key]
      if (before !== undefined && before.at > at) continue
      if (before?.at === at && compareTexts(text(before.value), text(value)) >= 0) continue
      row.known[key] = { at, value }
    }
  }
}
