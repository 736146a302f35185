/** What SQLite does to read the feed of changes: nothing is read from end to end, and nothing is sorted. */
import { type ChangePage, type ChangePosition, LeadStore } from "@lead-signals/domain"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { ChangeReads } from "@lead-signals/store-sqlite/internal"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { makeFile } from "../harness/MadeFile.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isThorough } from "../harness/Thoroughness.ts"

const db = new Database(":memory:")
db.exec(
  readFileSync(
    fileURLToPath(new URL("../../packages/store-sqlite/src/schema/schema.sql", import.meta.url)),
    "utf8"
  )
)
afterAll(() => void db.close())

const leads = isThorough ? 100_000 : 20_000

/** Each lead with two events, far from each other, and a fiftieth of them altered by an operator since. */
const fill = (): void =>
  void db.exec(`
    INSERT INTO brand (id, name, suppression_secret, created_at) VALUES (1, 'A', '', 0), (2, 'B', '', 0);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${2 * leads})
      INSERT INTO event (event, brand_id, lead_id, engagement_id, is_first_activity, occurred_at)
      SELECT 'activity.detected', 1 + (i % 100 = 0), 1 + (i - 1) % ${leads}, 'e' || i, i <= ${leads}, i FROM n;
    INSERT INTO changed_lead (lead_id, brand_id, position)
      SELECT lead_id, brand_id, position + ${leads} FROM event WHERE position > ${leads} AND position % 50 = 7;
    ANALYZE`)

const planOf = (text: string, params: number): ReadonlyArray<string> =>
  db
    .prepare(`EXPLAIN QUERY PLAN ${text}`)
    .all(...Array.from({ length: params }, () => 1))
    .map((row) => (row as { readonly detail: string }).detail)

describe.each([
  ["of an empty file", () => {}],
  [`of ${leads.toLocaleString("en-US")} leads, with statistics`, fill]
])("a read of the feed of changes %s", (_, prepare) => {
  beforeAll(prepare)

  it("walks events by their positions, with a lookup of each lead's newest [CHG-1]", () => {
    expect(planOf(ChangeReads.eventsSql, 4)).toEqual([
      "SEARCH e USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
      "CORRELATED SCALAR SUBQUERY 1",
      "SEARCH n USING COVERING INDEX event_by_lead (lead_id=?)",
      "CORRELATED SCALAR SUBQUERY 2",
      "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)"
    ])
  })

  it("walks the changes that no event tells by their positions [CHG-1, CHG-3]", () => {
    const plan = planOf(ChangeReads.changedSql, 4)
    expect(plan[0]).toBe(
      "SEARCH c USING INDEX changed_lead_by_position (brand_id=? AND position>? AND position<?)"
    )
    expect(plan.join()).toContain("SEARCH n USING COVERING INDEX event_by_lead (lead_id=? AND rowid>?)")
    expect(plan.join()).not.toContain("B-TREE")
  })

  it("looks at a bounded number of events [CHG-1]", () => {
    const plan = planOf(ChangeReads.scannedSql, 1)
    expect(plan.join()).toContain("SEARCH event USING INTEGER PRIMARY KEY (rowid>?)")
    expect(ChangeReads.scannedSql).toContain("LIMIT 2000")
  })
})

it("passes over the events of another brand two thousand a look, and misses nothing [CHG-1]", async () => {
  const filename = join(temporaryFolder(), "two-brands.sqlite")
  await makeFile(filename, 2200)
  const looks = await Effect.runPromise(
    Effect.gen(function* () {
      const store = yield* LeadStore
      const found: Array<readonly [changes: number, hasMore: boolean]> = []
      let after: ChangePosition | null = null
      for (;;) {
        const page: ChangePage = yield* store.changesAfter("2", after, { limit: 2150, engagements: "none" })
        if (page.isExpired) return found
        found.push([page.changes.length, page.hasMore])
        after = page.next
        if (!page.hasMore) return found
      }
    }).pipe(Effect.provide(SqliteStore.layer({ filename, synced: false })))
  )
  expect(looks).toEqual([
    [0, true],
    [900, true],
    [200, false]
  ])
})

it("takes no position of a feed with another epoch, such as one from before a restore [CHG-5]", async () => {
  const filename = join(temporaryFolder(), "epochs.sqlite")
  await makeFile(filename, 10)
  const expired = await Effect.runPromise(
    Effect.gen(function* () {
      const store = yield* LeadStore
      const read = (after: ChangePosition | null) =>
        store.changesAfter("1", after, { limit: 100, engagements: "none" })
      const page = yield* read(null)
      if (page.isExpired) return null
      return [
        (yield* read(page.next)).isExpired,
        (yield* read({ ...page.next, epoch: `${page.next.epoch}x` })).isExpired
      ]
    }).pipe(Effect.provide(SqliteStore.layer({ filename, synced: false })))
  )
  expect(expired).toEqual([false, true])
})
