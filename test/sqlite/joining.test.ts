/** How the store joins the segments of its indexes of texts: as the library would, and what is large elsewhere. */
import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import fc from "fast-check"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { answer } from "../../packages/store-sqlite/src/Asking.ts"
import { Connection } from "../../packages/store-sqlite/src/Connection.ts"
import { FileThread } from "../../packages/store-sqlite/src/FileThread.ts"
import { forgetJoined, indexes, joinLargeIn, joinSome } from "../../packages/store-sqlite/src/Joining.ts"
import {
  askLevels,
  type Level,
  nextOf,
  pagesOf,
  type Segment
} from "../../packages/store-sqlite/src/Segments.ts"
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

const levels = (sql: Connection, index: string): ReadonlyArray<Level> => answer(sql, askLevels(index))!

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

/** More pages than these are large here. */
const greatestPages = 12

interface Opened {
  readonly sql: Connection
  readonly thread: FileThread
}

const open = (name: string): Opened => {
  const filename = fileOf(name)
  const options = { readonly: false, busyMillis: 5000 }
  return {
    sql: new Connection(filename, options),
    thread: new FileThread(filename, { ...options, pragmas: [] })
  }
}

const close = async ({ sql, thread }: Opened): Promise<void> => {
  await thread.close()
  sql.close()
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
            expect(pagesOf(segmentsOf(before))).toBe(leaves.n)
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
    const { sql, thread } = open("large")
    const asked: Array<string> = []
    const watched = {
      run: (text: string) => {
        if (text.startsWith("INSERT")) asked.push(text)
        return thread.run(text)
      }
    }
    let n = 0
    const insertEach = () => {
      n++
      for (const index of indexes) insert(sql, index, n)
    }
    /** What is large, with what it has become so far, and is left to the thread. */
    const largeOf = (all: ReadonlyArray<Level>) =>
      all.flatMap(({ joining, segments }, i) => {
        const read = joining > 0 ? segments.slice(0, joining) : segments
        const made = joining > 0 ? all[i + 1]!.segments.slice(-1) : []
        const isLeft = read.length >= 4 && read.length < 7
        return isLeft && pagesOf([...read, ...made]) > greatestPages ? read : []
      })
    const commit = (changed: number) =>
      sql.transaction(() => {
        const before = indexes.map((index) => levels(sql, index))
        joinSome(sql, changed)
        for (const [i, index] of indexes.entries()) {
          // Other levels' segments may have come to it, or have left it.
          const after = new Map(segmentsOf(levels(sql, index)).map(({ first, id }) => [id, first]))
          for (const { first, id } of largeOf(before[i]!)) expect(after.get(id)).toBe(first)
        }
        for (let i = 0; i < changed; i++) insertEach()
      })
    const isLarge = () => indexes.some((index) => largeOf(levels(sql, index)).length > 0)
    await Effect.runPromise(
      Effect.gen(function* () {
        yield* joinLargeIn(sql, watched, { greatestPages, pagesAtOnce: 2, restMillis: 1 })
        for (let commits = 0; commits < 400; commits++) {
          commit(5)
          yield* Effect.sleep(1)
        }
        // Once it has begun it goes on to the end by itself.
        while (asked.length === 0) {
          commit(5)
          yield* Effect.sleep(5)
        }
        for (let commits = 0; commits < 4; commits++) sql.transaction(insertEach)
        while (isLarge()) yield* Effect.sleep(5)
      }).pipe(Effect.scoped)
    )
    for (const index of indexes) holds(sql, index, n)
    await close({ sql, thread })
  })

  it("are joined in commits all the same when the thread does not", async () => {
    const { sql, thread } = open("alone")
    let tries = 0
    const failing = {
      run: () => {
        tries++
        return Promise.reject(new Error("it has ended"))
      }
    }
    let n = 0
    /** How many segments each index has of single commits. */
    const newest = () => indexes.map((index) => levels(sql, index)[0]?.segments.length ?? 0)
    let joined: ReadonlyArray<number> = []
    await Effect.runPromise(
      Effect.gen(function* () {
        yield* joinLargeIn(sql, failing, { greatestPages, pagesAtOnce: 8, restMillis: 1 })
        for (let commits = 0; commits < 1500; commits++) {
          sql.transaction(() => {
            joinSome(sql, 5)
            joined = newest()
            for (let i = 0; i < 5; i++) {
              n++
              for (const index of indexes) insert(sql, index, n)
            }
          })
          // At sixteen they would all be joined at once.
          expect(newest()).toEqual(joined.map((segments) => segments + 1))
        }
        yield* Effect.sleep(50)
        // It rests for longer each time, and does not try without end.
        expect(tries).toBeLessThan(20)
      }).pipe(Effect.scoped)
    )
    for (const index of indexes) holds(sql, index, n)
    await close({ sql, thread })
  })

  it("that have been joined keep nothing that could be forgotten [PII-3]", async () => {
    const { sql, thread } = open("joined")
    const left = (index: string, id: number) =>
      sql.get<{ n: number }>(`SELECT count(*) AS n FROM ${index}_data WHERE id >> 37 = ?`, [id])!.n
    let [n, found] = [0, 0]
    for (let commits = 0; commits < 300; commits++) {
      sql.transaction(() => {
        // Some small, some large, so that some have been joined while others have not.
        for (let i = 0; i < (commits % 4 === 0 ? 1 : 40); i++) {
          n++
          for (const index of indexes) insert(sql, index, n)
        }
      })
      sql.transaction(() => {
        for (const index of indexes) sql.run(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', 1)`)
        const joined = indexes.flatMap((index) =>
          segmentsOf(levels(sql, index)).flatMap(({ first, id }) => (first === 0 ? [{ index, id }] : []))
        )
        for (const { id, index } of joined) found += left(index, id)
        answer(sql, forgetJoined())
        for (const { id, index } of joined) expect(left(index, id)).toBe(0)
      })
    }
    expect(found).toBeGreaterThan(0)
    for (const index of indexes) {
      holds(sql, index, n)
      sql.run(`INSERT INTO ${index} (${index}) VALUES ('optimize')`)
      holds(sql, index, n)
    }
    await close({ sql, thread })
  })
})
