/** Figures over time as they must be answered: counted anew, lead by lead and reading by reading, from the clauses alone. [SERIES-1 … SERIES-6] */
import type { ReferenceCampaign, ReferenceModel } from "@lead-signals/store-contract/reference"
import type { Call, Json } from "../world/KnownFacts.ts"
import type { OutboxWebhook } from "./OutboxRecords.ts"
import { queryOf } from "./Requests.ts"

const hour = 3_600_000
const day = 24 * hour
const week = 7 * day
/** 5 January 1970, a Monday. */
const firstMonday = 4 * day

const lengths: Readonly<Record<string, number>> = { hour, day, week }
const maxGroups = 20
const maxPosts = 100

interface Span {
  readonly interval: string
  readonly starts: ReadonlyArray<number>
  readonly millis: number
  /** `YYYY-MM-DD`. */
  readonly endDate: string
}

interface Happened {
  readonly at: number
  readonly group: string | null
}

const iso = (at: number): string => new Date(at).toISOString()
const dateOf = (at: number): string => iso(at).slice(0, "2026-01-05".length)
const midnight = (date: string): number => Date.parse(`${date}T00:00:00Z`)

const monday = (at: number): number => at - ((at - firstMonday) % week)

/** Where a span begins whose request names no first day. */
const usualStart = (interval: string, end: number): number => {
  if (interval === "hour") return end - day
  return interval === "day" ? end - 29 * day : monday(end) - 25 * week
}

/** The intervals of a right request. [SERIES-1, SERIES-2] */
const spanOf = (call: Call, now: number): Span => {
  const query = queryOf(call)
  const interval = query.get("interval") ?? "day"
  const endDate = query.get("endDate") ?? dateOf(now)
  const end = midnight(endDate)
  const first = query.get("startDate")
  const from = first === null ? usualStart(interval, end) : midnight(first)
  const millis = lengths[interval]!
  const starts: Array<number> = []
  const start = interval === "week" ? monday(from) : from
  for (let at = start; at < end + day && at <= now; at += millis) starts.push(at)
  return { interval, starts, millis, endDate }
}

const sum = (counts: ReadonlyArray<number>): number => counts.reduce((all, n) => all + n, 0)

const inEach = ({ millis, starts }: Span, those: ReadonlyArray<Happened>): ReadonlyArray<number> =>
  starts.map((start) => those.filter(({ at }) => at >= start && at < start + millis).length)

const byGroup = (span: Span, happened: ReadonlyArray<Happened>, always: ReadonlyArray<string | null>) => {
  const { millis, starts } = span
  const end = starts.length === 0 ? 0 : starts.at(-1)! + millis
  const within = happened.filter(({ at }) => starts.length > 0 && at >= starts[0]! && at < end)
  return [...new Set([...always, ...within.map(({ group }) => group)])].map((group) => ({
    group,
    counts: inEach(
      span,
      within.filter((each) => each.group === group)
    )
  }))
}

const rendered = ({ interval, starts }: Span, groups: ReadonlyArray<Json>, rest: Json): Json => ({
  data: { interval, starts: starts.map(iso), series: groups, rest }
})

/** The largest groups first, ties by name; the others together. [SERIES-5] */
const largest = (span: Span, groups: ReturnType<typeof byGroup>): Json => {
  const ordered = groups.toSorted(
    (a, b) => sum(b.counts) - sum(a.counts) || ((a.group ?? "") < (b.group ?? "") ? -1 : 1)
  )
  const others = ordered.slice(maxGroups)
  const rest =
    others.length === 0 ? null : span.starts.map((_, i) => sum(others.map(({ counts }) => counts[i]!)))
  return rendered(span, ordered.slice(0, maxGroups), rest)
}

const leads = ({ rows }: ReferenceModel, by: string | null): ReadonlyArray<Happened> =>
  rows.flatMap(({ createdAt: at, signals }): ReadonlyArray<Happened> => {
    const groups = by === null ? [null] : [...signals]
    return groups.map((group) => ({ at, group }))
  })

const engagements = ({ rows }: ReferenceModel, by: string | null): ReadonlyArray<Happened> =>
  rows.flatMap((row) =>
    row.engagements.map(({ signalId, trackedAt: at, type }) => ({
      at,
      group: by === null ? null : by === "signal" ? signalId : ((type as string | null | undefined) ?? null)
    }))
  )

/** The body of a series of leads or engagements. */
const renderedCounts = (call: Call, reference: ReferenceModel, now: number): Json => {
  const span = spanOf(call, now)
  const by = queryOf(call).get("by")
  const always = by === null ? [null] : by === "type" ? ["comment", "reaction", "repost"] : []
  const happened = call.route.endsWith("/leads") ? leads(reference, by) : engagements(reference, by)
  return largest(span, byGroup(span, happened, always))
}

const renderedDeliveries = (call: Call, webhooks: ReadonlyArray<OutboxWebhook>, now: number): Json => {
  const span = spanOf(call, now)
  const ended = webhooks
    .flatMap(({ deliveries }) => deliveries)
    .filter(({ finishedAt, state }) => finishedAt !== null && (state === "delivered" || state === "dead"))
    .map(({ finishedAt, state }) => ({ at: finishedAt!, group: state }))
  return rendered(span, byGroup(span, ended, ["delivered", "dead"]), null)
}

const noFigures = {
  impressions: null,
  reactions: null,
  comments: null,
  reposts: null,
  engagementRate: null
}

const renderedCampaign = (call: Call, campaign: ReferenceCampaign, now: number): Json => {
  const { endDate, interval, millis, starts } = spanOf(call, now)
  const postId = queryOf(call).get("postId")
  const points = starts.map((start) => {
    const last = dateOf(start + millis - 1)
    return {
      start: iso(start),
      ...(campaign.figures(postId, last < endDate ? last : endDate) ?? noFigures)
    }
  })
  return { data: { campaignId: campaign.id, postId, interval, points } }
}

/**
 * What a body must be that `make` makes for an instant, where the call read the clock between its beginning and now; null where the answer
 * depends on when.
 */
const atEither = (call: Call, now: number, make: (now: number) => Json): Json => {
  const [first, last] = [make(call.handledByClock), make(now)]
  return JSON.stringify(first) === JSON.stringify(last) ? last : null
}

/** The bodies that must be answered, as of the clock's time `now`; null where nobody can know. */
export const SeriesReference = {
  counts: (call: Call, reference: ReferenceModel, now: number): Json =>
    atEither(call, now, (at) => renderedCounts(call, reference, at)),
  deliveries: (call: Call, webhooks: ReadonlyArray<OutboxWebhook>, now: number): Json =>
    atEither(call, now, (at) => renderedDeliveries(call, webhooks, at)),
  campaign: (call: Call, campaign: ReferenceCampaign, now: number): Json =>
    atEither(call, now, (at) => renderedCampaign(call, campaign, at)),
  posts: (campaign: ReferenceCampaign): Json => ({
    data: campaign
      .posts(maxPosts)
      .map(({ comments, day: snapshotDate, impressions, postId, reactions, reposts }) => ({
        postId,
        impressions,
        reactions,
        comments,
        reposts,
        engagementRate: impressions === 0 ? 0 : (reactions + comments + reposts) / impressions,
        snapshotDate
      }))
  })
}
