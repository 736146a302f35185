/** Bugs that show only where somebody looks at everything, or at an exact instant: in views, counts, headers and caches. */
import { type Bug, bugsIn, type SourceChange } from "./Bug.ts"

const views = bugsIn("http", "Views")
const headers = bugsIn("http", "ResponseHeaders")
const webhooks = bugsIn("domain", "Webhooks")
const limits = bugsIn("domain", "RateLimit")
const keys = bugsIn("domain", "Keys")
const leadStore = bugsIn("store-memory", "MemoryLeadStore")
const deliveries = bugsIn("store-memory", "MemoryDeliveries")

/** Edits that put a cache, which every write empties, into the store in memory. */
const emptiedByWrites = (cache: string): SourceChange["edits"] => [
  {
    in: "make",
    before: "const { memory: $memory, queued: $bell } = yield* MemoryState",
    insert: `const ${cache} = new Map<string, any>()`
  },
  {
    in: "make.commit",
    find: "Effect.flatMap(Clock.currentTimeMillis, $commit)",
    put: `Effect.flatMap(Effect.tap(Clock.currentTimeMillis, () => ${cache}.clear()), $commit)`
  },
  ...["make.update", "make.erase"].map((method) => ({
    in: method,
    find: "Effect.map(Clock.currentTimeMillis, $change)",
    put: `Effect.map(Effect.tap(Clock.currentTimeMillis, () => ${cache}.clear()), $change)`
  }))
]

/** In views, counts, headers and caches, where a run without the right look at it goes on as if nothing were wrong. */
export const inViewsAndCounts: ReadonlyArray<Bug> = [
  views("failing-since-not-shown", "nobody is shown since when a webhook fails", {
    in: "webhookView",
    find: "failingSince: $format($webhook.failingSince)",
    put: "failingSince: null"
  }),
  views("next-attempt-of-the-held", "a delivery that is held says when it is next", {
    in: "deliveryView",
    find: '$state === "pending" ? $format($delivery.dueAt) : null',
    put: "$format($delivery.dueAt)"
  }),
  views("resend-not-linked", "a delivery does not say which one it repeats", {
    in: "deliveryView",
    find: "resendOf: $delivery.resendOf",
    put: "resendOf: null"
  }),
  views("company-of-a-signal-left-out", "a signal is shown without its company", {
    in: "signalView",
    find: "company: $view($source.company)",
    put: "company: null"
  }),
  bugsIn("domain", "DeliveryQueries")("held-shown-as-pending", "what is held is shown as pending", {
    in: "reportedState",
    find: '$stored === "pending" && !$isEnabled',
    put: '$stored === "pending" && !$isEnabled && $stored.length === 0'
  }),
  deliveries("deliveries-oldest-first", "the oldest delivery stands first", {
    in: "make.list",
    find: "$matching.reverse()",
    put: "$matching"
  }),
  deliveries("recovered-again", "what was recovered is recovered again", {
    in: "make",
    drop: "$deliveries.put({ ...$record, resentAs: $id })"
  }),
  webhooks("queued-at-least-one", "a recovery of nothing says that it has queued one", {
    in: "recover",
    find: "$recovered += $piece",
    put: "$recovered += Math.max(1, $piece)"
  }),
  webhooks("test-of-the-disabled", "a webhook that is disabled is tested", {
    in: "test",
    find: "!$known.enabled",
    put: "!$known.enabled && $known.events.length === 0"
  }),
  webhooks("events-as-given", "the events of a webhook are kept as they were given", {
    in: "inOrder",
    find: "$types.filter(($event) => $events.includes($event))",
    put: "$events.filter((event) => $types.includes(event))"
  }),
  webhooks("reason-overwritten", "why a webhook was disabled is forgotten when it is disabled again", {
    in: "changed",
    find: "$webhook.enabled ? $reason : $webhook.disabledReason",
    put: "$reason"
  }),
  webhooks("enabled-and-failing", "a webhook that is enabled has failed since before", {
    in: "changed",
    find: "($isEnabled && !$webhook.enabled) || ($url !== undefined && $url !== $webhook.url)",
    put: "$url !== undefined && $url !== $webhook.url"
  }),
  bugsIn("domain", "AttemptTransitions")(
    "old-attempt-counts",
    "an attempt that began before its webhook was enabled counts against it",
    {
      in: "WorkingState.settle",
      find: "$webhook.url === $url && !$isOfEarlier",
      put: "$webhook.url === $url"
    }
  ),
  bugsIn("http", "Webhooks")("rotation-ends-early", "the old secret is said to sign for 23 hours", {
    in: "webhooks.rotateWebhookSecret",
    find: "$format($secrets.previous!.until)",
    put: "$format($secrets.previous!.until - 3_600_000)"
  }),
  bugsIn("domain", "Retries")("jitter-too-wide", "a wait is up to a third shorter or longer", {
    in: "jitterFraction",
    find: "0.2",
    put: "0.34"
  }),
  leadStore(
    "page-of-another-brand",
    "a page is kept by its query alone until something is written",
    ...emptiedByWrites("pages"),
    {
      in: "make.list",
      find: "$pageOf($memory, $brandId, $query)",
      put: "(pages.set(JSON.stringify($query), pages.get(JSON.stringify($query)) ?? $pageOf($memory, $brandId, $query)), pages.get(JSON.stringify($query)))"
    }
  ),
  leadStore(
    "detail-of-another-brand",
    "a lead that was read is kept by its id alone until something is written",
    ...emptiedByWrites("details"),
    {
      in: "make.get",
      given: ["($brandId, $id, $engagements) => $get"],
      find: "$leads.byId.get($id)",
      put: "(details.set(String($id), details.get(String($id)) ?? $leads.byId.get($id)), details.get(String($id)))"
    }
  ),
  limits("window-a-millisecond-longer", "a window has still its last millisecond when it has ended", {
    in: "isOpen",
    find: "$now < $window.startedAt + $millis",
    put: "$now <= $window.startedAt + $millis"
  }),
  limits("window-from-the-future", "a window goes on when the clock was set back before it", {
    in: "isOpen",
    find: "$now >= $window.startedAt && $now < $end",
    put: "$now < $end"
  }),
  keys("used-once-noted", "only the first use of a key is noted", {
    in: "authenticateHash",
    find: "$key.lastUsedAt === null || $key.lastUsedAt < $minute",
    put: "$key.lastUsedAt === null"
  }),
  bugsIn("domain", "Instant")("used-to-the-millisecond", "when a key was used is kept to the millisecond", {
    in: "minuteOf",
    find: "Math.floor($instant / millisPerMinute) * millisPerMinute",
    put: "$instant"
  }),
  bugsIn("store-memory", "MemoryKeyStore")(
    "revoked-anew",
    "a second revocation takes the place of the first",
    {
      in: "make.revoke",
      find: "revokedAt: $key.revokedAt ?? $now",
      put: "revokedAt: $now"
    }
  ),
  bugsIn("store-memory", "MemorySignalStore")("deleted-signal-listed", "a deleted signal is still listed", {
    in: "make.list",
    find: "$signals.filter(({ id: $id }) => !$memory.deletedSignals.has($id))",
    put: "$signals"
  }),
  bugsIn("store-memory", "Records")(
    "renamed-and-not-told",
    "a change of a name is answered with the old name",
    {
      in: "rename",
      find: "$put($things, { ...$before, name: $name })",
      put: "($put($things, { ...$before, name: $name }), $before)"
    }
  ),
  bugsIn("http", "OperatorLeads")("export-without-posts", "an export leaves out the posts of the person", {
    in: "operatorLeads.exportLead",
    find: "posts: $posts.map($view)",
    put: "posts: $posts.slice($posts.length).map($view)"
  }),
  bugsIn("http", "Health")("ready-and-not-writable", "a store that can be written is said not to be", {
    in: "readiness",
    find: "writes: $problem === null",
    put: "writes: $problem !== null"
  }),
  headers("errors-cached", "an error may be kept by a cache", {
    in: "headersOf",
    given: ["$status === 429"],
    find: '"cache-control": "no-store"',
    put: '"cache-control": $status < 400 ? "no-store" : "private"'
  }),
  headers("sniffed", "a browser may guess what an answer is", {
    in: "headersOf",
    drop: '"x-content-type-options": "nosniff"'
  }),
  headers("unauthorised-without-a-scheme", "a 401 does not say what it asks for", {
    in: "headersOf",
    find: "$status === 401",
    put: "$status === 402"
  }),
  bugsIn("http", "RequestRecord")("one-request-id", "every request has the same id", {
    in: "recordFrom",
    find: "Encoding.encodeBase64Url($bytes)",
    put: "Encoding.encodeBase64Url($bytes.fill(7))"
  }),
  bugsIn("domain", "RequestView")("posted-by-nobody", "a post does not say who sends it", {
    in: "attemptHeaders",
    drop: '"user-agent": "Lead-Signals/1.0 (webhooks)"'
  }),
  bugsIn("domain", "Interval")("week-from-thursday", "a week of figures begins on a Thursday", {
    in: "startOf",
    find: '$interval === "week" ? mondayOffset : 0',
    put: "0"
  }),
  bugsIn("domain", "CampaignSeries")(
    "figures-of-the-last-day-alone",
    "a campaign's figures at the end of a day are what that day added",
    { in: "snapshots", find: "$sum ?? none", put: "none" }
  ),
  bugsIn("domain", "SeriesQueries")("hours-of-three-days", "a series of hours has three days by default", {
    in: "defaults",
    find: '["day", 2]',
    put: '["day", 3]'
  }),
  bugsIn("domain", "CountSeries")("fewest-first", "the groups of a series with the fewest come first", {
    in: "largest",
    find: "sumOf($b.counts) - sumOf($a.counts)",
    put: "sumOf($a.counts) - sumOf($b.counts)"
  })
]
