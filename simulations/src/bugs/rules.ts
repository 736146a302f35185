/** Bugs in the domain's rules. */
import { type Bug, bugsIn } from "./Bug.ts"

const rules = "packages/domain/src/rules"
const retries = bugsIn(`${rules}/Retries.ts`)
const rateLimit = bugsIn(`${rules}/RateLimit.ts`)
const observations = bugsIn(`${rules}/Observations.ts`)
const profiles = bugsIn(`${rules}/Profiles.ts`)
const page = bugsIn(`${rules}/Page.ts`)
const timestamp = bugsIn(`${rules}/Timestamp.ts`)
const windows = bugsIn(`${rules}/EngagementWindow.ts`)
const secrets = bugsIn(`${rules}/WebhookSecrets.ts`)
const settlements = bugsIn(`${rules}/Settlements.ts`)

export const inRules: ReadonlyArray<Bug> = [
  retries(
    "retry-too-soon",
    "every attempt but the first waits as long as the one before should have",
    "const scheduled = scheduleMillis[failures]",
    "const scheduled = scheduleMillis[Math.max(0, failures - 1)]"
  ),
  retries(
    "redirect-taken-for-success",
    "a 3xx counts as delivered",
    "status >= 200 && status <= 299",
    "status >= 200 && status <= 399"
  ),
  retries(
    "gone-is-only-a-failure",
    "410 does not disable the webhook",
    "const gone = 410",
    "const gone = 419"
  ),
  retries(
    "retry-after-ignored",
    "what the receiver asked for does not delay the next attempt",
    "Math.max(jittered, Math.min((retryAfterSeconds ?? 0) * second, greatestRetryAfterMillis))",
    "retryAfterSeconds === null ? jittered : Math.min(jittered, greatestRetryAfterMillis)"
  ),
  retries(
    "dead-too-early",
    "a delivery is given up after three failures",
    "scheduled === undefined\n        ?",
    "scheduled === undefined || failures >= 3\n        ?"
  ),
  retries(
    "given-up-too-early",
    "a webhook is disabled when it has failed for five minutes",
    "const patienceMillis = 5 * 24 * hour",
    "const patienceMillis = 5 * minute"
  ),
  settlements(
    "attempts-not-counted",
    "failed attempts are left out of the count",
    "attempts: before.attempts + 1 }",
    "attempts: before.attempts + (attemptIsGood(result) ? 1 : 0) }",
    {
      replace: "const shown = {",
      by: "const attemptIsGood = ({ status }: AttemptResult): boolean => status !== null && status < 300\n\nconst shown = {"
    }
  ),
  rateLimit(
    "limit-off-by-one",
    "one request more than the limit is let through",
    "const allowed = current.used < limit",
    "const allowed = current.used <= limit"
  ),
  rateLimit(
    "window-too-short",
    "a window lasts fifty seconds",
    "export const windowMillis = 60_000",
    "export const windowMillis = 50_000"
  ),
  rateLimit(
    "remaining-counted-wrong",
    "what is left is told before the request is taken off",
    "remaining: Math.max(0, limit - used)",
    "remaining: Math.max(0, limit - current.used)"
  ),
  observations(
    "always-the-first",
    "every engagement says that it is the person's first",
    "isFirstActivity: lead === null }",
    "isFirstActivity: true }"
  ),
  observations(
    "created-every-time",
    "lead2.created fires for every engagement",
    "...(lead === null ? [{ event:",
    "...(true ? [{ event:"
  ),
  observations(
    "clock-takes-updated-back",
    "updatedAt is the time of the commit even when that is earlier",
    "updatedAt: Math.max(before.updatedAt, now)",
    "updatedAt: now"
  ),
  observations(
    "erased-come-back",
    "an erased person who is seen again becomes a lead again",
    'if (known.personSuppressed) return { outcome: "suppressed" }',
    ""
  ),
  observations(
    "erased-author-kept",
    "the author of a post is kept although he was erased",
    "known.authorSuppressed ? withoutAuthor(seen) : seen",
    "seen"
  ),
  observations(
    "reaction-of-a-comment",
    "a reactionType is kept whatever the type is",
    'seen.type === "reaction" ? seen.reactionType : null',
    "seen.reactionType"
  ),
  observations(
    "tracked-now",
    "when an engagement was seen is the time of its commit",
    "trackedAt: seen.trackedAt ?? now",
    "trackedAt: now"
  ),
  observations(
    "signals-unsorted",
    "a lead's signals come in the order in which they caught it",
    "[...signalIds, signalId].sort(ascending)",
    "[...signalIds, signalId]"
  ),
  profiles(
    "last-to-arrive-wins",
    "what arrives last wins, however old it is",
    "trackedAt > since ||",
    "trackedAt !== since ||"
  ),
  profiles(
    "tie-by-arrival",
    "of two observations of one moment the first to arrive wins",
    "compareCodePoints(asText(value), asText(profile[field])) > 0",
    "compareCodePoints(asText(value), asText(profile[field])) > 9"
  ),
  bugsIn(`${rules}/Amendments.ts`)(
    "touched-without-change",
    "updatedAt moves when a flag is set to what it is",
    "return changed ?",
    "return changed || true ?"
  ),
  page(
    "page-count-floored",
    "the last, shorter page is not counted",
    "Math.ceil(total / page.pageSize)",
    "Math.floor(total / page.pageSize)"
  ),
  page(
    "no-cap-with-engagements",
    "with engagements a page may be as large as without",
    "export const greatestPageSizeWithEngagements = 25",
    "export const greatestPageSizeWithEngagements = 100"
  ),
  timestamp(
    "offset-sign-turned",
    "the offset of a time zone is taken the wrong way round",
    'match[9] === "-" ? -1 : 1',
    'match[9] === "-" ? 1 : -1'
  ),
  timestamp("second-sixty", "second 60 is taken", "second > 59) return", "second > 60) return"),
  windows(
    "window-of-nineteen",
    "a lead shows nineteen engagements",
    "export const greatestWindow = 20",
    "export const greatestWindow = 19"
  ),
  windows(
    "engagement-ties-turned",
    "engagements of one moment come in ascending order",
    "compareCodePoints(b.id, a.id)",
    "compareCodePoints(a.id, b.id)"
  ),
  secrets(
    "old-secret-forgotten",
    "after a rotation only the new secret signs",
    "previous: { secret: secrets.current, until: now + overlapMillis }",
    "previous: null"
  ),
  secrets(
    "old-secret-kept",
    "for a day after a rotation only the old secret signs",
    "? [current] : [current, previous.secret]",
    "? [current] : [previous.secret]"
  ),
  bugsIn(`${rules}/MetricSnapshots.ts`)(
    "reposts-left-out",
    "reposts do not count as engagement",
    "(reactions + comments + reposts) / impressions",
    "(reactions + comments) / impressions"
  ),
  bugsIn(`${rules}/LeadQueries.ts`)(
    "detail-unasked",
    "the detail of engagements is given without being asked for",
    'engagements: withEngagements ? (withDetail ? "detailed" : "plain") : "none"',
    'engagements: withEngagements ? (withDetail || true ? "detailed" : "plain") : "none"'
  )
]
