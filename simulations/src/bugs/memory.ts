/** Bugs in the memory store. */
import { type Bug, bugsIn } from "./Bug.ts"

const filters = bugsIn("domain", "LeadFilter")
const leads = bugsIn("store-memory", "BrandLeads")
const leadStore = bugsIn("store-memory", "MemoryLeadStore")
const commits = bugsIn("store-memory", "LeadCommits")
const erasure = bugsIn("store-memory", "Erasure")
const campaigns = bugsIn("store-memory", "MemoryCampaignStore")

/** In the package `store-memory`: runs over SQLite do not show them. */
export const inMemoryStore: ReadonlyArray<Bug> = [
  filters("window-end-exclusive", "updatedAfter leaves out the instant itself", {
    in: "matchesFilter",
    find: "$lead.updatedAt >= $filter.updatedAfter",
    put: "$lead.updatedAt > $filter.updatedAfter"
  }),
  filters("window-start-exclusive", "createdBefore leaves out the instant itself", {
    in: "matchesFilter",
    find: "$lead.createdAt <= $filter.createdBefore",
    put: "$lead.createdAt < $filter.createdBefore"
  }),
  leads("ties-unbroken", "leads of one score come with the newest first", {
    in: "comparison",
    find: "$byField($a, $b) || $a.lead.id - $b.lead.id",
    put: "$byField($a, $b) || $b.lead.id - $a.lead.id"
  }),
  leads("nulls-first-when-descending", "leads without a score come first in descending order", {
    in: "byScore",
    find: "$isNull ? $order : $sign * ($a - $b)",
    put: "$isNull ? $sign * ($order) : $sign * ($a - $b)"
  }),
  leads("count-not-taken-off", "the counters keep what was changed", {
    in: "BrandLeads.unindex",
    find: "this.count($earlier.lead, -1)",
    put: "this.count($earlier.lead, $earlier.lead.qualified ? 0 : -1)"
  }),
  leads("search-in-names-only", "headlines are not searched", {
    in: "record",
    find: '[$name, $headline ?? ""].map($fold)',
    put: '[$name, ""].map($fold)'
  }),
  leadStore("lost-update", "a lead is read, and written back a little later", {
    in: "make.update",
    given: ["($brandId, $id, $change) => $update"],
    find: "Effect.map(Clock.currentTimeMillis, ($now) => { const $leads = $memory.leadsOf($brandId)\n return $changed })",
    put: `Effect.gen(function* () {
      const $now = yield* Clock.currentTimeMillis
      const $leads = $memory.leadsOf($brandId)
      const found = $leads.byId.get($id)
      if (found === undefined) return Option.none<Lead>()
      yield* Effect.sleep(100)
      if (!$leads.byId.has($id)) return Option.none<Lead>()
      const changed = $change(found.lead, $now)
      $leads.put(changed)
      return Option.some(changed)
    })`
  }),
  commits(
    "outbox-outside-the-transaction",
    "deliveries are queued a moment after their engagement is committed",
    {
      in: "LeadCommits.fire",
      find: "$queued.push($memory.queueDelivery($delivery, $now))",
      put: "later.push(() => $memory.queueDelivery($delivery, $now))"
    },
    {
      in: "LeadCommits.commit",
      find: "return $queued > 0 ? Effect.as(Queue.offer($bell, undefined), $committed) : Effect.succeed($committed)",
      put: "const due = later.splice(0)\n return Effect.as(Effect.zipRight(Effect.sleep(400), Effect.suspend(() => { for (const each of due) each(); return Queue.offer($bell, undefined) })), $committed)"
    },
    { in: "LeadCommits", insert: "const later: Array<() => void> = []" }
  ),
  commits("wrong-brand-subscribed", "every brand's webhooks get the event", {
    in: "LeadCommits.apply",
    find: "$webhook.brandId === $brandId && $webhook.events.includes($event)",
    put: "$webhook.events.includes($event)"
  }),
  commits("every-type-delivered", "a webhook gets events that it does not subscribe to", {
    in: "LeadCommits.apply",
    find: "$webhook.brandId === $brandId && $webhook.events.includes($event)",
    put: "$webhook.brandId === $brandId"
  }),
  erasure("erased-body-still-sent", "deliveries about an erased person stay, with their bodies", {
    in: "eraseDeliveries",
    find: "$record.event.leadId === $id",
    put: "$record.event.leadId === $id && $record.body === null"
  }),
  erasure("erased-author-still-sent", "a body that names an erased author is sent again", {
    in: "eraseDeliveries",
    find: "$readers.has($record.event.leadId) && $canShow($record.event)",
    put: "$readers.has($record.event.leadId) && $canShow($record.event) && $record.body === null"
  }),
  erasure("readers-not-touched", "leads whose posts' author was erased keep their updatedAt", {
    in: "eraseAuthor",
    find: "$leads.put({ ...$lead, updatedAt: $updatedAt })",
    put: "$leads.put($lead)"
  }),
  campaigns("campaign-of-another-brand", "a campaign is found whosever it is", {
    in: "make.snapshot",
    find: "$findInBrand($memory.campaigns, $brandId, $id)",
    put: "($memory.campaigns.get($id) ?? $findInBrand($memory.campaigns, $brandId, $id))"
  }),
  campaigns("span-end-exclusive", "the last day of a span is left out", {
    in: "make.snapshot",
    find: "$last([...$days.keys()].filter(($each) => $each <= $date))",
    put: "$last([...$days.keys()].filter(($each) => $each < $date)) ?? $last([...$days.keys()])"
  }),
  bugsIn("store-memory", "MemoryOutbox")(
    "retries-not-announced",
    "the store does not say when a delivery is due that was attempted before",
    {
      in: "nextDueAt",
      find: "$delivery.dueAt! > $now",
      put: "$delivery.dueAt! > $now && $delivery.attempts === 0"
    }
  ),
  bugsIn("store-memory", "MemoryOutbox")("body-forgotten", "the body is made anew at every attempt", {
    in: "record",
    find: 'body: $state === "pending" ? $body : null',
    put: "body: null"
  }),
  bugsIn("store-memory", "EngagementReads")(
    "author-lead-of-old",
    "an author who is a lead is shown without it",
    {
      in: "engagementReadOf.authorLead",
      find: "$authorId === undefined",
      put: "$authorId === undefined || $authorId % 2 === 0"
    }
  )
]
