/** Bugs in the SQLite store. */
import { type Bug, bugsIn } from "./Bug.ts"

const store = "packages/store-sqlite/src"
const leadStore = bugsIn(`${store}/SqliteLeadStore.ts`, "sqlite")
const selecting = bugsIn(`${store}/Selection.ts`, "sqlite")
const counting = bugsIn(`${store}/FilterCounts.ts`, "sqlite")
const listing = bugsIn(`${store}/LeadListing.ts`, "sqlite")
const outbox = bugsIn(`${store}/SqliteOutbox.ts`, "sqlite")
const totals = bugsIn(`${store}/Totals.ts`, "sqlite")
const erasure = bugsIn(`${store}/Erasure.ts`, "sqlite")

export const inSqliteStore: ReadonlyArray<Bug> = [
  leadStore(
    "search-index-left-behind",
    "the search index keeps a lead's first name and headline",
    "if (before.profile.name !== after.profile.name || before.profile.headline !== after.profile.headline) {",
    "if (before.profile.name === after.name) {"
  ),
  leadStore(
    "signal-caught-once",
    "a signal that catches a known lead is not noted",
    "if (before === null || !before.signalIds.includes(signalId)) {",
    "if (before === null) {"
  ),
  leadStore(
    "commit-in-pieces",
    "each observation of a batch is a transaction of its own, and so are its deliveries",
    `database.write((sql, now) => {
              const committed = commit(sql, brandId, proposals, ids, now, changed.of(sql).changes)
              keepShort(sql)
              return committed
            }),`,
    "Effect.map(Effect.forEach(proposals, (each) => Effect.zipLeft(database.write((sql, now) => commit(sql, brandId, [each], ids, now, changed.of(sql).changes)), Effect.sleep(200))), (all) => ({ committed: all.flatMap(({ committed }) => committed), queued: all.length })),"
  ),
  leadStore(
    "sqlite-lost-update",
    "a lead is read in one transaction and written in another",
    `database.write((sql, now) => {
          const before = leadById(sql, brandId, id)
          if (before === null) return Option.none()
          const { changes } = changed.of(sql)
          const after = change(before, now)
          updateLead(sql, before, after)
          changes.push(changeOf(before, after))
          keepShort(sql)
          return Option.some(after)
        }),`,
    `Effect.gen(function* () {
        const before = yield* database.read((sql) => leadById(sql, brandId, id))
        if (before === null) return Option.none()
        yield* Effect.sleep(100)
        const after = yield* Effect.clockWith((clock) => Effect.map(clock.currentTimeMillis, (now) => change(before, now)))
        yield* database.write((sql) => {
          const { changes } = changed.of(sql)
          updateLead(sql, before, after)
          changes.push(changeOf(before, after))
        })
        return Option.some(after)
      }),`
  ),
  selecting(
    "between-exclusive",
    "the end of a window is left out of the page, and counted",
    "text: `${column} BETWEEN ? AND ?`, params: [range.from, range.to]",
    "text: `${column} BETWEEN ? AND ?`, params: [range.from, range.to - 1]"
  ),
  counting(
    "counted-a-day-short",
    "the last part of a day is left out of the total",
    "parts.push(ends(last * millisPerDay, to))",
    "parts.push(ends(last * millisPerDay, to - 1))"
  ),
  leadStore(
    "sqlite-nulls-first",
    "leads without a score come first",
    "lead.score1 ?? Number.POSITIVE_INFINITY",
    "lead.score1 ?? Number.NEGATIVE_INFINITY"
  ),
  totals(
    "sqlite-total-of-before",
    "a total that was counted before does not lose the leads that match no more",
    "if (before !== null && known.counts(before)) known.n--",
    ""
  ),
  listing(
    "sqlite-ties-turned",
    "of one name the newest lead comes first",
    '`${key}${isReversed ? " DESC" : ""}, ${id}`',
    '`${key}${isReversed ? " DESC" : ""}, ${id} DESC`'
  ),
  outbox(
    "sqlite-body-forgotten",
    "the body is not kept",
    'sql.run("INSERT INTO delivery_body (seq, body) VALUES (?, ?)", [seq, body])',
    ""
  ),
  outbox(
    "lease-on-the-wrong-clock",
    "a lease has run out before it began",
    "const until = now + request.leaseMillis",
    "const until = now"
  ),
  erasure(
    "sqlite-erased-author-sent",
    "a body that names an erased author is sent again",
    "yield* forgetAuthor(brand, known.extId, ids)",
    ""
  ),
  erasure(
    "sqlite-suppression-forgotten",
    "the suppression of an erased person is not kept",
    'yield* tell("INSERT OR IGNORE INTO suppression (brand_id, hash) VALUES (?, ?)", [brand, personHash])',
    ""
  ),
  bugsIn(`${store}/migrations/0001_leads.ts`, "sqlite")(
    "counter-off-after-erasure",
    "an erased lead stays counted",
    "UPDATE lead_count SET n = n - 1 WHERE brand_id = OLD.brand_id AND signal_id = 0 AND flags = OLD.flags;",
    ""
  ),
  bugsIn(`${store}/SqliteDirectory.ts`, "sqlite")(
    "sqlite-revoked-by-anyone",
    "a revoked key is found as if it were not",
    "`SELECT ${keyColumns} FROM api_key WHERE hash = ?`",
    '`SELECT ${keyColumns.replace("revoked_at", "NULL AS revoked_at")} FROM api_key WHERE hash = ?`'
  )
]
