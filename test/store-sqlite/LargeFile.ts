/**
 * A file of 100,000 leads in two brands, made once for all test files of a run, and what a naive reading of it gives. Each test
 * file gets a copy of its own.
 */
import { type LeadFilter, LeadQueries } from "@lead-signals/domain"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { rebuildDerivedTables, SearchIndex } from "@lead-signals/store-sqlite/internal"
import Database from "better-sqlite3"
import { Effect, Either } from "effect"
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { madeOnce } from "../harness/MadeOnce.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const leads = 100_000
export const start = Date.UTC(2026, 0, 1)
export const day = 86_400_000

const fill = async (filename: string): Promise<void> => {
  await Effect.runPromise(Effect.void.pipe(Effect.provide(SqliteStore.layer({ filename }))))
  const db = new Database(filename)
  db.exec(`
    PRAGMA synchronous = OFF;
    BEGIN;
    INSERT INTO brand (id, name, suppression_secret, created_at) VALUES (1, 'A', '', 0), (2, 'B', '', 0);
    INSERT INTO signal (id, brand_id, name, signal_type, source, created_at) VALUES (1, 1, 's', 't', '{}', 0), (2, 1, 's', 't', '{}', 0), (3, 2, 's', 't', '{}', 0);
    INSERT INTO lead (id, brand_id, ext_id, name, headline, name_key, profile_times, signal_id, signal_ids, flags, score1, score_missing, score_rank, score_rank_desc, created_at, updated_at)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${leads})
      SELECT i, CASE WHEN i % 100 = 0 THEN 2 ELSE 1 END, 'x' || i, 'Name ' || (i % 5000),
        CASE WHEN i % 20000 = 1 THEN 'Rare words' ELSE 'Common words' END, 'name ' || (i % 5000), '{}', 1,
        CASE WHEN i % 1000 = 7 THEN '["1","2"]' WHEN i % 2 = 1 THEN '["1"]' WHEN i % 100 = 0 THEN '["3"]' ELSE '[]' END,
        CASE WHEN i % 50 = 0 THEN 1 WHEN i % 3 = 0 THEN 2 ELSE 0 END, CASE WHEN i % 2 = 0 THEN i * 31 % 1000 END, i % 2 <> 0,
        CASE WHEN i % 2 = 0 THEN i * 31 % 1000 ELSE 9e999 END, CASE WHEN i % 2 = 0 THEN -(i * 31 % 1000) ELSE 9e999 END,
        ${start} + i * 60000, ${start} + i * 60000 + (i * 104729 % 5000000) FROM n;
    INSERT INTO lead_signal SELECT 1, created_at, id, flags FROM lead WHERE brand_id = 1 AND id % 2 = 1;
    INSERT INTO lead_signal SELECT 2, created_at, id, flags FROM lead WHERE brand_id = 1 AND id % 1000 = 7;
    COMMIT;`)
  const texts = db.prepare("INSERT INTO lead_text (rowid, name, headline) VALUES (?, ?, ?)")
  const grams = db.prepare("INSERT INTO lead_gram (rowid, grams) VALUES (?, ?)")
  db.transaction(() => {
    for (let i = 1; i <= leads; i++) {
      const { headline, name } = SearchIndex.searchTexts(
        i % 100 === 0 ? 2 : 1,
        `Name ${i % 5000}`,
        i % 20_000 === 1 ? "Rare words" : "Common words"
      )
      texts.run(i, name, headline)
      grams.run(i, i % 100 === 0 ? "b2u6e" : "b1u6e b1u6eu61")
    }
  })()
  for (const statement of rebuildDerivedTables) db.exec(statement)
  db.close()
}

export const shapes: Record<string, Array<[string, string]>> = {
  "first page": [],
  "pageSize 100": [["pageSize", "100"]],
  "page 1000": [["page", "1000"]],
  "name:asc": [["sort", "name:asc"]],
  "name:desc": [["sort", "name:desc"]],
  "score1:asc": [["sort", "score1:asc"]],
  "score1:desc": [["sort", "score1:desc"]],
  "updatedAt:asc": [["sort", "updatedAt:asc"]],
  qualified: [["qualified", "true"]],
  "not exported": [["exported", "false"]],
  "two flags": [
    ["qualified", "false"],
    ["exported", "true"]
  ],
  "a common signal": [["signalId", "1"]],
  "a rare signal": [["signalId", "2"]],
  "no such signal": [["signalId", "77"]],
  "a created window": [
    ["createdAfter", "2026-01-10T05:00:00Z"],
    ["createdBefore", "2026-02-01T07:00:00Z"]
  ],
  "a narrow created window": [
    ["createdAfter", "2026-01-10T05:00:00Z"],
    ["createdBefore", "2026-01-10T05:30:00Z"],
    ["sort", "name:asc"]
  ],
  "an updated window, updatedAt:asc": [
    ["updatedAfter", "2026-01-20T00:00:00Z"],
    ["sort", "updatedAt:asc"]
  ],
  "both windows": [
    ["createdAfter", "2026-01-10T05:00:00Z"],
    ["updatedBefore", "2026-01-12T00:00:00Z"]
  ],
  "a window and a flag": [
    ["createdAfter", "2026-02-01"],
    ["qualified", "true"]
  ],
  "a window and a signal": [
    ["updatedAfter", "2026-02-01"],
    ["signalId", "2"]
  ],
  "a rare search": [["search", "rare"]],
  "a common search": [["search", "common"]],
  "a long search": [["search", "common words and so many others that none has all of them together"]],
  "a search of one character": [["search", "n"]],
  "a search of two characters": [["search", "na"]],
  "a search of nothing that is there": [["search", "zzzz"]],
  "a common search and a rare signal": [
    ["search", "common"],
    ["signalId", "2"],
    ["sort", "updatedAt:asc"]
  ],
  "a search of a repeated part and a rare signal": [
    ["search", "ononononon"],
    ["signalId", "2"]
  ],
  "a search, a signal and a flag": [
    ["search", "common"],
    ["signalId", "1"],
    ["exported", "false"]
  ]
}

export const queryOf = (shape: string) => Either.getOrThrow(LeadQueries.readList(shapes[shape]!))

const naiveConditions = (filter: LeadFilter): string => {
  const conditions = ["brand_id = 1"]
  const flag = (bit: number, wanted: boolean | undefined) =>
    wanted !== undefined && conditions.push(`(flags & ${bit} <> 0) = ${Number(wanted)}`)
  flag(1, filter.qualified)
  flag(2, filter.exported)
  flag(4, filter.isEmployee)
  if (filter.signalId !== undefined)
    conditions.push(`id IN (SELECT lead_id FROM lead_signal WHERE signal_id = ${filter.signalId})`)
  if (filter.createdAfter !== undefined) conditions.push(`created_at >= ${filter.createdAfter}`)
  if (filter.createdBefore !== undefined) conditions.push(`created_at <= ${filter.createdBefore}`)
  if (filter.updatedAfter !== undefined) conditions.push(`updated_at >= ${filter.updatedAfter}`)
  if (filter.updatedBefore !== undefined) conditions.push(`updated_at <= ${filter.updatedBefore}`)
  if (filter.search !== undefined) {
    conditions.push(
      `instr('name ' || (id % 5000) || ' ' || iif(id % 20000 = 1, 'rare words', 'common words'), '${filter.search}') > 0`
    )
  }
  return conditions.join(" AND ")
}

export const naiveOrders: Readonly<Record<string, string>> = {
  "createdAt:asc": "created_at",
  "createdAt:desc": "created_at DESC",
  "updatedAt:asc": "updated_at",
  "updatedAt:desc": "updated_at DESC",
  "name:asc": "name_key",
  "name:desc": "name_key DESC",
  "score1:asc": "score1 IS NULL, score1",
  "score1:desc": "score1 IS NULL, score1 DESC"
}

/** A copy of the file, and a naive reading of it. */
export interface LargeFile {
  readonly db: Database.Database
  /** How many leads match. */
  readonly naively: (filter: LeadFilter) => number
  /** The ids of the leads of a page. */
  readonly naivePage: (
    filter: LeadFilter,
    sort: string,
    limit: number,
    offset: number
  ) => ReadonlyArray<unknown>
}

/** Opens a copy of the file. */
export const openLargeFile = async (): Promise<LargeFile> => {
  const filename = join(temporaryFolder(), "large.sqlite")
  copyFileSync(await madeOnce("large.sqlite", fill), filename)
  const db = new Database(filename)
  return {
    db,
    naively: (filter) =>
      db
        .prepare(`SELECT count(*) FROM lead NOT INDEXED WHERE ${naiveConditions(filter)}`)
        .pluck()
        .get() as number,
    naivePage: (filter, sort, limit, offset) =>
      db
        .prepare(
          `SELECT id FROM lead NOT INDEXED WHERE ${naiveConditions(filter)} ORDER BY ${naiveOrders[sort]!}, id LIMIT ? OFFSET ?`
        )
        .pluck()
        .all(limit, offset)
  }
}
