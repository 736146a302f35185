/** Bugs in the SQLite store. */
import { type Bug, bugsIn } from "./Bug.ts"

const inStore = (module: string) => bugsIn("store-sqlite", module, "sqlite")
const leadStore = inStore("SqliteLeadStore")
const leadRows = inStore("LeadRows")
const erasure = inStore("Erasure")

/** In the package `store-sqlite`: their runs are over that store. */
export const inSqliteStore: ReadonlyArray<Bug> = [
  leadRows("search-index-left-behind", "the search index keeps a lead's first name and headline", {
    in: "updateLead",
    find: "$before.profile.name !== $after.profile.name || $before.profile.headline !== $after.profile.headline",
    put: "$before.profile.name === $after.name"
  }),
  inStore("ProposedLeads")("signal-caught-once", "a signal that catches a known lead is not noted", {
    in: "commitOne",
    find: "$before === null || !$before.signalIds.includes($signalId)",
    put: "$before === null"
  }),
  leadStore(
    "commit-in-pieces",
    "each observation of a batch is a transaction of its own, and so are its deliveries",
    {
      in: "makeLeadStore.commit",
      find: "$database.write(($sql, $now) => { const $committed = $commit($sql, $brandId, $proposals, $ids, $now, $changes)\n $$rest })",
      put: "Effect.map(Effect.forEach($proposals, (each) => Effect.zipLeft($database.write(($sql, $now) => $commit($sql, $brandId, [each], $ids, $now, $changes)), Effect.sleep(200))), (all) => ({ committed: all.flatMap(({ committed }) => committed), queued: all.length }))"
    }
  ),
  leadStore("sqlite-lost-update", "a lead is read in one transaction and written in another", {
    in: "makeLeadStore.update",
    given: ["const $after = $change($before, $now)"],
    find: `$database.write(($sql, $now) => {
      const $before = $leadById($sql, $brandId, $id)
      if ($before === null) return Option.none()
      const { changes: $changes } = $changed
      const $after = $change($before, $now)
      $updateLead($sql, $before, $after)
      $changes.push($changeOf($before, $after))
      $$rest
    })`,
    put: `Effect.gen(function* () {
      const $before = yield* $database.read(($sql) => $leadById($sql, $brandId, $id))
      if ($before === null) return Option.none()
      yield* Effect.sleep(100)
      const $after = yield* Effect.clockWith((clock) => Effect.map(clock.currentTimeMillis, ($now) => $change($before, $now)))
      yield* $database.write(($sql) => {
        const { changes: $changes } = $changed
        $updateLead($sql, $before, $after)
        $changes.push($changeOf($before, $after))
      })
      return Option.some($after)
    })`
  }),
  inStore("Selection")("between-exclusive", "the end of a window is left out of the page, and counted", {
    in: "conditions",
    find: "{ text: `${$column} BETWEEN ? AND ?`, params: [$range.from, $range.to] }",
    put: "{ text: `${$column} BETWEEN ? AND ?`, params: [$range.from, $range.to - 1] }"
  }),
  inStore("FilterCounts")("counted-a-day-short", "the last part of a day is left out of the total", {
    in: "countOfRange",
    find: "$parts.push($ends($last * $millisPerDay, $to))",
    put: "$parts.push($ends($last * $millisPerDay, $to - 1))"
  }),
  leadRows("sqlite-nulls-first", "leads without a score come first", {
    in: "ifChanged",
    find: "$score1 ?? Number.POSITIVE_INFINITY",
    put: "$score1 ?? Number.NEGATIVE_INFINITY"
  }),
  inStore("Totals")(
    "sqlite-total-of-before",
    "a total that was counted before does not lose the leads that match no more",
    { in: "advance", drop: "if ($before !== null && $matches($total, $before)) $n--" }
  ),
  inStore("LeadListing")("sqlite-ties-turned", "of one name the newest lead comes first", {
    in: "by",
    find: '`${$key}${$isReversed ? " DESC" : ""}, ${$id}`',
    put: '`${$key}${$isReversed ? " DESC" : ""}, ${$id} DESC`'
  }),
  inStore("DeliveryBodies")("sqlite-body-forgotten", "the body is not kept", {
    in: "keepBodies",
    drop: 'if ($isMade) $sql.run("INSERT INTO delivery_body (seq, body) VALUES (?, ?)", $values)'
  }),
  inStore("SqliteOutbox")("lease-on-the-wrong-clock", "a lease has run out before it began", {
    in: "lease",
    find: "const $until = $now + $request.leaseMillis",
    put: "const $until = $now"
  }),
  erasure("sqlite-erased-author-sent", "a body that names an erased author is sent again", {
    in: "erase",
    drop: "$forgetAuthor($sql, $brand, $author, $nextId)"
  }),
  erasure("sqlite-suppression-forgotten", "the suppression of an erased person is not kept", {
    in: "erase",
    drop: '$sql.run("INSERT OR IGNORE INTO suppression (brand_id, hash, erased_at) VALUES (?, ?, ?)", $values)'
  }),
  inStore("0001_leads")("counter-off-after-erasure", "an erased lead stays counted", {
    in: "leads",
    text: "UPDATE lead_count SET n = n - 1 WHERE brand_id = OLD.brand_id AND signal_id = 0 AND flags = OLD.flags;",
    put: ""
  }),
  inStore("SqliteKeyStore")("sqlite-revoked-by-anyone", "a revoked key is found as if it were not", {
    in: "keyByHash",
    find: "`SELECT ${$columns} FROM api_key WHERE hash = ?`",
    put: '`SELECT ${$columns.replace("revoked_at", "NULL AS revoked_at")} FROM api_key WHERE hash = ?`'
  }),
  inStore("SqliteKeyStore")(
    "sqlite-key-revoked-by-another-brand",
    "a key is revoked under any brand's path",
    {
      in: "make.revoke",
      text: "WHERE id = ? AND brand_id = ? RETURNING id",
      put: "WHERE id = ? AND ? > 0 RETURNING id"
    }
  ),
  inStore("SqliteWebhookStore")("sqlite-webhook-of-anyone", "a webhook is found whosever it is", {
    in: "webhookById",
    text: "WHERE id = ? AND brand_id = ?",
    put: "WHERE id = ? AND ? > 0"
  }),
  inStore("SqliteWebhookStore")(
    "sqlite-all-made-due",
    "enabling a webhook makes the deliveries of every webhook due",
    {
      in: "resetPending",
      text: "WHERE webhook_id = ? AND state = 'pending' AND (failures > 0",
      put: "WHERE ? > 0 AND state = 'pending' AND (failures > 0"
    }
  ),
  inStore("SqliteCampaignStore")(
    "sqlite-readings-of-later",
    "the figures of a day count readings of later days",
    {
      in: "make.snapshot",
      text: "WHERE campaign_id = ? AND day <= ? GROUP BY post_id",
      put: "WHERE campaign_id = ? AND ? > '' GROUP BY post_id"
    }
  ),
  inStore("SqliteBrandStore")("sqlite-deleted-brand-listed", "a deleted brand is still listed", {
    in: "make",
    text: "FROM brand WHERE deleted_at IS NULL ORDER BY id",
    put: "FROM brand ORDER BY id"
  })
]
