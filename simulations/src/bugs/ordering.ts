/** Bugs of ordered webhooks, batches, CloudEvents and the feed of changes. */
import { type Bug, bugsIn } from "./Bug.ts"

const ordering = "ordering"
const batching = bugsIn("domain", "Batches", "memory", ordering)
const ids = bugsIn("domain", "DeliveryIds", "memory", ordering)
const order = bugsIn("domain", "LeadOrder", "memory", ordering)
const requests = bugsIn("domain", "RequestView", "memory", ordering)
const cloudEvents = bugsIn("domain", "CloudEventView", "memory", ordering)
const attempt = bugsIn("webhook", "DeliveryAttempt", "memory", ordering)
const outbox = bugsIn("store-memory", "MemoryOutbox", "memory", ordering)
const sqliteDue = bugsIn("store-sqlite", "DueRows", "sqlite", ordering)
const sqliteRecord = bugsIn("store-sqlite", "AttemptRecord", "sqlite", ordering)
const feed = bugsIn("store-memory", "LeadFeeds")
const leads = bugsIn("store-memory", "MemoryLeadStore")

/** In the leasing of ordered webhooks. [ORD-1] */
export const inOrderedWebhooks: ReadonlyArray<Bug> = [
  outbox("order-not-kept", "a lease takes a lead's events side by side", {
    in: "dueOf",
    find: "$first === undefined || $first.seq === $delivery.seq",
    put: "$first === undefined || $first.seq <= $delivery.seq"
  }),
  outbox("waits-for-an-hour", "what waited becomes due an hour after it was queued", {
    in: "record",
    find: "LeadOrder.releasedDueAt({ ...$next, dueAt: $next.dueAt! }, $now)",
    put: "(LeadOrder.releasedDueAt({ ...$next, dueAt: $next.dueAt! }, $now) + 3_600_000)"
  }),
  outbox("skipped-unsaid", "a lease names no dead letters", {
    in: "lease",
    find: "skipped: $deliveries.skippedBefore($row)",
    put: "skipped: []"
  }),
  bugsIn(
    "store-memory",
    "MemoryDeliveries",
    "memory",
    ordering
  )("sent-again-in-order", "what is sent again keeps a place among its lead's", {
    in: "make",
    find: "{ id: $id, webhookId: $record.webhookId, event: $record.event, resendOf: $record.id, orderedLead: null }",
    put: "{ id: $id, webhookId: $record.webhookId, event: $record.event, resendOf: $record.id, orderedLead: $record.orderedLead }"
  }),
  bugsIn(
    "domain",
    "AttemptTransitions",
    "memory",
    ordering
  )("dead-letter-holds-its-lead", "the event after a dead letter stays where it was set aside", {
    in: "settleAll",
    find: '$deliveries.get($id)!.state !== "pending"',
    put: '$deliveries.get($id)!.state === "delivered"'
  }),
  order("max-delay-starts-anew", "maxDelay counts from the latest failed attempt", {
    in: "deadlineOf",
    find: "$delivery.failingSince ?? $now",
    put: "$now + ($delivery.failingSince ?? 0) * 0"
  }),
  order("max-delay-in-minutes", "maxDelay counts in minutes", {
    in: "deadlineOf",
    find: "$maxDelay * 1000",
    put: "$maxDelay * 60_000"
  }),
  sqliteDue(
    "sqlite-dead-are-waited-for",
    "an event waits for the one before it as if a dead letter were pending",
    {
      in: "deferWaiting",
      find: '$before === "pending"',
      put: '$before === "pending" || $before === "dead"'
    }
  ),
  sqliteRecord(
    "sqlite-next-of-any-lead",
    "when an event of a lead has ended, the next of any lead becomes due",
    {
      in: "write",
      text: "n.ordered_lead = j.value ->> 1",
      put: "n.ordered_lead IS NOT NULL"
    }
  ),
  sqliteDue(
    "sqlite-all-dead-are-skipped",
    "a post names the dead letters before the last delivered event, too",
    {
      in: "skippedBefore",
      find: '$rows.findIndex(({ state: $state }) => $state !== "dead")',
      put: "$rows.findIndex(() => false)"
    }
  ),
  requests("newest-skipped-alone", "a post names the newest dead letter alone", {
    in: "placeHeaders",
    find: "$skipped.slice(-maxSkippedIds)",
    put: "$skipped.slice(-1)"
  }),
  requests("one-place-for-all", "the post of a batch says the place of its first event alone", {
    in: "placeHeaders",
    find: '$places.map(({ isInOrder: $isInOrder }) => ($isInOrder ? "lead" : "none"))',
    put: '$places.slice(0, 1).map(({ isInOrder }) => (isInOrder ? "lead" : "none"))'
  }),
  requests("resent-unnamed", "a post does not say what it sends again", {
    in: "placeHeaders",
    find: '"lead-signals-resend-of": $again',
    put: '"lead-signals-resend-of": $again.slice(0, 0)'
  })
]

/** In which events go in one post, and when. [BATCH-1] */
export const inBatches: ReadonlyArray<Bug> = [
  batching("one-more-in-a-batch", "a batch takes one event more than its webhook does", {
    in: "sizeAfter",
    find: "Math.floor($maxBatch / 4 ** $failures)",
    put: "Math.floor($maxBatch / 4 ** $failures) + 1"
  }),
  batching("batches-that-failed-stay-large", "what failed together goes together again", {
    in: "sizeAfter",
    find: "Math.floor($maxBatch / 4 ** $failures)",
    put: "$maxBatch + $failures * 0"
  }),
  batching("wait-in-milliseconds", "maxWait counts in milliseconds", {
    in: "form",
    find: "$webhook.maxWait * 1000",
    put: "$webhook.maxWait"
  }),
  bugsIn(
    "domain",
    "Batches",
    "memory",
    "resend-storm"
  )("tests-wait", "a test waits for other events", {
    in: "form",
    find: "$room > 0 && $readyAt > $now && !$last.some($isTest)",
    put: "$room > 0 && $readyAt > $now"
  }),
  batching("newest-in-the-batch-first", "the event that was due last comes first in a batch", {
    in: "form",
    find: "$room = Math.min($room - 1, $size - $last.length)",
    put: "$room = Math.min($room - 1, $size - $last.length)\n$last.unshift($last.pop()!)"
  }),
  ids("batch-named-by-its-first", "a batch has the id of its first event", {
    in: "batchId",
    find: '$ids.join(" ")',
    put: "$ids[0]!"
  }),
  attempt("batch-turned-round", "the events of a batch are posted in reverse", {
    in: "messageOf",
    find: "$withBody.map(({ body: $body }) => $body)",
    put: "$withBody.map(({ body }) => body).toReversed()"
  }),
  attempt("signed-without-brackets", "the signature of a batch covers its events alone", {
    in: "requestOf",
    find: "{ id: $id, now: $at, body: $body }",
    put: '{ id: $id, now: $at, body: $body.startsWith("[") ? $body.slice(1, -1) : $body }'
  }),
  attempt("jitter-for-each", "what failed together is due again apart", {
    in: "finishedAttempts",
    given: ["const { body: $body, deliveryId: $deliveryId, token: $token, webhook: $webhook } = $lease"],
    find: "Retries.settle($known, $result, $now, $draw, $scheduleMillis)",
    put: "Retries.settle($known, $result, $now, ($draw + parseInt($deliveryId.slice(-4), 16) * 0.39) % 1, $scheduleMillis)"
  }),
  attempt(
    "batch-without-name-in-the-log",
    "an attempt of a batch is recorded as if each event had gone alone",
    {
      in: "messageOf",
      find: "{ postedAs: { batchId: $batchId, format: $format }, id: $batchId, body: $body, bodies: $bodies, places: $places }",
      put: "{ postedAs: { batchId: null, format: $format }, id: $batchId, body: $body, bodies: $bodies, places: $places }"
    }
  )
]

/** In bodies and headers of CloudEvents. [FMT-3] */
export const inCloudEvents: ReadonlyArray<Bug> = [
  requests("batches-of-one-media-type", "a batch of CloudEvents says that it is one", {
    in: "contentTypes",
    text: "application/cloudevents-batch+json",
    put: "application/cloudevents+json"
  }),
  cloudEvents("source-without-brand", "a CloudEvent is of all brands", {
    in: "cloudEventView",
    find: "`/brands/${$brandId}`",
    put: '"/brands/" + $brandId.slice(0, 0)'
  }),
  cloudEvents("person-as-subject", "the subject of a CloudEvent is the person's external id", {
    in: "cloudEventView",
    find: "String($data.lead2.id)",
    put: "$data.lead2.extId"
  }),
  attempt("envelopes-for-all", "a webhook that takes CloudEvents gets envelopes", {
    in: "renderBody",
    find: '$material.format === "cloudevents"',
    put: '$material.format === "cloudevent"'
  })
]

/** In the feed of changes, at the server and in the client. [CHG-1] */
export const inChangeFeed: ReadonlyArray<Bug> = [
  bugsIn("store-memory", "BrandLeads")(
    "forgotten-removals-not-noted",
    "a cursor from before a forgotten removal does not expire",
    {
      in: "BrandLeads.forgetRemoved",
      drop: "this.forgottenChanges = Math.max(this.forgottenChanges, $position)"
    }
  ),
  bugsIn("store-sqlite", "ChangedLeads", "sqlite")(
    "position-goes-back",
    "a lead whose newest event is pruned goes back to the place of that event in the feed",
    {
      in: "keepPositions",
      text: "max(position, excluded.position)",
      put: "excluded.position"
    }
  ),
  feed("feed-skips-pages", "a page of the feed of changes that is not the last has the newest position", {
    in: "changesAfter",
    given: ["const $hasMore = $found.length > $limit"],
    find: "$hasMore ? $page.at(-1)!.position : $newest",
    put: "$newest"
  }),
  leads("feed-without-amendments", "what an operator alters is not in the feed of changes", {
    in: "make",
    find: "RenderedLeads.renderLead($lead) !== RenderedLeads.renderLead($changed)",
    put: "$lead.updatedAt > $changed.updatedAt"
  }),
  bugsIn("store-memory", "MemoryState")(
    "feed-keeps-the-gone",
    "the feed of changes does not tell who is gone",
    {
      in: "Memory.noteRemoved",
      drop: "$leads.noteChange({ id: $id, position: $position, removedAt: $now })"
    }
  ),
  bugsIn("store-sqlite", "ChangeReads", "sqlite")(
    "sqlite-feed-without-amendments",
    "what an operator alters is not in the feed of changes",
    {
      in: "changedSql",
      text: "WHERE c.brand_id = ?",
      put: "WHERE c.removed_at IS NOT NULL AND c.brand_id = ?"
    }
  ),
  bugsIn("store-sqlite", "ChangeReads", "sqlite")(
    "sqlite-feed-by-the-first-event",
    "a lead is in the feed of changes at its first event, and no later one moves it",
    { in: "eventsSql", text: "SELECT max(n.position)", put: "SELECT min(n.position)" }
  ),
  bugsIn("client", "ChangeFeed")("removals-not-told", "the client's sync does not say who is gone", {
    in: "pageOf",
    find: '$change.type === "removed"',
    put: '$change.type === "remove"'
  })
]
