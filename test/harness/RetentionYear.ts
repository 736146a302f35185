/**
 * A year of engagements under a retention, in virtual time: what a store holds depends on how many rows are kept, so a year at a part of the
 * rate measures the bytes of a row, and the rate says how many there are.
 */
import {
  Brands,
  defaultSending,
  DeliverySlots,
  Outbox,
  recordInOneCommit,
  RetentionRounds,
  Retention,
  Retries,
  Signals,
  type StorePorts,
  type StoreUnavailable,
  WebhookStore
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import { SettableClock } from "@lead-signals/store-contract"
import * as PostgresStore from "@lead-signals/store-postgres"
import * as SqliteStore from "@lead-signals/store-sqlite"
import Database from "better-sqlite3"
import { Effect, Layer } from "effect"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"

const day = 86_400_000
const startsAt = Date.UTC(2026, 0, 1)

/** The rate that the documentation speaks of. */
export const engagementsPerMinute = 10

export interface YearOptions {
  readonly store: YearStore
  /** The rate is divided by it. */
  readonly scale: number
  readonly days: number
  readonly retention: Retention.Retention
  readonly onPiece?: (piece: RetentionRounds.PieceReport) => void
}

/** What the store holds at the end of a day beside what an empty one does, scaled up to the whole rate. */
export interface DayReport {
  readonly day: number
  /** Bytes of everything: of the file, or of tables and indexes. */
  readonly whole: number
  /** Bytes of the outbox: events, deliveries, attempts, bodies, and their indexes. */
  readonly outbox: number
  /** Bytes of engagements and their indexes. */
  readonly engagementBytes: number
  /** Bytes of leads, what lists, searches and counts keep of them, and all indexes. */
  readonly leadBytes: number
  /** Bytes of pages that nothing uses; on Postgres they belong to a table, and count for it. */
  readonly free: number
  readonly events: number
  readonly deliveries: number
  readonly engagements: number
  readonly leads: number
}

/** A store that is empty, and how to look at what it takes. */
export interface YearStore {
  readonly layer: Layer.Layer<StorePorts, StoreUnavailable>
  readonly report: () => Promise<Omit<DayReport, "day">>
  /** Does at the end of each virtual day what the database does by itself in the course of a real one. */
  readonly endOfDay: () => Promise<void>
  readonly close: () => Promise<void>
}

const outboxTables = new Set(["event", "delivery", "delivery_body", "attempt"])
const tableCounts = { events: "event", deliveries: "delivery", engagements: "engagement", leads: "lead" }

/** Sums bytes of tables by what they are for. */
const bytesBy = (tables: ReadonlyArray<{ readonly name: string; readonly bytes: number }>) => {
  const sum = (isOf: (name: string) => boolean): number =>
    tables.reduce((total, { bytes, name }) => total + (isOf(name) ? bytes : 0), 0)
  return {
    outbox: sum((name) => outboxTables.has(name)),
    engagementBytes: sum((name) => name === "engagement"),
    leadBytes: sum((name) => !outboxTables.has(name) && name !== "engagement")
  }
}

/** A SQLite file that is empty or not there. */
export const sqliteYear = (filename: string): YearStore => ({
  layer: SqliteStore.layer({ filename, synced: false }),
  endOfDay: () => Promise.resolve(),
  close: () => Promise.resolve(),
  report: () => {
    const db = new Database(filename, { readonly: true })
    try {
      const value = (query: string): number => db.prepare(query).pluck().get() as number
      const tables = db
        .prepare<[], { readonly name: string; readonly bytes: number }>(
          // The tables of the search index are of the leads, whatever their names are.
          `SELECT s.tbl_name AS name, sum(d.pgsize) AS bytes FROM dbstat d JOIN sqlite_schema s USING (name)
           WHERE d.aggregate = TRUE GROUP BY s.tbl_name`
        )
        .all()
      return Promise.resolve({
        whole: value("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"),
        ...bytesBy(tables),
        free: value("SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size"),
        events: value("SELECT count(*) FROM event"),
        deliveries: value("SELECT count(*) FROM delivery"),
        engagements: value("SELECT count(*) FROM engagement"),
        leads: value("SELECT count(*) FROM lead")
      })
    } finally {
      db.close()
    }
  }
})

/** The number of rows from which on autovacuum takes a table, by the settings of the table, else those that Postgres has unless set. */
const rowsFrom = (prefix: string, threshold: number, scale: number): string => {
  const setting = (name: string, unlessSet: number): string =>
    `coalesce(substring(array_to_string(c.reloptions, ',') FROM '${prefix}_${name}=([0-9.]+)')::float8, ${unlessSet})`
  return `${setting("threshold", threshold)} / ${scale} + ${setting("scale_factor", 0.2)} * greatest(c.reltuples, 0)`
}

/**
 * An empty Postgres database, whose rate is divided by `scale`. A virtual day lasts a moment, so autovacuum never comes to it: at the end
 * of each those tables are vacuumed that autovacuum takes by its thresholds, at the whole rate.
 */
export const postgresYear = async (url: string, scale: number): Promise<YearStore> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const rowsOf = async (text: string): Promise<Array<any>> => (await client.query(text)).rows
  // A session has counted what it changed when it has ended.
  const endOfSessions = async (): Promise<void> => {
    const sessions = "datname = current_database() AND backend_type = 'client backend'"
    while (
      (await rowsOf(`SELECT FROM pg_stat_activity WHERE ${sessions} AND pid <> pg_backend_pid()`)).length > 0
    )
      await sleep(2)
  }
  return {
    layer: PostgresStore.layer({
      url,
      notifications: false,
      maxConnections: 4,
      pool: { idleTimeoutMillis: 1 }
    }),
    close: () => client.end(),
    endOfDay: async () => {
      await endOfSessions()
      const due = await rowsOf(
        `SELECT c.relname AS name FROM pg_class c JOIN pg_stat_user_tables t ON t.relid = c.oid
         WHERE t.schemaname = 'lead_signals' AND (t.n_dead_tup > ${rowsFrom("autovacuum_vacuum", 50, scale)}
           OR t.n_ins_since_vacuum > ${rowsFrom("autovacuum_vacuum_insert", 1000, scale)})`
      )
      for (const { name } of due) await client.query(`VACUUM (ANALYZE) lead_signals.${name}`)
    },
    report: async () => {
      const tables = await rowsOf(
        `SELECT relname AS name, pg_total_relation_size(oid)::float8 AS bytes FROM pg_class
         WHERE relnamespace = 'lead_signals'::regnamespace AND relkind = 'r'`
      )
      const counts: Record<string, number> = {}
      for (const [name, table] of Object.entries(tableCounts))
        counts[name] = (await rowsOf(`SELECT count(*)::int AS n FROM lead_signals.${table}`))[0].n
      const whole = tables.reduce((sum, { bytes }) => sum + bytes, 0)
      return { whole, ...bytesBy(tables), free: 0, ...(counts as Record<keyof typeof tableCounts, number>) }
    }
  }
}

/** What was added to the empty store, at the whole rate. */
const grownSince = (
  empty: Omit<DayReport, "day">,
  report: Omit<DayReport, "day">,
  day: number,
  scale: number
): DayReport => ({
  day,
  whole: (report.whole - empty.whole) * scale,
  outbox: (report.outbox - empty.outbox) * scale,
  engagementBytes: (report.engagementBytes - empty.engagementBytes) * scale,
  leadBytes: (report.leadBytes - empty.leadBytes) * scale,
  free: report.free * scale,
  events: report.events * scale,
  deliveries: report.deliveries * scale,
  engagements: report.engagements * scale,
  leads: report.leads * scale
})

/** The attempts of one day, all of which are taken. */
const deliverAll = Effect.gen(function* () {
  const outbox = yield* Outbox
  const limits = { ...DeliverySlots.defaultLimits, total: 256, reserved: 0, perWebhook: 256 }
  const underWay = { total: 0, failingTotal: 0, byWebhook: new Map<string, number>() }
  const result = { status: 200, error: null, response: '{"ok":true}', retryAfterSeconds: null }
  for (let n = 0; ; n++) {
    const token = `t-${n}`
    const body = () => "{}"
    const { leases } = yield* outbox.lease({ token, leaseMillis: 30_000, limits, underWay, body })
    if (leases.length === 0) return
    yield* outbox.record(
      leases.map(({ deliveryId, webhook: { url } }) => ({
        deliveryId,
        token,
        url,
        at: startsAt,
        durationMillis: 40,
        result,
        settle: (known, now) => Retries.settle(known, result, now, 0.5)
      }))
    )
  }
})

/** Plays the days, and answers what the store held at the end of each of them that `reported` names. */
export const playYear = (
  { days, onPiece, retention, scale, store }: YearOptions,
  reported: (day: number) => boolean
): Promise<ReadonlyArray<DayReport>> => {
  const clock = new SettableClock(startsAt)
  const perDay = Math.round((engagementsPerMinute * 1440) / scale)
  const year = Effect.gen(function* () {
    const webhookStore = yield* WebhookStore
    const brand = yield* Brands.create("B")
    const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
    const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
    yield* webhookStore.create({
      brandId: brand.id,
      url: "https://receiver.example/hook",
      events: ["lead2.created", "activity.detected"],
      description: null,
      enabled: true,
      disabledReason: null,
      ...defaultSending,
      failingSince: null,
      secrets: { current: "whsec_x", previous: null },
      createdAt: startsAt
    })
    const empty = yield* Effect.promise(store.report)
    const reports: Array<DayReport> = []
    for (let at = 0; at < days; at++) {
      clock.millis = startsAt + at * day
      for (let from = 0; from < perDay; from += 100) {
        const count = Math.min(100, perDay - from)
        yield* recordInOneCommit(
          brand,
          Array.from({ length: count }, (_, i) => {
            const n = at * perDay + from + i
            // A person is seen five times, over some weeks.
            const person = Math.floor(n / 5) + ((n * 7919) % 97)
            return {
              signalId: signal.id,
              person: {
                extId: `urn:li:${person}`,
                name: `Person ${person}`,
                headline: "Head of Sales at a company"
              },
              engagement: {
                id: `urn:engagement:${n}`,
                type: "comment",
                commentText: "A comment of some length, as people write them below posts.",
                postUrl: `https://network.example/posts/${n % 500}`,
                postContent:
                  "The text of a post, of which there are a few hundred characters as a rule. ".repeat(3),
                trackedAt: new Date(clock.millis).toISOString()
              }
            }
          })
        )
      }
      yield* deliverAll
      yield* RetentionRounds.pruneNow(retention, onPiece)
      yield* Effect.promise(store.endOfDay)
      if (reported(at)) reports.push(grownSince(empty, yield* Effect.promise(store.report), at, scale))
    }
    return reports
  })
  return Effect.runPromise(
    clock.provide(year).pipe(Effect.provide(Layer.merge(store.layer, webCrypto)))
  ).finally(store.close)
}
