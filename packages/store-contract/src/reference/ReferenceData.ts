/** What the reference model is told, what it keeps, and how it is asked. */

/** A person as an observation describes one; a field that is missing or null says nothing. */
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

/** The author of a post as an observation describes one. */
export interface SeenAuthor {
  extId?: string | null
  name?: string | null
  firstName?: string | null
  lastName?: string | null
  headline?: string | null
  username?: string | null
  linkedinProfileUrl?: string | null
  profileImageUrl?: string | null
}

/** How a person engaged. */
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

/** An event of a lead. `occurredAt` is in milliseconds. */
export interface Fired {
  event: string
  brandId: string
  leadId: number
  engagementId: string
  isFirstActivity: boolean
  occurredAt: number
}

/** A lead as the model keeps it. Times are in milliseconds. */
export interface Row {
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
