/**
 * A naive brand: arrays that are filtered and sorted anew for every list, and answers spelled out key by key. It is
 * written from docs/specification.md alone and shares no code with the rules, the views or the stores that it checks: the contract of
 * the stores and the simulator's oracles compare with it to the byte.
 */

export interface SeenPerson {
  extId: string
  name: string
  headline: string | null
  username: string | null
  title1?: string | null
  liProfileUrl?: string | null
  profileImgUrl?: string | null
  company: Record<string, unknown> | null
}

interface SeenAuthor {
  extId?: string | null
  name?: string | null
  firstName?: string | null
  lastName?: string | null
  headline?: string | null
  username?: string | null
  linkedinProfileUrl?: string | null
  profileImageUrl?: string | null
}

interface SeenEngagement {
  id: string
  type: string | null
  reactionType: string | null
  commentText: string | null
  postUrl: string | null
  postContent?: string | null
  /** Milliseconds. */
  postPostedAt?: number | null
  postAuthor: string | null
  postAuthorDetail: SeenAuthor | null
  /** Milliseconds. */
  emittedAt?: number | null
  /** Milliseconds, or null for the time of the commit. */
  trackedAt: number | null
}

/** An observation as the model takes it. */
export interface Seen {
  /** The signal that caught it. */
  signalId: string
  /** The person who was seen, with the fields of the observation. */
  person: SeenPerson
  /** How the person engaged; its id names the engagement. */
  engagement: SeenEngagement
}

/** A signal as answers show it. */
export interface ReferenceSignal {
  /** Decimal digits. */
  id: string
  /** The present name. */
  name: string
  /** The operator's word for the kind of signal. */
  signalType: string
  /** The tracked entry. [ENG-8] */
  source: { type: string; value: string; liCompanyId: string | null; company: Record<string, unknown> | null }
}

interface Fired {
  event: string
  brandId: string
  leadId: number
  engagementId: string
  isFirstActivity: boolean
  occurredAt: number
}

interface Row {
  id: number
  extId: string
  signalId: string
  qualified: boolean
  exported: boolean
  isEmployee: boolean
  score1: number | null
  createdAt: number
  updatedAt: number
  /** The newest value of each field, and when it was seen. */
  known: { [key in keyof SeenPerson]?: { at: number; value: unknown } }
  /** The newest first. */
  engagements: Array<Omit<SeenEngagement, "trackedAt"> & { trackedAt: number; signalId: string }>
  signals: Set<string>
}

/** The filters of a list; one that is absent lets everything through. Times are milliseconds, bounds inclusive. */
export interface Filter {
  /** Leads with an engagement from this signal. [LIST-2] */
  signalId?: string
  /** Leads whose flag equals this. [LIST-3] */
  qualified?: boolean
  /** Leads whose flag equals this. [LIST-3] */
  exported?: boolean
  /** Leads whose flag equals this. [LIST-3] */
  isEmployee?: boolean
  /** Created at this time or later. [TIME-5] */
  createdAfter?: number
  /** Created at this time or earlier. [TIME-5] */
  createdBefore?: number
  /** Updated at this time or later. [TIME-5] */
  updatedAfter?: number
  /** Updated at this time or earlier. [TIME-5] */
  updatedBefore?: number
  /** As a client types it. */
  search?: string
}

/** A query over the brand's leads. */
export interface Query {
  /** Which leads. */
  filter: Filter
  /** The field that orders them. [SORT-1] */
  field: "createdAt" | "updatedAt" | "score1" | "name"
  /** Ascending or descending. [SORT-1] */
  direction: "asc" | "desc"
  /** From 1. */
  page: number
  /** Leads on a page, after the cap. [PAGE-4] */
  pageSize: number
  /** How their engagements are shown. [ENG-1, ENG-3] */
  engagements: "none" | "plain" | "detailed"
}

const points = (text: string): Array<number> => Array.from(text, (character) => character.codePointAt(0)!)

const compareTexts = (a: string, b: string): number => {
  if (a === b) return 0
  const [left, right] = [points(a), points(b)]
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? -1) - (right[i] ?? -1)
    if (difference !== 0) return difference
  }
  return 0
}

const newestFirst = (a: { trackedAt: number; id: string }, b: { trackedAt: number; id: string }): number =>
  b.trackedAt - a.trackedAt || compareTexts(b.id, a.id)

/** Each character by itself: there and back again gives what folding gives, but where two letters share a capital. */
const foldedCharacter = (character: string): string => {
  if (character === "ı") return character
  if (/\p{Script=Cherokee}/u.test(character)) return character.toUpperCase()
  return character.toLowerCase().toUpperCase().toLowerCase()
}

/** The text without regard to case and to how a character is written. [SORT-6, LIST-4] */
export const folded = (text: string): string =>
  Array.from(text.normalize("NFKC"), foldedCharacter).join("").split("i\u0307").join("i").normalize("NFKC")

const iso = (at: number): string => new Date(at).toISOString()

const companyKeys = [
  "name",
  "url",
  "homepageUrl",
  "logoUrl",
  "industry",
  "staffCountRange",
  "staffCount",
  "location",
  "country",
  "city",
  "username",
  "description"
]

/** The company as answers show it, with all of its keys; null for null. [ENG-10] */
export const renderedCompany = (company: Record<string, unknown> | null): Record<string, unknown> | null => {
  if (company === null) return null
  const rendered: Record<string, unknown> = { id: `${company["id"] as number}` }
  for (const key of companyKeys) rendered[key] = company[key] ?? null
  return rendered
}

/** What an erasure leaves of a post by the erased person. [PII-3] */
const withoutAuthor = { postUrl: null, postContent: null, postAuthor: null, postAuthorDetail: null }

const renderedAuthor = (author: SeenAuthor): Record<string, unknown> => ({
  name: author.name ?? null,
  firstName: author.firstName ?? null,
  lastName: author.lastName ?? null,
  headline: author.headline ?? null,
  username: author.username ?? null,
  linkedinProfileUrl: author.linkedinProfileUrl ?? null,
  profileImageUrl: author.profileImageUrl ?? null
})

const isoOrNull = (at: number | null | undefined): string | null => (at == null ? null : iso(at))

/** A naive brand: it filters and sorts its leads anew for every list, and finds one by its id in a map. */
export class ReferenceModel {
  /** The brand's leads in the order of their creation. */
  rows: Array<Row> = []
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
  private readonly byId = new Map<number, Row>()
  private readonly byExtId = new Map<string, Row>()
  private readonly foldedTexts = new Map<string, string>()

  /** A brand without leads, with these signals. */
  constructor(
    readonly brandId: string,
    readonly signals: Array<ReferenceSignal>
  ) {}

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
    this.changes = [...this.changes.filter((change) => change.id !== id), { id, removedAt }]
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
  amend(id: number, change: Partial<Row>, now: number): void {
    const row = this.byId.get(id)
    if (row === undefined) return
    const changes = Object.entries(change).some(([key, value]) => row[key as keyof Row] !== value)
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
    const matching = this.rows
      .filter((row) => this.matches(row, query.filter))
      .sort((a, b) => this.compare(a, b, query))
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
      ...this.rendered(row),
      ...(engagements === "none" ? {} : this.window(row, engagements === "detailed"))
    }
  }

  /** The data of `GET /signals/leads/{id}`; null where it is 404. */
  detail(id: number, withDetail: boolean): unknown {
    const row = this.byId.get(id)
    return row === undefined
      ? null
      : {
          ...this.rendered(row),
          company: renderedCompany(this.newest(row, "company") as Record<string, unknown> | null),
          ...this.window(row, withDetail)
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
    const lead2 = this.renderedPerson(row)
    const { engagements } = this.window(row, true)
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
              engagements: single === undefined ? [] : [this.renderedEngagement(single, true)]
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
    const posts = new Map<string, Record<string, unknown>>()
    for (const { engagements } of this.rows) {
      for (const e of engagements) {
        if (e.postAuthorDetail?.extId !== row.extId) continue
        const post = {
          postUrl: e.postUrl,
          postContent: e.postContent ?? null,
          postPostedAt: isoOrNull(e.postPostedAt),
          postAuthor: e.postAuthor,
          postAuthorDetail: { extId: row.extId, ...renderedAuthor(e.postAuthorDetail) }
        }
        posts.set(JSON.stringify(post), post)
      }
    }
    return {
      lead: this.rendered(row),
      company: renderedCompany(this.newest(row, "company") as Record<string, unknown> | null),
      engagements: row.engagements.map((e) => this.renderedEngagement(e, true)),
      posts: [...posts.keys()].sort().map((text) => posts.get(text))
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
    return row === undefined ? null : this.rendered(row)
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
  private learn(row: Row, person: SeenPerson, at: number): void {
    const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))
    for (const [key, value] of Object.entries(person) as Array<[keyof SeenPerson, unknown]>) {
      if (value === null || value === undefined || key === "extId") continue
      const before = row.known[key]
      if (before !== undefined && before.at > at) continue
      if (before?.at === at && compareTexts(text(before.value), text(value)) >= 0) continue
      row.known[key] = { at, value }
    }
  }

  private newest(row: Row, key: keyof SeenPerson): unknown {
    return row.known[key]?.value ?? null
  }

  /** Each text is folded once: a list compares the same names again and again. */
  private fold(text: string): string {
    const known = this.foldedTexts.get(text)
    if (known !== undefined) return known
    const made = folded(text)
    this.foldedTexts.set(text, made)
    return made
  }

  private matches(row: Row, filter: Filter): boolean {
    const wanted = filter.search
    const texts = [this.newest(row, "name") as string, (this.newest(row, "headline") as string | null) ?? ""]
    return (
      (filter.signalId === undefined || row.signals.has(filter.signalId)) &&
      (filter.qualified === undefined || row.qualified === filter.qualified) &&
      (filter.exported === undefined || row.exported === filter.exported) &&
      (filter.isEmployee === undefined || row.isEmployee === filter.isEmployee) &&
      !(filter.createdAfter !== undefined && row.createdAt < filter.createdAfter) &&
      !(filter.createdBefore !== undefined && row.createdAt > filter.createdBefore) &&
      !(filter.updatedAfter !== undefined && row.updatedAt < filter.updatedAfter) &&
      !(filter.updatedBefore !== undefined && row.updatedAt > filter.updatedBefore) &&
      (wanted === undefined ||
        wanted === "" ||
        texts.some((text) => this.fold(text).includes(this.fold(wanted))))
    )
  }

  private compare(a: Row, b: Row, { direction, field }: Query): number {
    const sign = direction === "asc" ? 1 : -1
    if (field === "score1") {
      if (a.score1 === null && b.score1 !== null) return 1
      if (a.score1 !== null && b.score1 === null) return -1
      return sign * ((a.score1 ?? 0) - (b.score1 ?? 0)) || a.id - b.id
    }
    const byField =
      field === "name"
        ? compareTexts(
            this.fold(this.newest(a, "name") as string),
            this.fold(this.newest(b, "name") as string)
          )
        : a[field] - b[field]
    return sign * byField || a.id - b.id
  }

  private renderedPerson(row: Row): Record<string, unknown> {
    const company = this.newest(row, "company") as Record<string, unknown> | null
    return {
      id: row.id,
      extId: row.extId,
      name: this.newest(row, "name"),
      headline: this.newest(row, "headline"),
      username: this.newest(row, "username"),
      title1: this.newest(row, "title1"),
      liProfileUrl: this.newest(row, "liProfileUrl"),
      profileImgUrl: this.newest(row, "profileImgUrl"),
      leadCompany:
        company === null
          ? null
          : { id: company["id"], name: company["name"] ?? null, domain: company["domain"] ?? null }
    }
  }

  private rendered(row: Row): Record<string, unknown> {
    const ids = [...row.signals]
    return {
      ...this.renderedPerson(row),
      signalId: row.signalId,
      signalIds: ids.sort((a, b) => Number(a) - Number(b)),
      qualified: row.qualified,
      exported: row.exported,
      isEmployee: row.isEmployee,
      score1: row.score1,
      createdAt: iso(row.createdAt),
      updatedAt: iso(row.updatedAt)
    }
  }

  private window(row: Row, withDetail: boolean): Record<string, unknown> {
    const all = row.engagements
    return {
      engagements: all.slice(0, 20).map((e) => this.renderedEngagement(e, withDetail)),
      engagementsMeta: { truncated: all.length > 20 }
    }
  }

  private renderedEngagement(e: Row["engagements"][number], withDetail: boolean): Record<string, unknown> {
    const signal = this.signals.find((each) => each.id === e.signalId)!
    const author = e.postAuthorDetail
    const authorRow = author?.extId == null ? undefined : this.byExtId.get(author.extId)
    const detail = {
      postAuthorDetail:
        author === null
          ? null
          : {
              ...renderedAuthor(author),
              company:
                authorRow === undefined
                  ? null
                  : renderedCompany(this.newest(authorRow, "company") as Record<string, unknown> | null),
              leadId: authorRow === undefined ? null : `${authorRow.id}`
            },
      source: {
        id: signal.id,
        type: signal.source.type,
        value: signal.source.value,
        liCompanyId: signal.source.liCompanyId,
        company: renderedCompany(signal.source.company)
      }
    }
    return {
      id: e.id,
      type: e.type,
      reactionType: e.reactionType,
      commentText: e.commentText,
      postUrl: e.postUrl,
      postContent: e.postContent ?? null,
      postPostedAt: isoOrNull(e.postPostedAt),
      postAuthor: e.postAuthor,
      ...(withDetail ? detail : {}),
      signal: { id: signal.id, name: signal.name, signalType: signal.signalType },
      emittedAt: isoOrNull(e.emittedAt),
      trackedAt: iso(e.trackedAt)
    }
  }
}
