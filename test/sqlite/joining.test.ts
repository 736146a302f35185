/** How the store joins the segments of its indexes of texts: as the library would, and what is large elsewhere. */
import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import fc from "fast-check"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { Connection } from "../../packages/store-sqlite/src/Connection.ts"
import { FileThread } from "../../packages/store-sqlite/src/FileThread.ts"
import {
  indexes,
  joinLargeIn,
  joinSome,
  type Level,
  levelsOf,
  nextOf,
  pagesOf,
  recordSql,
  type Segment
} from "../../packages/store-sqlite/src/Joining.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"

const folder = temporaryFolder()

/** A file with empty indexes that leave the joining to the store. */
const fileOf = (name: string): string => {
  const filename = join(folder, `${name}.sqlite`)
  const db = new BetterSqlite3(filename)
  db.pragma("journal_mode = WAL")
  for (const index of indexes) {
    db.exec(`CREATE VIRTUAL TABLE ${index} USING fts5(words, content='', detail=none);
      INSERT INTO ${index} (${index}, rank) VALUES ('automerge', 0);
      INSERT INTO ${index} (${index}, rank) VALUES ('pgsz', 64)`)
  }
  db.close()
  return filename
}

const levels = (sql: Connection, index: string): ReadonlyArray<Level> =>
  levelsOf(sql.get<{ block: Uint8Array }>(recordSql(index))!.block)

const segmentsOf = (all: ReadonlyArray<Level>): ReadonlyArray<Segment> =>
  all.flatMap(({ segments }) => segments)

const wordsOf = (n: number): string =>
  ["every", n % 2 === 0 ? "even" : "odd", `n${n}`, `by${n % 7}`].join(" ")

/** Its number is the only one that holds its own word. */
const insert = (sql: Connection, index: string, n: number): void =>
  sql.run(`INSERT INTO ${index} (rowid, words) VALUES (?, ?)`, [n, wordsOf(n)])

const holds = (sql: Connection, index: string, count: number): void => {
  sql.run(`INSERT INTO ${index} (${index}) VALUES ('integrity-check')`)
  const found = (word: string) =>
    sql.get<{ n: number }>(`SELECT count(*) AS n FROM ${index} WHERE ${index} MATCH ?`, [word])!.n
  expect([found("every"), found("odd"), found(`n${count}`)]).toEqual([count, Math.ceil(count / 2), 1])
}

describe("segments of an index of texts", () => {
  it("are read as the library writes them, and joined next where it is foretold", () => {
    let files = 0
    fc.assert(
      fc.property(
        fc.array(fc.record({ rows: fc.integer({ min: 1, max: 30 }), joins: fc.boolean() }), {
          minLength: 5,
          maxLength: 60
        }),
        (commits) => {
          const sql = new Connection(fileOf(`foretold-${files++}`), { readonly: false, busyMillis: 0 })
          let n = 0
          for (const { joins, rows } of commits) {
            sql.transaction(() => {
              for (let i = 0; i < rows; i++) insert(sql, "lead_text", ++n)
            })
            const before = levels(sql, "lead_text")
            const segments = sql.get<{ n: number }>(
              "SELECT count(DISTINCT id >> 37) AS n FROM lead_text_data WHERE id > 10"
            )!
            expect(segmentsOf(before)).toHaveLength(segments.n)
            const leaves = sql.get<{ n: number }>(
              "SELECT count(*) AS n FROM lead_text_data WHERE id > 10 AND id >> 36 & 1 = 0"
            )!
            expect(segmentsOf(before).reduce((sum, { first, last }) => sum + last - first + 1, 0)).toBe(
              leaves.n
            )
            if (!joins) continue
            sql.run("INSERT INTO lead_text (lead_text, rank) VALUES ('merge', 1)")
            const after = levels(sql, "lead_text")
            const begins = new Map(segmentsOf(after).map(({ first, id }) => [id, first]))
            const read = segmentsOf(before).filter(({ first, id }) => begins.get(id) !== first)
            const next = nextOf(before)?.segments ?? []
            expect(next).toEqual(expect.arrayContaining(read))
            expect(JSON.stringify(after) === JSON.stringify(before)).toBe(next.length === 0)
          }
          holds(sql, "lead_text", n)
          sql.close()
        }
      ),
      { numRuns: 25 }
    )
  })

  it("are joined in a commit where they are small, and in the thread where they are large", async () => {
    const filename = fileOf("large")
    const [sql, thread] = [
      new Connection(filename, { readonly: false, busyMillis: 5000 }),
      new FileThread(filename, { readonly: false, busyMillis: 5000, pragmas: [] })
    ]
    const asked: Array<string> = []
    const watched = {
      run: (text: string) => {
        if (text.startsWith("INSERT")) asked.push(text)
        return thread.run(text)
      }
    }
    const greatestPages = 12
    let n = 0
    await Effect.runPromise(
      Effect.gen(function* () {
        yield* joinLargeIn(sql, watched, { greatestPages, pagesAtOnce: 8, restMillis: 1 })
        for (let commit = 0; commit < 400; commit++) {
          sql.transaction(() => {
            const before = indexes.map((index) => levels(sql, index))
            joinSome(sql, 5)
            for (const [i, index] of indexes.entries()) {
              // Of what is large a commit takes nothing; other levels' segments may have come to it, or have left it.
              const after = new Map(segmentsOf(levels(sql, index)).map(({ first, id }) => [id, first]))
              const large = before[i]!.filter(
                ({ joining, segments }) =>
                  joining === 0 && segments.length > 3 && pagesOf(segments) > greatestPages
              )
              for (const { first, id } of segmentsOf(large)) expect(after.get(id)).toBe(first)
            }
            for (let i = 0; i < 5; i++) {
              n++
              for (const index of indexes) insert(sql, index, n)
            }
          })
          yield* Effect.sleep(1)
        }
        expect(asked.length).toBeGreaterThan(0)
        // It comes to its end, with few commits more.
        const isLarge = () =>
          indexes.some((index) => (nextOf(levels(sql, index))?.pages ?? 0) > greatestPages)
        for (let more = 0; isLarge(); more++) {
          expect(more).toBeLessThan(500)
          sql.transaction(() => joinSome(sql, 16))
          yield* Effect.sleep(5)
        }
      }).pipe(Effect.scoped)
    )
    for (const index of indexes) {
      expect(segmentsOf(levels(sql, index)).length).toBeLessThan(40)
      holds(sql, index, n)
    }
    await thread.close()
    sql.close()
  })
})
