/** How the store merges the segments of its search indexes: in the writing thread, whole by whole, and known to an erasure. */
import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import fc from "fast-check"
import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import {
  DriverConnection,
  countCommit,
  finishMerge,
  isMergeUnderWay,
  type JobKind,
  type Jobs,
  runJob,
  scheduleMerges,
  searchIndexes,
  segmentMerge,
  StoreWorker
} from "@lead-signals/store-sqlite/internal"
import { filesIn, temporaryFolder } from "../harness/TemporaryFolder.ts"
import { cases, isThorough } from "../harness/Thoroughness.ts"
import { mergedPages } from "./MergedPages.ts"

const newFile = filesIn(temporaryFolder(), "merged")

/** A file with empty indexes of small pages, which FTS5 does not merge by itself. */
const emptyIndexes = (): string => {
  const filename = newFile()
  const sql = new DriverConnection(filename, { readonly: false, busyMillis: 0 })
  sql.pragma("journal_mode = WAL")
  sql.run("CREATE TABLE lead (id INTEGER PRIMARY KEY)")
  for (const index of searchIndexes) {
    sql.run(`CREATE VIRTUAL TABLE ${index} USING fts5(words, content='', detail=none)`)
    sql.run(`INSERT INTO ${index} (${index}, rank) VALUES ('automerge', 0), ('pgsz', 64)`)
  }
  sql.runAll(segmentMerge)
  sql.close()
  return filename
}

const wordsOf = (n: number): string =>
  ["every", n % 2 === 0 ? "even" : "odd", `n${n}`, `by${n % 7}`].join(" ")

/** Commits so many entries, each with a word that only it has. */
const commit = (sql: DriverConnection, from: number, entries: number): void =>
  sql.transaction(() => {
    countCommit(sql, entries)
    for (const index of searchIndexes) {
      for (let n = from + 1; n <= from + entries; n++) {
        sql.run(`INSERT INTO ${index} (rowid, words) VALUES (?, ?)`, [n, wordsOf(n)])
      }
    }
  })

const holds = (sql: DriverConnection, index: string, count: number): void => {
  sql.run(`INSERT INTO ${index} (${index}) VALUES ('integrity-check')`)
  const found = (word: string) =>
    sql.get<{ n: number }>(`SELECT count(*) AS n FROM ${index} WHERE ${index} MATCH ?`, [word])!.n
  expect([found("every"), found("odd"), found(`n${count}`)]).toEqual([count, Math.ceil(count / 2), 1])
}

/** Whether FTS5 finds segments to merge; merges them. */
const mergesMore = (sql: DriverConnection, index: string): boolean => {
  const before = sql.changes
  sql.run(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', 1)`)
  return sql.changes - before >= 2
}

/** Runs a job over the connection, as a worker over its own. */
const run = <K extends JobKind>(sql: DriverConnection, kind: K, input: Jobs[K]["input"]): Jobs[K]["output"] =>
  runJob(sql, { kind, input }, () => {}) as Jobs[K]["output"]

describe("the segments of a search index", () => {
  it("are merged in the worker until none are left to merge, and in no commit [LIST-5]", async () => {
    const filename = emptyIndexes()
    const options = { readonly: false, busyMillis: 5000 }
    const sql = new DriverConnection(filename, options)
    const worker = new StoreWorker(filename, { ...options, pragmas: [] })
    const steps: Array<JobKind> = []
    const watched: Pick<StoreWorker, "run"> = {
      run: (kind, input) => {
        if (kind === "mergeStep") steps.push(kind)
        return worker.run(kind, input)
      }
    }
    let n = 0
    await Effect.runPromise(
      Effect.gen(function* () {
        yield* scheduleMerges(sql, watched, { pagesAtOnce: 2, firstRetryMillis: 1 })
        for (let commits = 0; commits < 300; commits++) {
          const entries = commits % 5 === 0 ? 20 : 1
          sql.transaction(() => {
            const before = sql.changes
            countCommit(sql, entries)
            expect(sql.changes).toBe(before)
          })
          commit(sql, n, entries)
          n += entries
          yield* Effect.sleep(1)
        }
        for (let commits = 0; commits < 4; commits++) commit(sql, n++, 1)
        while (isMergeUnderWay(sql) || steps.length === 0) yield* Effect.sleep(5)
        for (const index of searchIndexes) expect(mergesMore(sql, index)).toBe(false)
      }).pipe(Effect.scoped)
    )
    expect(steps.length).toBeGreaterThan(20)
    for (const index of searchIndexes) holds(sql, index, n)
    await worker.close()
    sql.close()
  })

  it("are merged from the start where an ended process left a merge half done [PII-3]", async () => {
    const filename = emptyIndexes()
    const sql = new DriverConnection(filename, { readonly: false, busyMillis: 5000 })
    for (let n = 0; n < 40; n++) commit(sql, n, 1)
    sql.run("UPDATE segment_merge SET owner = 7, is_under_way = 1")
    await Effect.runPromise(
      Effect.gen(function* () {
        const worker: Pick<StoreWorker, "run"> = {
          run: (kind, input) => Promise.resolve(run(sql, kind, input))
        }
        yield* scheduleMerges(sql, worker, { pagesAtOnce: 1, firstRetryMillis: 1 })
        while (isMergeUnderWay(sql)) yield* Effect.sleep(1)
      }).pipe(Effect.scoped)
    )
    for (const index of searchIndexes) expect(mergesMore(sql, index)).toBe(false)
    sql.close()
  })

  it("are left to FTS5 when the worker fails, which is tried with ever longer rests [EVT-3]", async () => {
    const sql = new DriverConnection(emptyIndexes(), { readonly: false, busyMillis: 0 })
    let tries = 0
    const failing = {
      run: () => {
        tries++
        return Promise.reject(new Error("it has ended"))
      }
    }
    let n = 0
    await Effect.runPromise(
      Effect.gen(function* () {
        yield* scheduleMerges(sql, failing, { pagesAtOnce: 8, firstRetryMillis: 1 })
        for (let commits = 0; commits < 500; commits++, n += 5) commit(sql, n, 5)
        yield* Effect.promise(() => expect.poll(() => tries).toBeGreaterThan(1))
        yield* Effect.sleep(50)
        expect(tries).toBeLessThan(20)
      }).pipe(Effect.scoped)
    )
    for (const index of searchIndexes) holds(sql, index, n)
    sql.close()
  })

  it("are tried again no sooner than after some tenths of a second, unless a host says otherwise [EVT-3]", async () => {
    const sql = new DriverConnection(emptyIndexes(), { readonly: false, busyMillis: 0 })
    let tries = 0
    const failing = {
      run: () => {
        tries++
        return Promise.reject(new Error("it has ended"))
      }
    }
    await Effect.runPromise(
      Effect.gen(function* () {
        yield* scheduleMerges(sql, failing)
        for (let commits = 0; commits < 500; commits++) commit(sql, 5 * commits, 5)
        yield* Effect.promise(() => expect.poll(() => tries).toBeGreaterThan(0))
        const begunAt = performance.now()
        yield* Effect.sleep(100)
        // A busy machine may sleep for longer.
        expect(tries).toBeLessThan(5 * Math.max(1, (performance.now() - begunAt) / 100))
      }).pipe(Effect.scoped)
    )
    sql.close()
  })

  it("are merged by the process that began last: the jobs of others change nothing [PII-3]", async () => {
    const filename = emptyIndexes()
    const open = () => {
      const sql = new DriverConnection(filename, { readonly: false, busyMillis: 0 })
      const held: Array<{ readonly kind: JobKind; readonly run: () => void }> = []
      let isHeld = true
      const worker: Pick<StoreWorker, "run"> = {
        run: (kind, input) =>
          new Promise((resolve) => {
            held.push({ kind, run: () => resolve(run(sql, kind, input)) })
            if (!isHeld) held.shift()!.run()
          })
      }
      return {
        sql,
        held,
        worker,
        letGo: () => {
          isHeld = false
          for (const { run } of held.splice(0)) run()
        },
        /** Runs the jobs up to one of this kind, which is left. */
        runTo: async (kind: JobKind) => {
          for (;;) {
            while (held.length === 0) await nextTick()
            if (held[0]!.kind === kind) return
            held.shift()!.run()
          }
        }
      }
    }
    const [first, second] = [open(), open()]
    const structure = () =>
      searchIndexes.map((index) =>
        JSON.stringify(first.sql.all(`SELECT block FROM ${index}_data WHERE id = 10`))
      )
    const options = { pagesAtOnce: 1, firstRetryMillis: 1 }
    await Effect.runPromise(
      Effect.gen(function* () {
        const commits = (sql: DriverConnection, from: number) => {
          for (let i = 0; i < 4; i++) commit(sql, from + 40 * i, 40)
        }
        yield* scheduleMerges(first.sql, first.worker, options)
        yield* scheduleMerges(second.sql, second.worker, options)
        yield* Effect.addFinalizer(() => Effect.sync(() => [first, second].forEach(({ letGo }) => letGo())))
        commits(first.sql, 0)
        yield* Effect.promise(() => first.runTo("mergeStep"))
        commits(second.sql, 160)
        yield* Effect.promise(() => second.runTo("mergeStep"))
        const before = structure()
        first.held.shift()!.run()
        expect(structure()).toEqual(before)
        // The first finds nothing that it may merge, and would say that nothing is under way.
        yield* Effect.promise(() => first.runTo("endMerge"))
        second.held.shift()!.run()
        expect(structure()).not.toEqual(before)
        first.held.shift()!.run()
        expect(isMergeUnderWay(first.sql)).toBe(true)
        yield* Effect.promise(() => second.runTo("endMerge"))
        second.held.shift()!.run()
        expect(isMergeUnderWay(first.sql)).toBe(false)
      }).pipe(Effect.scoped)
    )
    for (const { sql } of [first, second]) sql.close()
  })

  it("are merged by one of several processes: the file says so as long as pages of merged segments are left [PII-3]", async () => {
    let found = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ by: fc.nat({ max: 1 }), entries: fc.constantFrom(1, 4, 40), erases: fc.boolean() }),
          { minLength: 10, maxLength: 30 }
        ),
        fc.infiniteStream(fc.nat({ max: 3 })),
        async (commits, ticks) => {
          const filename = emptyIndexes()
          const raw = new BetterSqlite3(filename)
          const left = () => searchIndexes.reduce((sum, index) => sum + mergedPages(raw, index), 0)
          const open = () => new DriverConnection(filename, { readonly: false, busyMillis: 0 })
          const processes = [open(), open()] as const
          const waitSome = async () => {
            for (let n = ticks.next().value!; n > 0; n--) await nextTick()
          }
          const done = { jobs: 0 }
          /** Lets the merges run so many jobs, or fewer when they end before. A merge under way rests between its jobs. */
          const mergeOn = async () => {
            const enough = done.jobs + 3 * ticks.next().value!
            let idle = 0
            while (done.jobs < enough && idle < (isMergeUnderWay(processes[0]) ? 300 : 20)) {
              const before = done.jobs
              await sleep(1)
              idle = done.jobs === before ? idle + 1 : 0
            }
          }
          const check = (sql: DriverConnection) => {
            const pages = left()
            found += pages
            if (pages > 0) expect(isMergeUnderWay(sql)).toBe(true)
          }
          let n = 0
          await Effect.runPromise(
            Effect.gen(function* () {
              for (const sql of processes) {
                const worker: Pick<StoreWorker, "run"> = {
                  run: async (kind, input) => {
                    await waitSome()
                    const output = run(sql, kind, input)
                    done.jobs++
                    check(sql)
                    return output
                  }
                }
                yield* scheduleMerges(sql, worker, { pagesAtOnce: 1, firstRetryMillis: 1 })
              }
              for (const { by, entries, erases } of commits) {
                const sql = processes[by]!
                commit(sql, n, entries)
                n += entries
                yield* Effect.promise(mergeOn)
                if (!erases) continue
                sql.transaction(() => finishMerge(sql))
                expect(left()).toBe(0)
              }
            }).pipe(Effect.scoped)
          )
          check(processes[0])
          for (const index of searchIndexes) holds(processes[0], index, n)
          for (const sql of processes) sql.close()
          raw.close()
        }
      ),
      { numRuns: cases(8) }
    )
    // Few cases may meet no page of a merge that is under way.
    if (isThorough) expect(found).toBeGreaterThan(0)
  })
})
