/** Bugs in the domain's rules. */
import { type Bug, bugsIn } from "./Bug.ts"

const retries = bugsIn("domain", "Retries")
const rateLimit = bugsIn("domain", "RateLimit")
const observations = bugsIn("domain", "Observations")
const profiles = bugsIn("domain", "Profiles")
const page = bugsIn("domain", "Page")
const timestamp = bugsIn("domain", "Timestamp")
const windows = bugsIn("domain", "EngagementWindow")
const secrets = bugsIn("domain", "WebhookSecrets")
const settlements = bugsIn("domain", "AttemptTransitions")

/** In the decisions and the queries of `domain`, whatever the store. */
export const inRules: ReadonlyArray<Bug> = [
  retries("retry-too-soon", "every attempt but the first waits as long as the one before should have", {
    in: "settle",
    find: "const $scheduled = $scheduleMillis[$failures]",
    put: "const $scheduled = $scheduleMillis[Math.max(0, $failures - 1)]"
  }),
  retries("redirect-taken-for-success", "a 3xx counts as delivered", {
    in: "isSuccess",
    find: "$status <= 299",
    put: "$status <= 399"
  }),
  retries("gone-is-only-a-failure", "410 does not disable the webhook", {
    in: "gone",
    find: "410",
    put: "419"
  }),
  retries("retry-after-ignored", "Retry-After does not delay the next attempt", {
    in: "delayMillis",
    find: "Math.max($jittered, Math.min(($seconds ?? 0) * $second, $maximum))",
    put: "$seconds === null ? $jittered : Math.min($jittered, $maximum)"
  }),
  retries("dead-too-early", "a delivery is given up after three failures", {
    in: "settle",
    given: ["const $scheduled = $scheduleMillis[$failures]"],
    find: "$scheduled === undefined",
    put: "$scheduled === undefined || $failures >= 3"
  }),
  retries("given-up-too-early", "a webhook is disabled when it has failed for five minutes", {
    in: "patienceMillis",
    find: "5 * 24 * $hour",
    put: "5 * 60_000"
  }),
  settlements(
    "attempts-not-counted",
    "failed attempts are left out of the count",
    {
      in: "WorkingState.logAttempt",
      given: ["const { error: $error, response: $response, status: $status } = $result"],
      find: "attempts: $before.attempts + 1",
      put: "attempts: $before.attempts + (attemptIsGood($result) ? 1 : 0)"
    },
    {
      in: "outcomes",
      insert: "const attemptIsGood = ({ status }: AttemptResult): boolean => status !== null && status < 300"
    }
  ),
  rateLimit("limit-off-by-one", "one request more than the limit is let through", {
    in: "spend",
    find: "$current.used < $limit",
    put: "$current.used <= $limit"
  }),
  rateLimit("window-too-short", "a window lasts fifty seconds", {
    in: "windowMillis",
    find: "60_000",
    put: "50_000"
  }),
  rateLimit("remaining-counted-wrong", "X-RateLimit-Remaining does not count the request itself", {
    in: "spend",
    given: ["$current.used + 1"],
    find: "remaining: Math.max(0, $limit - $used)",
    put: "remaining: Math.max(0, $limit - $current.used)"
  }),
  observations("always-the-first", "every engagement says that it is the person's first", {
    in: "observe",
    find: "isFirstActivity: $lead === null",
    put: "isFirstActivity: true"
  }),
  observations("created-every-time", "lead2.created fires for every engagement", {
    in: "observe.events",
    find: "$lead === null ? $created : []",
    put: "true ? $created : []"
  }),
  observations("clock-takes-updated-back", "updatedAt is the time of the commit even when that is earlier", {
    in: "observe",
    find: "updatedAt: Math.max($before.updatedAt, $now)",
    put: "updatedAt: $now"
  }),
  observations("erased-come-back", "an erased person who is seen again becomes a lead again", {
    in: "observe",
    drop: 'if ($known.personSuppressed) return { outcome: "suppressed" }'
  }),
  observations("erased-author-kept", "the author of a post is kept although he was erased", {
    in: "observe",
    find: "$known.authorSuppressed ? $withoutAuthor($seen) : $seen",
    put: "$seen"
  }),
  observations("reaction-of-a-comment", "a reactionType is kept whatever the type is", {
    in: "kept",
    find: '$seen.type === "reaction" ? $seen.reactionType : null',
    put: "$seen.reactionType"
  }),
  observations("tracked-now", "when an engagement was seen is the time of its commit", {
    in: "kept",
    find: "trackedAt: $seen.trackedAt ?? $now",
    put: "trackedAt: $now"
  }),
  observations("signals-unsorted", "a lead's signals come in the order in which they caught it", {
    in: "withSignal",
    find: "[...$signalIds, $signalId].sort($ascending)",
    put: "[...$signalIds, $signalId]"
  }),
  profiles("last-to-arrive-wins", "what arrives last wins, however old it is", {
    in: "merge",
    find: "$since === undefined || $trackedAt > $since",
    put: "$since === undefined || $trackedAt !== $since"
  }),
  profiles("tie-by-arrival", "of two observations of one moment the first to arrive wins", {
    in: "merge",
    find: "$compare($$values) > 0",
    put: "$compare($$values) > 9"
  }),
  bugsIn("domain", "Amendments")(
    "touched-without-change",
    "updatedAt moves when a flag is set to what it is",
    { in: "amend", find: "$changed ? $amended : $lead", put: "$changed || true ? $amended : $lead" }
  ),
  page("page-count-floored", "the last, shorter page is not counted", {
    in: "pageCount",
    find: "Math.ceil($pages)",
    put: "Math.floor($pages)"
  }),
  page("no-cap-with-engagements", "with engagements a page may be as large as without", {
    in: "maxPageSizeWithEngagements",
    find: "25",
    put: "100"
  }),
  timestamp("offset-sign-turned", "the offset of a time zone is taken the wrong way round", {
    in: "parse",
    find: '$sign === "-" ? -1 : 1',
    put: '$sign === "-" ? 1 : -1'
  }),
  timestamp("second-sixty", "second 60 is taken", {
    in: "parse",
    find: "$hour > 23 || $minute > 59 || $second > 59",
    put: "$hour > 23 || $minute > 59 || $second > 60"
  }),
  windows("window-of-nineteen", "a lead shows nineteen engagements", {
    in: "maxWindow",
    find: "20",
    put: "19"
  }),
  windows("engagement-ties-turned", "engagements of one moment come in ascending order", {
    in: "newestFirst",
    find: "$compare($b.id, $a.id)",
    put: "$compare($a.id, $b.id)"
  }),
  secrets("old-secret-forgotten", "after a rotation only the new secret signs", {
    in: "rotate",
    find: "previous: $previous",
    put: "previous: null"
  }),
  secrets("old-secret-kept", "for a day after a rotation only the old secret signs", {
    in: "signing",
    find: "[$current, $previous.secret]",
    put: "[$previous.secret]"
  }),
  bugsIn("domain", "MetricSnapshots")("reposts-left-out", "reposts do not count as engagement", {
    in: "sum",
    find: "($reactions + $comments + $reposts) / $impressions",
    put: "($reactions + $comments) / $impressions"
  }),
  bugsIn("domain", "LeadQueries")(
    "detail-unasked",
    "engagements have their detail without a request for it",
    {
      in: "readList",
      find: '$withDetail ? "detailed" : "plain"',
      put: '$withDetail || true ? "detailed" : "plain"'
    }
  )
]
