/**
 * Bugs in parts that came after the first rules: scopes, uses of tokens, the feed of changes, attention, reads by keys, webhooks that change
 * while they are sent to. All but `log-cut-within-a-character`, `posts-beyond-places`, `two-unknown-fields`
 * and the two about batches and erasures, which were planted with the rules that find them, were chosen from the code of the service, without a
 * look at the rules.
 */
import { type Bug, bugsIn } from "./Bug.ts"

const leads = bugsIn("http", "OperatorLeads", "memory", "access")
const attention = bugsIn("http", "Attention")
const keyReads = bugsIn("http", "KeyReads")
const tokens = bugsIn("domain", "AccessTokens", "memory", "access")
const sqliteWebhooks = bugsIn("store-sqlite", "SqliteWebhookStore", "sqlite")
const webhooks = bugsIn("store-memory", "MemoryWebhookStore")
const memoryLeads = bugsIn("store-memory", "MemoryLeadStore")
const changes = bugsIn("domain", "LeadChanges")

/** A measure for the rules: none was written with these bugs in view, except for the five named above. */
export const inNewerParts: ReadonlyArray<Bug> = [
  leads("erased-by-collectors", "a token that may send observations may erase persons", {
    in: "operatorLeads",
    find: '{ scope: "admin", summary: $summary, description: $description, answer: $answer, handle: $handle }',
    put: '{ scope: "ingest", summary: $summary, description: $description, answer: $answer, handle: $handle }'
  }),
  bugsIn("http", "OperatorLeads")(
    "operators-may-wait",
    "the operator's feed of changes takes the parameter wait without a warning",
    {
      in: "operatorLeads",
      find: "$ChangeQueries.read($target, $ChangeQueries.parametersWithoutWait)",
      put: "$ChangeQueries.read($target)"
    }
  ),
  tokens("token-use-noted-once", "a token's last use is noted once, and never again", {
    in: "authenticateHash",
    find: "$token.lastUsedAt === null || $token.lastUsedAt < $minute",
    put: "$token.lastUsedAt === null"
  }),
  attention("every-outcome-attended", "attention counts every observation that is not recorded", {
    in: "makeAttention",
    find: '$outcome === "rejected"',
    put: '$outcome !== "recorded"'
  }),
  attention("attention-of-the-first", "attention says that the last was an hour earlier", {
    in: "Tallies.add",
    find: "$map.set($id, { count: $count, lastAt: $now })",
    put: "$map.set($id, { count: $count, lastAt: $count === 1 ? $now : $now - 3_600_000 })"
  }),
  bugsIn("http", "SeriesCalls")("attention-of-all-keys", "attention lists keys that were never refused", {
    in: "seriesCalls",
    find: "$tally === null ? [] : $shown",
    put: "$shown"
  }),
  bugsIn("http", "SeriesCalls")("attention-since-the-epoch", "attention says that it counts since 1970", {
    in: "seriesCalls",
    find: "$formatInstant($attention.since)",
    put: "$formatInstant($attention.since * 0)"
  }),
  keyReads(
    "reads-entered-once-for-all-keys",
    "the first key that lists a brand's leads is entered, and no other",
    {
      in: "nameOf",
      find: "`${$id} ${$operation}`",
      put: "$operation"
    }
  ),
  keyReads("reads-entered-each-time", "every page that a key reads has an entry in the audit log", {
    in: "KeyReads.isDue",
    find: "$at >= $pause.until",
    put: "true"
  }),
  keyReads("reads-entered-without-brand", "what a key reads is entered without its brand", {
    in: "KeyReads.note",
    find: "brandId: $idIn($brandId)",
    put: "brandId: null"
  }),
  bugsIn("http", "Routes")("head-not-allowed", "the header Allow leaves HEAD out", {
    in: "add",
    find: '$route.methods.add("HEAD")',
    put: '$route.methods.add("GET")'
  }),
  bugsIn(
    "domain",
    "Idempotency",
    "memory",
    "idempotency"
  )(
    "key-in-use-for-the-whole-lease",
    "a repetition must wait for a whole lease, however much of it is over",
    {
      in: "reserve",
      find: "$kept.leaseUntil - $now",
      put: "leaseMillis + ($kept.leaseUntil - $now) * 0"
    }
  ),
  bugsIn("domain", "ChangeFeedView")(
    "removed-at-the-epoch",
    "the feed says that removed leads went in 1970",
    {
      in: "removedLeadView",
      find: "$formatInstant($removedAt)",
      put: "$formatInstant($removedAt * 0)"
    }
  ),
  bugsIn("domain", "ChangeQueries")(
    "feed-without-a-cap",
    "a page of the feed with engagements has 100 leads",
    {
      in: "read",
      find: "$withEngagements ? ($withDetail ? $detailed : $plain) : $none",
      put: "$withEngagements ? $plain : $none"
    }
  ),
  changes("feed-ends-early", "a page of the feed says that nothing follows", {
    in: "readAfter",
    find: "hasMore: $page.hasMore",
    put: "hasMore: false"
  }),
  bugsIn("store-memory", "LeadFeeds")(
    "feed-skips-a-place",
    "the feed skips a lead that changes between two pages",
    {
      in: "changesAfter",
      find: "$leads.changesAfter($after?.position ?? 0, $limit + 1)",
      put: "$leads.changesAfter(($after?.position ?? 0) + ($after === null ? 0 : 1), $limit + 1)"
    }
  ),
  memoryLeads(
    "feed-without-readers",
    "an erasure does not move the leads that engaged with the person's posts",
    {
      in: "make",
      find: "$RenderedLeads.renderLead($lead) !== $RenderedLeads.renderLead($changed)",
      put: "$lead.qualified !== $changed.qualified"
    }
  ),
  webhooks(
    "order-kept-when-dropped",
    "a webhook that is ordered no longer goes on waiting for earlier events",
    {
      in: "make",
      find: '$after.ordering === "none" && $before.ordering === "lead"',
      put: 'false && $before.ordering === "lead"'
    }
  ),
  sqliteWebhooks(
    "sqlite-order-kept-when-dropped",
    "a webhook that is ordered no longer goes on waiting for earlier events",
    {
      in: "dropOrder",
      text: "SET ordered_lead = NULL,",
      put: "SET ordered_lead = ordered_lead,"
    }
  ),
  bugsIn("domain", "Batches")(
    "formats-mixed-in-a-batch",
    "a batch holds events of two formats, after the webhook's was changed",
    {
      in: "fitting",
      find: "$bytes > maxBatchBytes || ($format !== null && $format !== $own)",
      put: "$bytes > maxBatchBytes"
    }
  ),
  bugsIn("domain", "Webhooks")(
    "failures-of-another-target",
    "a webhook with a new URL keeps since when the old one failed",
    {
      in: "changed",
      find: "$url !== undefined && $url !== $webhook.url",
      put: "false"
    }
  ),
  bugsIn("domain", "CountSeries")("intervals-of-the-past", "a count goes to the interval before", {
    in: "byGroup",
    find: "$of($group)[$index]",
    put: "$of($group)[Math.max(0, $index - 1)]"
  }),
  bugsIn("store-memory", "MemoryCampaignStore")(
    "series-without-corrections",
    "a reading counts beside that of the day before",
    {
      in: "make",
      find: "$changed($changes.get($day) ?? $zero, $before, $totals)",
      put: "$changed($changes.get($day) ?? $zero, { ...$before, impressions: 0 }, $totals)"
    }
  ),
  bugsIn("webhook", "ReceivedText")(
    "log-cut-within-a-character",
    "the log has a part of the character within which an answer of another encoding was cut off",
    {
      in: "lengthOfUnfinished",
      find: "$length <= 3",
      put: "$length <= 1"
    }
  ),
  bugsIn("webhook", "PostQueue")(
    "posts-beyond-places",
    "all that is leased ahead of a webhook that answers fast is posted at once",
    {
      in: "PostQueue.add",
      find: "$posts.running >= $perWebhook",
      put: "false"
    }
  ),
  bugsIn("domain", "UnknownFields")(
    "two-unknown-fields",
    "of the fields that are not taken two are reported",
    {
      in: "unknownFieldsOf",
      find: "$found.length === maxNames",
      put: "$found.length === 2"
    }
  ),
  bugsIn("store-memory", "Erasure")(
    "answers-to-batches-stay",
    "the logs of other events in a batch keep its answer when a person in it is erased",
    {
      in: "redactBatches",
      find: "$batches.size === 0",
      put: "true"
    }
  ),
  bugsIn("store-sqlite", "Erasure", "sqlite")(
    "sqlite-answers-to-batches-stay",
    "the logs of other events in a batch keep its answer when a person in it is erased",
    {
      in: "forgetBatchResponses",
      text: "UPDATE attempt SET response = NULL",
      put: "UPDATE attempt SET response = response"
    }
  ),
  bugsIn("http", "Leads")("signals-by-key-without-the-last", "a key is shown all signals but the newest", {
    in: "readSignals",
    find: "$signals.map($signalView)",
    put: "$signals.slice(0, -1).map($signalView)"
  })
]
