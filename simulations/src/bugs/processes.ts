/** Bugs for scenarios with several processes, a networked store or losses of power; one process rarely shows them. */
import { type Bug, bugsIn } from "./Bug.ts"

const beside = "several-processes"
const outbox = bugsIn("store-memory", "MemoryOutbox", "memory", beside)
const limits = bugsIn("store-sqlite", "SqliteRateWindows", "sqlite", beside)
const database = bugsIn("store-sqlite", "FileDatabase", "sqlite", "torn-writes")

/** In what processes share; each names the scenario that shows it. */
export const inSeveralProcesses: ReadonlyArray<Bug> = [
  outbox(
    "leased-in-two-steps",
    "what is due is read, and leased a little later whatever its state is then",
    {
      in: "lease",
      find: "$deliveries.put({ ...$row, body: $made, lease: $token, dueAt: $until })",
      put: "later.push(() => { $deliveries.put({ ...$row, body: $made, lease: $token, dueAt: $until }) })"
    },
    {
      in: "make",
      find: "lease: ($request) => $leased",
      put: "lease: ($request) => Effect.flatMap($leased, (leased) => { const due = later.splice(0)\n return Effect.as(Effect.zipRight(Effect.sleep(5), Effect.sync(() => { for (const each of due) each() })), leased) })"
    },
    { in: "lease", insert: "const later: Array<() => void> = []" }
  ),
  outbox("lease-of-others-ignored", "a process takes what another one has leased", {
    in: "lease",
    given: [
      "const { body: $body, leaseMillis: $leaseMillis, limits: $limits, token: $token, underWay: $underWay } = $request",
      "const { deliveries: $deliveries, webhooks: $webhooks } = $memory"
    ],
    find: "$webhook.enabled ? $dueOf($memory, $id, $now, $limit).map($dueDelivery) : []",
    put: '$webhook.enabled ? [...$dueOf($memory, $id, $now, $limit), ...[...$deliveries.pendingOf($id).from(0)].filter(({ dueAt: at, lease: held }) => at > $now && held !== null && held.split("-")[0] !== $token.split("-")[0])].map($dueDelivery) : []'
  }),
  limits(
    "rate-window-remembered",
    "a process reads a key's window from the file once, and then goes by what it spent itself",
    {
      in: "make",
      given: ["$reserve.put($keyId, $spent.reserved)"],
      find: "$later($windowOfFile($sql, $keyId), $alone.get($keyId))",
      put: "$reserve.get($keyId) !== null ? $reserve.withoutReserve($keyId, $reserve.get($keyId)) : $later($windowOfFile($sql, $keyId), $alone.get($keyId))"
    }
  ),
  limits("small-limits-taken-ahead", "a process takes a third of a limit ahead, however small that is", {
    in: "takenAheadOf",
    find: "Math.floor($limit / 200)",
    put: "Math.ceil($limit / 3)"
  }),
  bugsIn("store-sqlite", "SqliteKeyStore", "sqlite", beside)(
    "revocation-seen-by-one-process",
    "a process remembers keys until it revokes one itself",
    {
      in: "make",
      find: "findByHash: ($hash) => $found",
      put: "findByHash: ($hash) => remembered.has($hash) ? Effect.succeed(remembered.get($hash)) : Effect.tap($found, (key) => Effect.sync(() => { remembered.set($hash, key) }))"
    },
    {
      in: "make",
      find: "revoke: ($brandId, $keyId, $now) => $revoked",
      put: "revoke: ($brandId, $keyId, $now) => Effect.tap($revoked, () => Effect.sync(() => { remembered.clear() }))"
    },
    {
      in: "make",
      before: 'const $lastUses = yield* LastUses.make($database, "api_key")',
      insert: "const remembered = new Map<string, unknown>()"
    }
  ),
  bugsIn("store-sqlite", "SqliteLeadStore", "sqlite", beside)(
    "detail-remembered-by-process",
    "a lead's detail stays cached until this process writes: what others write goes unseen",
    {
      in: "makeLeadStore.getRendered",
      find: "$renderedDetails.get($key)",
      put: "remembered.get($key)"
    },
    {
      in: "makeLeadStore.getRendered",
      find: "$renderedDetails.set($key, $rendered)",
      put: "remembered.set($key, $rendered)"
    },
    {
      in: "makeLeadStore.commit",
      find: "$commit($sql, $brandId, $proposals, $ids, $now, $changed.of($sql).changes)",
      put: "(remembered.clear(), $commit($sql, $brandId, $proposals, $ids, $now, $changed.of($sql).changes))"
    },
    {
      in: "makeLeadStore.update",
      given: ["const $after = $change($before, $now)"],
      find: "$updateLead($sql, $before, $after)",
      put: "remembered.clear()\n$updateLead($sql, $before, $after)"
    },
    { in: "makeLeadStore", find: "$caches.clear()", put: "remembered.clear()\n$caches.clear()" },
    {
      in: "makeLeadStore",
      before: "const $changed = new LeadChanges()",
      insert: "const remembered = new Map<string, string>()"
    }
  ),
  bugsIn("store-sqlite", "LeadChanges", "sqlite", beside)(
    "totals-without-others",
    "a total is advanced over what this process has changed, as if nobody else had changed anything",
    { in: "LeadChanges.between", drop: "if (this.steps.at(-1)?.to !== $to) return null" },
    {
      in: "LeadChanges.between",
      find: "this.steps.findIndex(($step) => $step.from === $from)",
      put: "this.steps.findIndex(($step) => $step.from >= $from)"
    },
    {
      in: "LeadChanges.append",
      drop: "if (this.steps.length > 0 && this.steps.at(-1)!.to !== $step.from) this.drop()"
    }
  ),
  bugsIn(
    "store-sqlite",
    "LeadCaches",
    "sqlite",
    beside
  )("version-not-checked", "pages stay cached whatever the version of the file is", {
    in: "LeadCaches.at",
    drop: "this.renderedPages.at($version)"
  }),
  bugsIn("store-memory", "LeadCommits", "memory", beside)(
    "lead-ids-counted-by-process",
    "a process takes the first id of a lead from the store, and counts on from there",
    {
      in: "LeadCommits.apply",
      find: '$existing ?? $memory.next("lead")',
      put: '$existing ?? countedIn(this, $memory.next("lead"))'
    },
    {
      in: "LeadCommits",
      insert: `const counted = new Map<object, number>()
        const countedIn = (process: object, next: number): number => {
          const last = counted.get(process)
          const id = last === undefined ? next : Math.min(next, last + 1)
          counted.set(process, id)
          return id
        }`
    }
  ),
  bugsIn(
    "client",
    "Sync",
    "memory",
    "networked-store"
  )("sync-without-replay", "a sync begins at the latest update that was seen, and not two minutes before", {
    in: "changesByTime",
    text: "2 minutes",
    put: "0 millis"
  }),
  database("commits-not-synced", "SQLite leaves it to the operating system when a commit is on the disk", {
    in: "make",
    find: '$options.synced ? "FULL" : "OFF"',
    put: '"OFF"'
  }),
  database("commits-synced-at-checkpoints", "a commit is on the disk when the log is checkpointed", {
    in: "make",
    find: '$options.synced ? "FULL" : "OFF"',
    put: '"NORMAL"'
  }),
  bugsIn(
    "store-sqlite",
    "FileConnection",
    "sqlite",
    "torn-writes"
  )("journal-in-memory", "what a transaction overwrites is kept in memory alone", {
    in: "connect",
    text: "journal_mode = WAL",
    put: "journal_mode = MEMORY"
  }),
  bugsIn(
    "store-sqlite",
    "SqliteRateWindows",
    "sqlite",
    "torn-writes"
  )("damaged-limits-kept", "a damaged file of rate windows is not set aside", {
    in: "open",
    find: "Effect.catchIf($connected, $isDamaged, $setAside)",
    put: "$connected"
  })
]
