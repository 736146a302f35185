/** What SQLite does to read the feed of changes: nothing is read from end to end, and nothing is sorted. */
import { ChangeReads } from "@lead-signals/store-sqlite/internal"
import Database from "better-sqlite3"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"

const db = new Database(":memory:")
db.exec(
  readFileSync(
    fileURLToPath(new URL("../../packages/store-sqlite/src/schema/schema.sql", import.meta.url)),
    "utf8"
  )
)
afterAll(() => void db.close())

const planOf = (text: string, params: number): ReadonlyArray<string> =>
  db
    .prepare(`EXPLAIN QUERY PLAN ${text}`)
    .all(...Array.from({ length: params }, () => 1))
    .map((row) => (row as { readonly detail: string }).detail)

describe("a read of the feed of changes", () => {
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
