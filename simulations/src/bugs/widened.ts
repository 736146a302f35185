/** Mutants that the simulator let live, as bugs: what it sends, remembers and bounds now shows them. */
import { type Bug, bugsIn } from "./Bug.ts"

const listing = bugsIn("store-sqlite", "LeadLists", "sqlite", "reads")
const caches = bugsIn("store-sqlite", "LeadCaches", "sqlite", "reads")
const ranks = bugsIn("store-sqlite", "RankIndex", "sqlite", "reads")
const memory = bugsIn("store-sqlite", "SearchMemory", "sqlite", "reads")
const columns = bugsIn("store-sqlite", "LeadColumns", "sqlite", "reads")
const series = bugsIn("domain", "SeriesQueries")
const received = bugsIn("webhook", "ReceivedText", "memory", "flaky-consumers")

/** Surviving mutants of earlier campaigns, kept as bugs so that they stay found. */
export const inWidenedInputs: ReadonlyArray<Bug> = [
  listing("page-of-another-order", "a page that is remembered answers a list in another order", {
    in: "queryKey",
    find: "[$brandId, $engagements, $sort, $page, $filter]",
    put: "[$brandId, $engagements, $page, $filter]"
  }),
  caches("buckets-of-before", "counts of the rank index that were read before a write are used after it", {
    in: "LeadCaches.at",
    drop: "this.buckets.at($version)"
  }),
  ranks(
    "bucket-without-its-first",
    "a page that begins with a bucket of the rank index lacks its first lead",
    {
      in: "leadsFrom",
      text: "l.id >= ?",
      put: "l.id > ?"
    }
  ),
  memory("created-before-excluded", "a search in memory leaves out leads of the instant that bounds it", {
    in: "SearchMemory.find",
    find: "$hasRange && ($a || $created[$slot]! > $createdBefore || $c || $d)",
    put: "$hasRange && ($a || $created[$slot]! >= $createdBefore || $c || $d)"
  }),
  columns("flags-of-before-in-memory", "a search in memory filters by the flags that a lead had at first", {
    in: "LeadColumns.set",
    find: "this.flags[$slot] = $lead.flags",
    put: "this.flags[$slot] ||= $lead.flags"
  }),
  bugsIn(
    "store-sqlite",
    "SearchIndex",
    "sqlite",
    "reads"
  )("repeats-found-by-a-part", "a search of a repeated character also finds fewer of it", {
    in: "matchOf",
    find: "$codes.slice($from, $to + 2)",
    put: "$codes.slice($from, $to + 3)"
  }),
  bugsIn(
    "store-sqlite",
    "Pruning",
    "sqlite",
    "retention"
  )("dry-run-of-other-limits", "a dry run counts dead letters by the retention of deliveries", {
    in: "countDue",
    find: "$limits.deadLetters ?? $never",
    put: "$limits.deliveries ?? $never"
  }),
  bugsIn(
    "store-memory",
    "MemoryPruning",
    "memory",
    "retention"
  )("dry-run-before-the-deliveries", "a dry run does not count events whose deliveries are due, too", {
    in: "make",
    find: 'isDueDelivery("delivered", $limits.deliveries)($record)',
    put: "false"
  }),
  series("span-turned-round", "a series from a day after its last one is answered", {
    in: "readSpan",
    drop: 'if ($from > $end) { return yield* Either.left(Parameters.invalid("startDate", "takes a date that is not after endDate")) }'
  }),
  received("octets-kept", "what a receiver repeats in the escapes of a URL stays in the log", {
    in: "unescapeOnce",
    find: "decodeOctets($found, $isCut && $at + $found.length === $all.length)",
    put: "$found"
  })
]
