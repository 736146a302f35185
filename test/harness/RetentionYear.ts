/**
 * A year of engagements on a SQLite file under a retention, in virtual time: what a file holds depends on how many rows are kept, so a
 * year at a part of the rate measures the bytes of a row, and the rate says how many there are.
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
  WebhookStore
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import { SettableClock } from "@lead-signals/store-contract"
import * as SqliteStore from "@lead-signals/store-sqlite"
import Database from "better-sqlite3"
import { Effect, Layer } from "effect"

const day = 86_400_000
const startsAt = Date.UTC(2026, 0, 1)

/** The rate that the documentation speaks of. */
export const engagementsPerMinute = 10

export interface YearOptions {
  /** A file that is empty or not there. */
  readonly filename: string
  /** The rate is divided by it. */
  readonly scale: number
  readonly days: number
  /** Days whose engagements come at once, 1 unless given. */
  readonly step?: number
  readonly retention: Retention.Retention
  readonly onPiece?: (piece: RetentionRounds.PieceReport) => void
}

/** What the file holds at the end of a day beside what an empty one does, scaled up to the whole rate. */
export interface DayReport {
  readonly day: number
  /** Bytes of the file. */
  readonly file: number
  /** Bytes of pages of the outbox: events, deliveries, attempts, bodies, and their indexes. */
  readonly outbox: number
  /** Bytes of pages that nothing uses. */
  readonly free: number
  readonly events: number
  readonly deliveries: number
  readonly engagements: number
  readonly leads: number
}

const outboxTables = ["event", "delivery", "delivery_body", "attempt"]

const reportOf = (filename: string, at: number): DayReport => {
  const db = new Database(filename, { readonly: true })
  try {
    const value = (query: string): number => db.prepare(query).pluck().get() as number
    const names = outboxTables.map((name) => `'${name}'`).join(", ")
    return {
      day: at,
      file: value("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"),
      outbox: value(
        `SELECT sum(pgsize) FROM dbstat WHERE aggregate = TRUE AND name IN (SELECT name FROM sqlite_schema WHERE tbl_name IN (${names}))`
      ),
      free: value("SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size"),
      events: value("SELECT count(*) FROM event"),
      deliveries: value("SELECT count(*) FROM delivery"),
      engagements: value("SELECT count(*) FROM engagement"),
      leads: value("SELECT count(*) FROM lead")
    }
  } finally {
    db.close()
  }
}

/** What was added to the empty file, at the whole rate. */
const grownSince = (empty: DayReport, report: DayReport, scale: number): DayReport => ({
  day: report.day,
  file: (report.file - empty.file) * scale,
  outbox: (report.outbox - empty.outbox) * scale,
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

/** Plays the days, and answers what the file held at the end of each of them that `reported` names. */
export const playYear = (
  { days, filename, onPiece, retention, scale, step = 1 }: YearOptions,
  reported: (day: number) => boolean
): Promise<ReadonlyArray<DayReport>> => {
  const clock = new SettableClock(startsAt)
  const perDay = Math.round((engagementsPerMinute * 1440 * step) / scale)
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
    const empty = reportOf(filename, -1)
    const reports: Array<DayReport> = []
    for (let at = 0; at * step < days; at++) {
      clock.millis = startsAt + at * step * day
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
      if (reported(at * step)) reports.push(grownSince(empty, reportOf(filename, at * step), scale))
    }
    return reports
  })
  return Effect.runPromise(
    clock
      .provide(year)
      .pipe(Effect.provide(Layer.merge(SqliteStore.layer({ filename, synced: false }), webCrypto)))
  )
}
