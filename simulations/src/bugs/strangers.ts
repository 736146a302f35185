/** Bugs that somebody planted who had not seen the simulator, and that it missed until it sent and looked at more. */
import { type Bug, bugsIn } from "./Bug.ts"

/** Those that are of no other section. */
export const plantedByStrangers: ReadonlyArray<Bug> = [
  bugsIn(
    "store-memory",
    "SortedList",
    "memory",
    "reads"
  )("page-over-two-parts", "a page that lies across two parts of a long list lacks leads", {
    in: "SortedList.from",
    drop: "$rest = 0"
  }),
  bugsIn("store-sqlite", "SqliteIdempotencyRecords", "sqlite")(
    "applied-key-released",
    "the record of a call that has changed something is released when its answer fails",
    {
      in: "make",
      text: "AND holder = ? AND state = 'reserved'",
      put: "AND holder = ? AND state <> 'answered'"
    }
  ),
  bugsIn("http", "Target")("one-plus-is-a-space", "only the first + of a parameter is a space", {
    in: "decode",
    find: '$text.replaceAll("+", " ")',
    put: '$text.replace("+", " ")'
  }),
  bugsIn("http", "Admission")(
    "refused-and-counted",
    "a refused request with observations counts as open for ever",
    {
      in: "Admission.layer",
      find: "if ($open.count === maxOpenRequests) return null",
      put: "if (++$open.count > maxOpenRequests) return null"
    },
    {
      in: "Admission.layer",
      drop: "$open.count++"
    }
  ),
  bugsIn("http", "Admission")(
    "queue-keeps-who-left",
    "a request that leaves the queue of observations is admitted later, and keeps its slots",
    {
      in: "SlotQueue.leave",
      find: "if ($waiter.isAdmitted) this.free += $waiter.size; else { $$rest }",
      put: "if ($waiter.isAdmitted) this.free += $waiter.size"
    }
  ),
  bugsIn("http", "BodyPace")(
    "bytes-for-the-next-line",
    "the bytes of a line count for the time of the next",
    {
      in: "Pace.restart",
      drop: "this.receivedBytes = 0"
    }
  ),
  bugsIn("http", "EventStreams")("stream-counted-twice", "an open stream counts twice", {
    in: "make",
    find: "$open.size + $promised.size",
    put: "2 * $open.size + $promised.size"
  }),
  bugsIn("http", "Idempotency")(
    "fingerprint-without-query",
    "an Idempotency-Key is accepted again with another query",
    {
      in: "idempotently",
      find: "IdempotencyKey.fingerprint($key, $request.url, $bytes)",
      put: 'IdempotencyKey.fingerprint($key, $request.url.split("?", 1)[0], $bytes)'
    }
  ),
  bugsIn("http", "Warnings")("half-a-character", "a warning in a header has half of a surrogate pair", {
    in: "inAscii",
    find: "/[^\\x20-\\x7e]/g",
    put: "/[^\\x20-\\x7e]/gu"
  }),
  bugsIn(
    "store-memory",
    "LeadFeeds",
    "memory",
    "reads"
  )("events-behind-a-full-page", "a stream skips the events after a full page", {
    in: "eventsAfter",
    given: ["$memory.leadsOf($brand)"],
    find: "Math.max($after, $last)",
    put: "Math.max($after, $memory.events.newestPosition)"
  }),
  bugsIn("store-sqlite", "DeliveryBodies", "sqlite")(
    "engagement-of-another-brand",
    "a delivery's body shows another brand's engagement that has the same id",
    {
      in: "materials",
      find: "`${$read.engagement.leadId} ${$read.engagement.id}`",
      put: "$read.engagement.id"
    },
    {
      in: "materials",
      find: "$byId.get(`${$subject.leadId} ${$subject.engagementId}`)",
      put: "$byId.get($subject.engagementId)"
    }
  ),
  bugsIn("domain", "LeadChange")("removals-kept-for-hours", "removals are forgotten after 90 hours", {
    in: "removedLeadMillis",
    find: "removedLeadDays * millisPerDay",
    put: "removedLeadDays * 3_600_000"
  }),
  bugsIn("domain", "EventResumption")(
    "resumed-over-pruned-events",
    "a stream that resumes before pruned events reports no gap",
    {
      in: "resumeEvents",
      find: "$newest - $position > maxPositionsBehind || $position < $newestPruned",
      put: "$newest - $position > maxPositionsBehind"
    }
  ),
  bugsIn("store-memory", "MemoryDeliveries")(
    "recovered-by-creation",
    "a recovery looks at when dead letters were created, not at when they died",
    {
      in: "make",
      find: "$record.finishedAt! >= $since",
      put: "$record.createdAt >= $since"
    }
  ),
  bugsIn("sql-rows", "DeliveryRows", "sqlite")(
    "attempt-of-no-time",
    "a list of deliveries lacks the latest attempt where it took no millisecond",
    {
      in: "lastAttemptOf",
      find: "$at === null || $duration === null",
      put: "$at === null || !$duration"
    }
  ),
  bugsIn("domain", "Observations")("signals-in-order-of-text", "the signals of a lead are sorted as text", {
    in: "withSignal",
    find: "[...$signalIds, $signalId].sort($ascending)",
    put: "[...$signalIds, $signalId].sort()"
  }),
  bugsIn("http", "ChangeWaits")(
    "waits-of-a-key-forgotten",
    "all that wait with a key are forgotten when one of them ends",
    {
      in: "ChangeWaits.leave",
      find: "$waiting === 0",
      put: "$waiting >= 0"
    }
  ),
  bugsIn("http", "ClientAddress")(
    "entry-without-address",
    "an entry of X-Forwarded-For that is no address is left out",
    {
      in: "clientOf",
      find: "$client = parseAddress($entry.trim())",
      put: "$client = parseAddress($entry.trim()) ?? $client"
    }
  ),
  bugsIn("http", "ChangeWaits")(
    "wait-goes-on-without-its-key",
    "a request that has waited reads on without a look at its key",
    {
      in: "ChangeWaits.until",
      given: [
        "const { checkKey: $checkKey, isWorth: $isWorth, keyId: $keyId, look: $look, seconds: $seconds } = $request"
      ],
      drop: "yield* $checkKey"
    }
  ),
  bugsIn(
    "http",
    "Sessions",
    "memory",
    "sessions"
  )("sessions-of-all-keys", "the keys of a brand share a hundred sessions", {
    in: "credentialOf",
    find: "`key ${$access.keyHash}`",
    put: "`key ${$access.brandId}`"
  }),
  bugsIn("store-memory", "LeadFeeds")(
    "new-readers-expire",
    "a cursor expires by removals that were forgotten before its reader began",
    {
      in: "changesAfter",
      find: "Math.max($after.position, $after.since)",
      put: "$after.position"
    }
  )
]
