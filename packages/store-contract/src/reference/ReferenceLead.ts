/** What the reference model holds: observations as it takes them, signals, and the leads that came of them. */

/** A person as an observation has them. */
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

/** The author of a post as an observation has them. */
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

/** An engagement of a lead: what was seen, when it was tracked and which signal caught it. */
export type ReferenceEngagement = Omit<SeenEngagement, "trackedAt"> & { trackedAt: number; signalId: string }

/** A lead and all that is known of it. */
export interface ReferenceLead {
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
  engagements: Array<ReferenceEngagement>
  signals: Set<string>
}

/** The newest value of the field that was seen; null when none was. */
export const newest = ({ known }: ReferenceLead, key: keyof SeenPerson): unknown => known[key]?.value ?? null

/** The newest company of the person that was seen; null when none was. */
export const newestCompany = (lead: ReferenceLead): Record<string, unknown> | null =>
  newest(lead, "company") as Record<string, unknown> | null
