/** Rows of tables, and their translation into domain values. */
import type {
  ApiKey,
  Brand,
  Attempt,
  AttemptError,
  Campaign,
  Delivery,
  DeliveryState,
  EngagementRead,
  EngagementType,
  EventType,
  LastAttempt,
  Lead,
  LeadEvent,
  Signal,
  Webhook,
  WebhookFormat,
  WebhookOrdering
} from "@lead-signals/domain"
import { LeadOrder, testEvent } from "@lead-signals/domain/pure"

export interface BrandRow {
  readonly id: number
  readonly name: string
  readonly suppression_secret: string
  readonly created_at: number
  readonly deletion_started_at: number | null
}

export const brandOf = (row: BrandRow): Brand => ({
  id: String(row.id),
  name: row.name,
  createdAt: row.created_at,
  suppressionSecret: row.suppression_secret,
  deletionStartedAt: row.deletion_started_at
})

export interface ApiKeyRow {
  readonly id: number
  readonly brand_id: number
  readonly label: string
  readonly start: string
  readonly requests_per_minute: number
  readonly created_at: number
  readonly last_used_at: number | null
  readonly revoked_at: number | null
  readonly expires_at: number | null
  readonly scopes: string
  readonly allowed_addresses: string | null
}

export const apiKeyOf = (row: ApiKeyRow): ApiKey => ({
  id: String(row.id),
  brandId: String(row.brand_id),
  label: row.label,
  start: row.start,
  requestsPerMinute: row.requests_per_minute,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  revokedAt: row.revoked_at,
  expiresAt: row.expires_at,
  scopes: JSON.parse(row.scopes),
  allowedAddresses: row.allowed_addresses === null ? null : JSON.parse(row.allowed_addresses)
})

export interface SignalRow {
  readonly id: number
  readonly brand_id: number
  readonly name: string
  readonly signal_type: string
  readonly source: string
  readonly created_at: number
}

export const signalOf = (row: SignalRow): Signal => ({
  id: String(row.id),
  brandId: String(row.brand_id),
  name: row.name,
  signalType: row.signal_type,
  source: JSON.parse(row.source),
  createdAt: row.created_at
})

export interface CampaignRow {
  readonly id: number
  readonly brand_id: number
  readonly name: string
  readonly created_at: number
}

export const campaignOf = (row: CampaignRow): Campaign => ({
  id: String(row.id),
  brandId: String(row.brand_id),
  name: row.name,
  createdAt: row.created_at
})

export interface LeadRow {
  readonly id: number
  readonly brand_id: number
  readonly ext_id: string
  readonly name: string
  readonly headline: string | null
  readonly username: string | null
  readonly title1: string | null
  readonly li_profile_url: string | null
  readonly profile_img_url: string | null
  readonly company: string | null
  readonly profile_times: string
  readonly signal_id: number
  readonly signal_ids: string
  readonly flags: number
  readonly score1: number | null
  readonly created_at: number
  readonly updated_at: number
}

export const flagsOf = (lead: Pick<Lead, "qualified" | "exported" | "isEmployee">): number =>
  Number(lead.qualified) + 2 * Number(lead.exported) + 4 * Number(lead.isEmployee)

export const leadOf = (row: LeadRow): Lead => ({
  id: row.id,
  brandId: String(row.brand_id),
  extId: row.ext_id,
  profile: {
    name: row.name,
    headline: row.headline,
    username: row.username,
    title1: row.title1,
    liProfileUrl: row.li_profile_url,
    profileImgUrl: row.profile_img_url,
    company: row.company === null ? null : JSON.parse(row.company)
  },
  // Parsed on first use: rendering a lead does not need it.
  get profileTimes() {
    return JSON.parse(row.profile_times) as Lead["profileTimes"]
  },
  signalId: String(row.signal_id),
  signalIds: JSON.parse(row.signal_ids),
  qualified: (row.flags & 1) !== 0,
  exported: (row.flags & 2) !== 0,
  isEmployee: (row.flags & 4) !== 0,
  score1: row.score1,
  createdAt: row.created_at,
  updatedAt: row.updated_at
})

/** In the order of `engagementColumns`. Many are read at once, and objects of so many columns would take a fifth of the time. */
export type EngagementRow = readonly [
  id: string,
  leadId: number,
  signalId: number,
  type: EngagementType | null,
  reactionType: string | null,
  commentText: string | null,
  postUrl: string | null,
  postContent: string | null,
  postPostedAt: number | null,
  postAuthor: string | null,
  postAuthorDetail: string | null,
  emittedAt: number | null,
  trackedAt: number,
  authorLeadId: number | null,
  authorCompany: string | null
]

export const signalIdOf = (row: EngagementRow): number => row[2]

export const engagementReadOf =
  (signals: ReadonlyMap<number, Signal>) =>
  ([
    id,
    leadId,
    signalId,
    type,
    reactionType,
    commentText,
    postUrl,
    postContent,
    postPostedAt,
    postAuthor,
    postAuthorDetail,
    emittedAt,
    trackedAt,
    authorLeadId,
    authorCompany
  ]: EngagementRow): EngagementRead => ({
    engagement: {
      id,
      leadId,
      signalId: String(signalId),
      type,
      reactionType,
      commentText,
      postUrl,
      postContent,
      postPostedAt,
      postAuthor,
      postAuthorDetail: postAuthorDetail === null ? null : JSON.parse(postAuthorDetail),
      emittedAt,
      trackedAt
    },
    signal: signals.get(signalId)!,
    authorLead:
      authorLeadId === null
        ? null
        : { id: authorLeadId, company: authorCompany === null ? null : JSON.parse(authorCompany) }
  })

export interface EventRow {
  readonly position: number
  readonly event: EventType
  readonly brand_id: number
  readonly lead_id: number
  readonly engagement_id: string
  readonly is_first_activity: number
  readonly occurred_at: number
}

export const eventOf = (row: EventRow): LeadEvent => ({
  event: row.event,
  brandId: String(row.brand_id),
  leadId: row.lead_id,
  engagementId: row.engagement_id,
  isFirstActivity: row.is_first_activity === 1,
  occurredAt: row.occurred_at
})

export interface WebhookRow {
  readonly id: number
  readonly brand_id: number
  readonly url: string
  readonly events: string
  readonly description: string | null
  readonly enabled: number
  readonly disabled_reason: string | null
  readonly failing_since: number | null
  readonly secrets: string
  readonly created_at: number
  readonly ordering: WebhookOrdering
  readonly max_delay: number | null
  readonly format: WebhookFormat
  readonly max_batch: number
  readonly max_wait: number
}

export const webhookOf = (row: WebhookRow): Webhook => ({
  id: String(row.id),
  brandId: String(row.brand_id),
  url: row.url,
  events: JSON.parse(row.events),
  description: row.description,
  enabled: row.enabled === 1,
  disabledReason: row.disabled_reason,
  failingSince: row.failing_since,
  ordering: row.ordering,
  maxDelay: row.max_delay,
  format: row.format,
  maxBatch: row.max_batch,
  maxWait: row.max_wait,
  secrets: JSON.parse(row.secrets),
  createdAt: row.created_at
})

/** A delivery's row, joined with its event. */
export interface DeliveryRow {
  readonly id: string
  readonly webhook_id: number
  readonly state: DeliveryState
  readonly attempts: number
  readonly due_at: number | null
  readonly created_at: number
  readonly finished_at: number | null
  readonly resend_of: string | null
  readonly resent_as: string | null
  readonly event: EventType | null
  readonly lead_id: number | null
  readonly engagement_id: string | null
}

export const deliveryOf = (row: DeliveryRow): Delivery => ({
  id: row.id,
  webhookId: String(row.webhook_id),
  event: row.event ?? testEvent,
  leadId: row.lead_id,
  engagementId: row.engagement_id,
  state: row.state,
  attempts: row.attempts,
  createdAt: row.created_at,
  dueAt: LeadOrder.dueAtOf(row.due_at),
  finishedAt: row.finished_at,
  resendOf: row.resend_of,
  resentAs: row.resent_as
})

export interface AttemptRow {
  readonly number: number
  readonly at: number
  readonly duration_millis: number
  readonly status: number | null
  readonly error: AttemptError | null
  readonly response: string | null
  readonly batch_id: string | null
  readonly format: WebhookFormat
}

export const attemptOf = (row: AttemptRow): Attempt => ({
  number: row.number,
  at: row.at,
  durationMillis: row.duration_millis,
  batchId: row.batch_id,
  format: row.format,
  status: row.status,
  error: row.error,
  response: row.response
})

/** The columns of a latest attempt; null where there was none. */
export interface LastAttemptRow {
  readonly at: number | null
  readonly duration_millis: number | null
  readonly status: number | null
  readonly error: AttemptError | null
}

export const lastAttemptOf = ({ at, duration_millis, error, status }: LastAttemptRow): LastAttempt | null =>
  at === null || duration_millis === null ? null : { at, durationMillis: duration_millis, status, error }

/** Ids are decimal digits of safe integers; any other text is no id of anything, and 0 never is. */
export const idOf = (text: string): number =>
  /^[1-9][0-9]{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : 0
