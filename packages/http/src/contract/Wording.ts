/**
 * The words of the OpenAPI document: of each operation, parameter, field, answer and header what it means, with its unit and an
 * example. The schemas say what is taken and answered; the domain's refusals use their words, so these stand apart from them.
 */
import { InvalidApiKey, LeadQueries, NotFound, RateLimitExceeded } from "@lead-signals/domain"
import { Either } from "effect"
import { internalMessage, methodNotAllowedMessage } from "../Answers.ts"
import { jsonTooLarge, notJson } from "../Body.ts"
import { defaultLimits, Pace } from "../BodyPace.ts"
import { maxFullRejections } from "./OperatorSchemas.ts"
import { InvalidOperatorToken, tooManyHeaders, unavailableMessage } from "./Failures.ts"

/** What a field means; and an example, where its schema has none. */
export type Field = readonly [description: string, example?: unknown]

/** By the field's name, whatever it is a field of. */
export const fields: Readonly<Record<string, Field>> = {
  /* People and companies */
  name: ["Display name", "Ada Example"],
  firstName: ["First name", "Ada"],
  lastName: ["Last name", "Example"],
  headline: ["Headline of the profile", "Head of Purchasing at Northwind"],
  username: ["Vanity name of the profile", "ada-example"],
  title1: ["Job title", "Head of Purchasing"],
  extId: ["External id of the person on the network", "ACoAAB12"],
  liProfileUrl: ["URL of the profile", "https://network.example/in/ada-example"],
  linkedinProfileUrl: ["URL of the author's profile", "https://network.example/in/bo-example"],
  profileImgUrl: ["URL of the profile's picture", "https://media.network.example/ada.jpg"],
  profileImageUrl: ["URL of the profile's picture", "https://media.network.example/bo.jpg"],
  leadCompany: ["The lead's employer, in short; null when it is not known"],
  company: ["The employer or the watched company in full; null when it is not known"],
  leadId: ["The lead's id; null where there is none", 41],
  domain: ["The company's domain", "northwind.example"],
  url: ["URL of the company's page on the network", "https://network.example/company/northwind"],
  homepageUrl: ["URL of the company's own site", "https://northwind.example"],
  logoUrl: ["URL of the company's logo", "https://media.network.example/northwind.png"],
  industry: ["Industry, as the network names it", "Food Production"],
  staffCountRange: ["Number of employees, as a range", "51-200"],
  staffCount: ["Number of employees", 120],
  location: ["Where the company is", "Lisbon, Portugal"],
  country: ["Country", "Portugal"],
  city: ["City", "Lisbon"],

  /* Leads */
  qualified: ["Whether the brand called the lead qualified"],
  exported: ["Whether the brand has taken the lead over into another system"],
  isEmployee: ["Whether the lead works for the brand itself"],
  score1: ["How well the lead fits, higher is better; null until it is scored", 4.5],
  signalIds: ["Ids of all signals that caught the lead, ascending", ["7"]],
  engagements: ["The lead's engagements, newest first"],
  engagementsMeta: ["Whether there are more engagements than are shown"],
  lead: ["The lead"],
  lead2: ["The lead"],

  /* Engagements */
  id: ["Its id", "e-1"],
  type: ["What kind it is; null when that is not known"],
  reactionType: ["Which reaction; null on anything else", "LIKE"],
  commentText: ["What was written, as plain text; null on anything but a comment", "Where can I get it?"],
  postUrl: ["URL of the post engaged with", "https://network.example/posts/1"],
  postContent: ["Text of the post engaged with", "We have launched."],
  postAuthor: ["Display name of the post's author", "Bo Example"],
  postPostedAt: [
    "When the post appeared: ISO 8601, UTC; null when that is not known",
    "2026-01-04T08:00:00.000Z"
  ],
  emittedAt: [
    "When the person engaged: ISO 8601, UTC; null when that is not known",
    "2026-01-05T09:58:00.000Z"
  ],
  trackedAt: ["When it was seen: ISO 8601, UTC", "2026-01-05T10:00:00.000Z"],
  postAuthorDetail: ["The author of the post in full; there when detail was asked for"],
  source: ["What the signal was watching"],
  signal: ["The signal that caught it; null when it is gone"],
  signalId: ["Id of the signal", "7"],
  signalType: ["What kind of thing the signal watches, as the brand names it", "competitor-posts"],
  value: ["What is watched, exactly as the brand configured it", "https://network.example/company/rival"],
  liCompanyId: ["Numeric id of the company; on li-company-mention only", "880"],
  person: ["Who was seen"],
  engagement: ["What was seen of them"],

  /* Lists */
  data: ["What was asked for"],
  meta: ["About the answer"],
  pagination: ["Where the page stands among all of them"],
  page: ["Number of this page, from 1", 1],
  pageSize: ["How many a page has at most, after the cap", 25],
  pageCount: ["How many pages there are; 0 when nothing matches", 4],
  total: ["How many match, on all pages", 87],
  warnings: [
    "Parameters that are not known and were ignored",
    ['The parameter "pagesize" is not known and was ignored. Did you mean "pageSize"?']
  ],
  detailIncluded: ["Whether postAuthorDetail and source are in the engagements"],

  /* Metrics */
  campaignId: ["Id of the campaign", "3"],
  impressions: ["How often the posts were shown", 12000],
  reactions: ["How many reactions they got", 340],
  comments: ["How many comments they got", 55],
  reposts: ["How often they were reposted", 21],
  engagementRate: ["(reactions + comments + reposts) / impressions, as a fraction from 0 on", 0.0347],

  /* Errors */
  error: ["What went wrong"],
  code: ["Which error it is, for programs", "not_found"],
  message: ["What to do about it, for people; its words can change"],
  status: ["ok; anything else is another HTTP status"],

  /* Operating */
  label: ["What the key is for", "crm"],
  start: ["How the key's value begins, by which people tell it from others", "lsk_dFF2"],
  key: ["The key's value: in this answer, and in no other", "lsk_dFF2GVZTlnxOkGQc4tEXjIhksozk5ir71E9AaB"],
  requestsPerMinute: ["How many requests a minute the key may make", 60],
  observations: ["What was seen: at most 1,000, in the order in which they are to be taken"],
  engagementId: ["Id of the engagement; null when it could not be read", "e-1"],
  outcome: [
    "What became of the observation: recorded, duplicate, suppressed (the person was erased) or rejected"
  ],

  /* Webhooks */
  events: ["The event types that it is sent"],
  description: ["What it is for, in the operator's words; null for nothing", "To the CRM"],
  enabled: ["Whether it is sent to; while false, its deliveries are held"],
  disabledReason: [
    "Why it is disabled, as a sentence; null while it is enabled",
    "The receiver answered 410 Gone."
  ],
  secret: [
    "What its posts are signed with, by Standard Webhooks: keep it as you keep a password",
    "whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="
  ],
  since: ["From when on, inclusive: any timestamp that the filters take", "2026-01-31T10:00:00Z"],
  queued: ["How many deliveries were queued", 12],
  deliveryId: ["Id of the new delivery, the post's webhook-id", "wh_5f0c"],
  webhookId: ["Id of the webhook", "1"],
  event: ["The event's type"],
  version: ["Version of the envelope; a new one is announced before it is sent"],
  attempts: ["How many attempts were made", 2],
  nextAttemptAt: [
    "When the next attempt is due: ISO 8601, UTC; null when none is",
    "2026-01-05T10:00:00.000Z"
  ],
  resendOf: ["Id of the delivery that it sends again; null for none", "wh_1d2e"],
  resentAs: ["Id of the delivery that sends it again; null for none", "wh_77aa"],
  number: ["Which attempt it was, from 1", 1],
  durationMillis: ["How long it took, in milliseconds", 180],
  response: [
    "What the receiver answered, cut off and without personal data; null when it is not kept",
    "busy"
  ],
  metrics: ["Samples"]
}

/** Where a name means something else: by the component or operation, and the path within it. */
export const ownFields: Readonly<Record<string, Field>> = {
  "Company.name": ["Name of the company", "Northwind"],
  "Company.username": ["Vanity name of the company's page", "northwind"],
  "Company.description": ["What the company says of itself", "We trade in fine foods."],
  "LeadCompany.id": ["Id of the company on the network, as a number"],
  "LeadCompany.name": ["Name of the company", "Northwind"],
  "PostAuthorDetail.name": ["Display name of the author", "Bo Example"],
  "PostAuthorDetail.firstName": ["First name", "Bo"],
  "PostAuthorDetail.username": ["Vanity name of the profile", "bo-example"],
  "PostAuthorDetail.headline": ["Headline of the profile", "Founder of Rival"],
  "PostAuthorDetail.leadId": ["The author's own lead id, while the author is a lead of the brand", "57"],
  "PostAuthorDetail.company": ["The author's employer; null when it is not known"],
  "Source.id": ["Id of the tracked entry", "12"],
  "Source.type": ["What kind of entry it is"],
  "Source.company": ["The watched company; null for other kinds of entries"],
  "Lead.id": ["The lead's id within the service; it is never given to another"],
  "LeadDetail.id": ["The lead's id within the service; it is never given to another"],
  "Lead2.id": ["The lead's id within the service; it is never given to another"],
  "Lead.engagements": ["At most 20, newest first; there with includeEngagements=true"],
  "LeadDetail.engagements": ["At most 20, newest first"],
  "LeadDetail.company": ["The lead's employer in full; null when it is not known"],
  "LeadExport.engagements": ["All of them, newest first"],
  "LeadExport.posts": ["Posts that the lead wrote and others were seen engaging with, each once"],
  "AuthoredPost.postAuthorDetail": ["The author, as seen with the post; null when it is not known"],
  "LeadExport.company": ["The lead's employer in full; null when it is not known"],
  "Engagement.signal.name": ["Name of the signal", "Rivals"],
  "EventEngagement.signal.name": ["Name of the signal", "Rivals"],
  "LeadListAnswer.data": ["The leads of the page, in the order asked for"],
  "LeadListAnswer.meta.engagements": ["About the engagements in the answer"],
  "LeadDetailAnswer.data": ["The lead"],
  "MetricsAnswer.data": ["The campaign's totals"],
  "Health.status": ["degraded while nothing can be written; all else that is wrong is another HTTP status"],
  "Health.reads": ["Whether what is there can be read; on /health/ready only", true],
  "Health.writes": ["Whether anything can be written; on /health/ready only", true],
  "Health.reason": ["Why nothing can be written; null while it can, on /health/ready only", null],
  "DeliveryListAnswer.data": ["The deliveries of the page, newest first"],
  "DeliveryListAnswer.meta.pagination.total": ["How many deliveries match, on all pages", 87],
  "LeadCreatedEvent.data": ["The lead, and what is known of their engagements"],
  "LeadCreatedEvent.data.engagements": ["At most 20, newest first, as they are when the event is first sent"],
  "ActivityDetectedEvent.data": ["The lead, and the engagement that fired it"],
  "TestEvent.data": ["Nobody's data"],
  "TestEvent.data.message": ["A sentence that says that this is a test", "This is a test of the webhook."],
  "Brand.name": ["Name of the brand", "Northwind"],
  "Campaign.name": ["Name of the campaign", "Spring launch"],
  "Signal.name": ["Name of the signal", "Rivals"],
  "Outcome.leadId": ["Id of the lead that it was recorded for; null when it was not", 41],
  "Outcome.message": ["Why it was rejected; there on a rejection only", "person.name is required."],
  "Outcome.count": [
    `How many rejected lines in a row this stands for, once a request's first ${maxFullRejections} rejections were answered in full; there on x-ndjson only`,
    12
  ],
  "Webhook.url": ["Where events are posted to"],
  "CreatedWebhook.url": ["Where events are posted to"],
  "Attempt.status": ["HTTP status of the answer; null when there was none", 503],
  "operator.createBrand.name": ["Name of the brand", "Northwind"],
  "Brand.deletionStartedAt": [
    "When the brand's deletion began; null unless it is being deleted, and then its keys are refused",
    null
  ],
  "BrandDeletion.deleted": ["Whether everything of the brand is gone; if not, call again", false],
  "BrandDeletion.leadsLeft": ["How many of its leads are still to be removed", 12000],
  "operator.createCampaign.name": ["Name of the campaign", "Spring launch"],
  "operator.createSignal.name": ["Name of the signal", "Rivals"],
  "operator.renameBrand.name": ["New name of the brand", "Northwind"],
  "operator.renameSignal.name": ["New name of the signal", "Rivals"],
  "operator.renameCampaign.name": ["New name of the campaign", "Spring launch"],
  "operator.createSignal.source.company.name": ["Name of the company", "Rival"],
  "operator.createSignal.source.company.id": ["Id of the company on the network", 880],
  "operator.createSignal.source.liCompanyId": ["Numeric id of the company; on li-company-mention only", null],
  "operator.createSignal.source.company.username": ["Vanity name of the company's page", "rival"],
  "operator.createSignal.source.company.description": ["What the company says of itself", "We do the same."],
  "webhooks.createWebhook.url": [
    "Where events are to be posted: public, and https",
    "https://example.com/hooks/leads"
  ],
  "webhooks.changeWebhook.url": [
    "Where events are to be posted: public, and https",
    "https://example.com/hooks/leads"
  ],
  "Observation.person.company.name": ["Name of the company", "Northwind"],
  "Observation.person.company.id": ["Id of the company on the network", 12],
  "Observation.person.company.username": ["Vanity name of the company's page", "northwind"],
  "Observation.person.company.description": ["What the company says of itself", "We trade in fine foods."],
  "Observation.engagement.id": ["Id of the engagement: the same one again changes nothing", "e-1"],
  "Observation.engagement.postAuthorDetail.name": ["Display name of the author", "Bo Example"]
}

export const components: Readonly<Record<string, string>> = {
  LeadListAnswer: "A page of leads",
  EngagementsMeta: "About the engagements that are shown of a lead",
  LeadDetail: "A lead in full",
  LeadDetailAnswer: "One lead",
  MetricsAnswer: "A campaign's metrics",
  Health: "That the service answers",
  Brand: "A brand: whose leads they are",
  BrandDeletion: "How far a brand's deletion is",
  ApiKey: "A brand's key, without its value",
  CreatedApiKey: "A new key, with its value",
  Signal: "Something that a brand watches",
  Campaign: "Posts of a brand that are measured together",
  Webhook: "Where a brand's events are posted to",
  CreatedWebhook: "A new webhook, with its secret",
  DeliveryListAnswer: "A page of deliveries",
  Delivery: "An event on its way to a webhook",
  DeliveryDetail: "A delivery with its attempts",
  Attempt: "One attempt of a delivery"
}

/** Of path and query, by name; optional ones have no example. */
export const parameters: Readonly<Record<string, Field>> = {
  brandId: ["The brand's id", "1"],
  keyId: ["The key's id", "3"],
  postId: ["The post's id, as you name it", "post-1"],
  day: ["The day, YYYY-MM-DD", "2026-01-31"],
  deliveryId: ["The delivery's id", "wh_5f0c"],
  page: ["Page number, from 1"],
  pageSize: ["How many a page has at most"],
  signalId: ["Leads with at least one engagement from this signal"],
  createdAfter: ["Leads created at or after"],
  createdBefore: ["Leads created at or before"],
  updatedAfter: ["Leads updated at or after"],
  updatedBefore: ["Leads updated at or before"],
  search: ["Part of the name or of the headline, in capitals or small letters"],
  state: ["In this state alone"],
  "webhook-id": ["The event's id: the same on every retry", "wh_5f0c"],
  "webhook-timestamp": ["Unix seconds of this attempt", "1767607200"],
  "webhook-signature": [
    "One or two `v1,<base64>` with a space between",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="
  ]
}

/** What an `id` in a path is, by what comes before it. */
export const idParameters: ReadonlyArray<readonly [RegExp, Field]> = [
  [/webhooks\/\{id\}/, ["The webhook's id", "1"]],
  [/campaigns?\/\{id\}/, ["The campaign's id", "1"]],
  [/signals\/\{id\}/, ["The signal's id", "1"]],
  [/leads\/\{id\}/, ["The lead's id", 41]]
]

export const headers: Readonly<Record<string, unknown>> = {
  "X-Request-Id": "jSs93ih6jC43Esr_",
  "X-RateLimit-Limit": 60,
  "X-RateLimit-Remaining": 59,
  "X-RateLimit-Reset": 1767607260,
  "WWW-Authenticate": "Bearer",
  Allow: "GET, HEAD",
  "Retry-After": 37
}

/** What each error says, for example: in the words of the failures themselves. */
export const messages: Readonly<Record<string, string>> = {
  invalid_parameter: Either.getOrThrow(Either.flip(LeadQueries.readList([["pageSize", "many"]]))).message,
  invalid_api_key: new InvalidApiKey().message,
  invalid_operator_token: new InvalidOperatorToken().message,
  not_found: new NotFound({ resource: "lead" }).message,
  request_timeout: new Pace("The body", defaultLimits.json).failure.message,
  payload_too_large: jsonTooLarge.message,
  unsupported_media_type: notJson.message,
  rate_limit_exceeded: new RateLimitExceeded({ limit: 60, retryAfterSeconds: 37 }).message,
  unavailable: unavailableMessage,
  too_many_headers: tooManyHeaders.message,
  method_not_allowed: methodNotAllowedMessage("GET, HEAD"),
  internal_error: internalMessage
}
