/**
 * What SQLite does to find what is due, beside leads, events and erasures that are old and stay: each statement reads by an index, answers
 * a bounded number of rows, and goes on where the last piece ended.
 */
import { Brands, type PruneCursor, RetentionRounds, type RetentionKind } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import {
  DriverConnection,
  findDue,
  type Param,
  type QueryConnection
} from "@lead-signals/store-sqlite/internal"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"
import { raw } from "../harness/RawFile.ts"

const leads = 5000
const before = 10 * leads
/** Every five-hundredth lead waits for nothing. */
const quiet = leads / 500

describe(`a piece of pruning beside ${leads.toLocaleString("en-US")} old leads that stay`, () => {
  let sql: DriverConnection
  beforeAll(async () => {
    const filename = emptyStoreFile()
    await Effect.runPromise(
      Effect.all([Brands.create("A"), Brands.create("B")]).pipe(
        Effect.provide(Layer.merge(SqliteStore.layer({ filename, synced: false }), webCrypto)),
        Effect.orDie
      )
    )
    raw(filename, (db) => {
      db.pragma("foreign_keys = OFF")
      const numbers = `WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < ${leads})`
      db.exec(`
        ${numbers} INSERT INTO lead (id, brand_id, ext_id, name, name_key, profile_times, signal_id, signal_ids, flags, score_missing, created_at, updated_at)
          SELECT i, 1 + (i % 100 = 0), 'x' || i, 'N', 'n', '{}', 1, '["1"]', 0, 1, i / 700, i / 700 FROM c;
        ${numbers} INSERT INTO engagement (brand_id, id, lead_id, signal_id, tracked_at) SELECT 1 + (i % 100 = 0), 'e' || i, i, 1, i FROM c;
        ${numbers} INSERT INTO event (event, brand_id, lead_id, engagement_id, is_first_activity, occurred_at)
          SELECT 'lead2.created', 1 + (i % 100 = 0), i, 'e' || i, 1, i FROM c;
        ${numbers} INSERT INTO event (event, brand_id, lead_id, engagement_id, is_first_activity, occurred_at)
          SELECT 'activity.detected', 1 + (i % 100 = 0), i, 'e' || i, 1, i FROM c WHERE i % 500 <> 0;
        ${numbers} INSERT INTO suppression (brand_id, hash, erased_at)
          SELECT 1 + i % 2, printf('%08x', i * 2654435761 % 4294967296) || printf('%056x', i), iif(i % 500 = 0, i, ${before} + i) FROM c`)
    })
    sql = new DriverConnection(filename, { readonly: true, busyMillis: 1000, key: undefined })
  })
  afterAll(() => sql.close())

  /** A round of pieces that remove nothing: what they found, and for each statement its plan and the most rows that it answered. */
  const round = (kind: RetentionKind) => {
    const statements = new Map<string, number>()
    const recording =
      <A>(read: (text: string, params?: ReadonlyArray<Param>) => ReadonlyArray<A>) =>
      (text: string, params?: ReadonlyArray<Param>): ReadonlyArray<A> => {
        const rows = read(text, params)
        statements.set(text, Math.max(statements.get(text) ?? 0, rows.length))
        return rows
      }
    const watched = Object.assign(Object.create(sql) as QueryConnection, {
      all: recording((text, params) => sql.all(text, params)),
      column: recording((text, params) => sql.column(text, params))
    })
    const found = new Set<number | string>()
    let [pieces, after]: [number, PruneCursor | null] = [0, null]
    do {
      const { keys, next } = findDue[kind](watched, {
        before,
        after,
        limit: RetentionRounds.pieceSizes[kind]
      })
      for (const key of keys) found.add(key)
      ;[pieces, after] = [pieces + 1, next]
    } while (after !== null)
    const plans = [...statements.keys()].flatMap((text) =>
      sql.all<{ readonly detail: string }>(
        `EXPLAIN QUERY PLAN ${text}`,
        Array.from({ length: text.split("?").length - 1 }, () => null)
      )
    )
    return {
      found: found.size,
      pieces,
      max: Math.max(...statements.values()),
      plans: plans.map(({ detail }) => detail)
    }
  }

  it("looks at leads from the one that was changed longest ago on, 500 at a time [RET-4]", () => {
    const { found, max, pieces, plans } = round("leads")
    expect([found, max]).toEqual([quiet, 500])
    expect(pieces).toBeLessThanOrEqual(leads / 500 + quiet / RetentionRounds.pieceSizes.leads + 3)
    expect(plans).toEqual([
      "SEARCH brand USING INTEGER PRIMARY KEY (rowid>?)",
      "SEARCH lead USING COVERING INDEX lead_by_updated (brand_id=? AND updated_at=? AND id>?)",
      "SEARCH lead USING COVERING INDEX lead_by_updated (brand_id=? AND updated_at>? AND updated_at<?)",
      "SCAN l VIRTUAL TABLE INDEX 1:",
      "CORRELATED SCALAR SUBQUERY 2",
      "SEARCH e USING INDEX event_by_lead (lead_id=?)",
      "CORRELATED SCALAR SUBQUERY 1",
      "SEARCH d USING COVERING INDEX delivery_by_event (position=?)"
    ])
  })

  it("looks at erasures by their hashes, 2,000 at a time [RET-4]", () => {
    const { found, max, pieces, plans } = round("suppressions")
    expect([found, max]).toEqual([quiet, 2000])
    expect(pieces).toBe(Math.ceil(leads / 2000))
    expect(plans).toEqual(["SEARCH suppression USING PRIMARY KEY ((brand_id,hash)>(?,?))"])
  })

  it("looks at events by their positions, 2,000 at a time, and at engagements of 1,000 leads [RET-4]", () => {
    const events = round("events")
    expect([events.found, events.max]).toEqual([leads - quiet, 2000])
    expect(events.pieces).toBeLessThanOrEqual((2 * leads) / 500 + 3)
    const engagements = round("engagements")
    expect([engagements.found, engagements.pieces]).toEqual([quiet, leads / 1000])
    for (const plan of [...events.plans, ...engagements.plans]) expect(plan).not.toMatch(/^SCAN (?!\(|c)/)
  })
})
