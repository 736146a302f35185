/** Bugs in the memory store. */
import { type Bug, bugsIn } from "./Bug.ts"

const store = "packages/store-memory/src"
const leads = bugsIn(`${store}/BrandLeads.ts`)
const leadStore = bugsIn(`${store}/MemoryLeadStore.ts`)
const directory = bugsIn(`${store}/MemoryDirectory.ts`)

export const inMemoryStore: ReadonlyArray<Bug> = [
  leads(
    "window-end-exclusive",
    "updatedAfter leaves out the instant itself",
    "lead.updatedAt >= filter.updatedAfter",
    "lead.updatedAt > filter.updatedAfter"
  ),
  leads(
    "window-start-exclusive",
    "createdBefore leaves out the instant itself",
    "lead.createdAt <= filter.createdBefore",
    "lead.createdAt < filter.createdBefore"
  ),
  leads(
    "ties-unbroken",
    "leads of one score come with the newest first",
    "byField(a, b) || a.lead.id - b.lead.id",
    "byField(a, b) || b.lead.id - a.lead.id"
  ),
  leads(
    "nulls-first-when-descending",
    "leads without a score come first in descending order",
    "Number(a === null) - Number(b === null) : sign * (a - b)",
    "sign * (Number(a === null) - Number(b === null)) : sign * (a - b)"
  ),
  leads(
    "count-not-taken-off",
    "the counters keep what was changed",
    "this.count(earlier.lead, -1)",
    "this.count(earlier.lead, earlier.lead.qualified ? 0 : -1)"
  ),
  leads(
    "search-in-names-only",
    "headlines are not searched",
    '[lead.profile.name, lead.profile.headline ?? ""].map',
    '[lead.profile.name, ""].map'
  ),
  leadStore(
    "lost-update",
    "a lead is read, and written back a little later",
    `update: (brandId, id, change) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const leads = memory.leadsOf(brandId)
        return Option.map(Option.fromNullable(leads.byId.get(id)), ({ lead }): Lead => {
          const changed = change(lead, now)
          leads.put(changed)
          return changed
        })
      }),`,
    `update: (brandId, id, change) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const leads = memory.leadsOf(brandId)
        const found = leads.byId.get(id)
        if (found === undefined) return Option.none<Lead>()
        yield* Effect.sleep(100)
        if (!leads.byId.has(id)) return Option.none<Lead>()
        const changed = change(found.lead, now)
        leads.put(changed)
        return Option.some(changed)
      }),`
  ),
  leadStore(
    "outbox-outside-the-transaction",
    "deliveries are queued a moment after their engagement is committed",
    "queued.push(memory.queue({ ...delivery, event: fired, resendOf: null }, now))",
    "later.push(() => memory.queue({ ...delivery, event: fired, resendOf: null }, now))",
    {
      replace:
        "return queued > 0 ? Effect.as(Queue.offer(bell, undefined), committed) : Effect.succeed(committed)",
      by: "const due = later.splice(0)\n          return Effect.as(Effect.zipRight(Effect.sleep(400), Effect.suspend(() => { for (const each of due) each(); return Queue.offer(bell, undefined) })), committed)"
    },
    {
      replace: "  /** Commits one decision, and answers how to undo it. */",
      by: "  const later: Array<() => void> = []\n\n  /** Commits one decision, and answers how to undo it. */"
    }
  ),
  leadStore(
    "wrong-brand-subscribed",
    "every brand's webhooks get the event",
    "webhook.brandId === brandId && webhook.events.includes(event)",
    "webhook.events.includes(event)"
  ),
  leadStore(
    "every-type-delivered",
    "a webhook gets events that it does not subscribe to",
    "webhook.brandId === brandId && webhook.events.includes(event)",
    "webhook.brandId === brandId"
  ),
  leadStore(
    "erased-body-still-sent",
    "deliveries about an erased person stay, with their bodies",
    "if (record.event.leadId === id) memory.deliveries.remove(record)",
    "if (record.event.leadId === id && record.body === null) memory.deliveries.remove(record)"
  ),
  leadStore(
    "erased-author-still-sent",
    "a body that names an erased author is sent again",
    "else if (readers.has(record.event.leadId) && canShow(record.event)) {",
    "else if (readers.has(record.event.leadId) && canShow(record.event) && record.body === null) {"
  ),
  leadStore(
    "readers-not-touched",
    "leads whose posts' author was erased keep their updatedAt",
    "leads.put({ ...lead, updatedAt: Math.max(lead.updatedAt, now) })",
    "leads.put(lead)"
  ),
  directory(
    "campaign-of-another-brand",
    "a campaign is found whosever it is",
    "Option.fromNullable(ofBrand(memory.campaigns, brandId, id))",
    "Option.fromNullable(memory.campaigns.get(id) ?? ofBrand(memory.campaigns, brandId, id))"
  ),
  directory(
    "span-end-exclusive",
    "the last day of a span is left out",
    "last([...days.keys()].filter((each) => each <= snapshotDate))",
    "last([...days.keys()].filter((each) => each < snapshotDate)) ?? last([...days.keys()])"
  ),
  bugsIn(`${store}/MemoryOutbox.ts`)(
    "body-forgotten",
    "the body is made anew at every attempt",
    'body: state === "pending" ? before.body : null',
    "body: null"
  ),
  bugsIn(`${store}/LeadReading.ts`)(
    "author-lead-of-old",
    "an author who is a lead is shown without it",
    "authorId === undefined\n          ? null",
    "authorId === undefined || authorId % 2 === 0\n          ? null"
  )
]
