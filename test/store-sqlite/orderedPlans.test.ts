/**
 * What SQLite does for a lease and for the record of its attempts while ordered webhooks hold 10,000s of deliveries back: the same statements
 * with as many rows as when they hold a few back, and each by an index whose range leaves out what waits.
 */
import {
  Brands,
  LeadOrder,
  Outbox,
  recordObservations,
  Signals,
  Webhooks,
  WebhookTargets
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { DriverConnection } from "@lead-signals/store-sqlite/internal"
import Database from "better-sqlite3"
import { Effect, Layer } from "effect"
import { join } from "node:path"
import { afterEach, describe, expect, it, vi } from "vitest"
import { recordAttempts } from "../harness/RecordedAttempts.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const folder = temporaryFolder()
const targets = Layer.succeed(WebhookTargets, { check: Effect.succeed })

const over = <A>(filename: string, work: Effect.Effect<A, unknown, any>): Promise<A> =>
  Effect.runPromise(
    work.pipe(
      Effect.provide(Layer.mergeAll(SqliteStore.layer({ filename, synced: false }), webCrypto, targets))
    ) as Effect.Effect<A>
  )

const setUp = Effect.gen(function* () {
  const brand = yield* Brands.create("B")
  const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
  const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
  for (const maxBatch of [1, 1, 5]) {
    yield* Webhooks.create(brand.id, {
      url: "https://r.example/",
      events: ["activity.detected"],
      description: null,
      enabled: true,
      ordering: "lead",
      maxBatch
    })
  }
  yield* recordObservations(brand, [
    { signalId: signal.id, person: { extId: "p", name: "N" }, engagement: { id: "e" } }
  ])
})

const [dueAt, retriedAt] = [Date.now() - 1000, Date.now() + 3_600_000]

type Add = (webhook: number, from: number, to: number, count: number, first: number, behind: number) => void

/**
 * A file with three ordered webhooks, whose deliveries are added: the first of each lead `from` … `to`, due at `first`, and `count` after
 * it, due at `behind`.
 */
const fileWith = async (name: string, addAll: (add: Add) => void): Promise<string> => {
  const filename = join(folder, `${name}.sqlite`)
  await over(filename, setUp)
  const raw = new Database(filename)
  raw.pragma("foreign_keys = OFF")
  raw.exec("DELETE FROM delivery")
  const insert = raw.prepare(
    `INSERT INTO delivery (id, webhook_id, position, state, attempts, failures, due_at, created_at, ordered_lead)
       SELECT 'wh_' || @webhook || '-' || l.value || '-' || n.value, @webhook, (SELECT max(position) FROM event), 'pending', 0, 0,
         iif(n.value = 0, @first, @behind), @due, l.value
       FROM (WITH RECURSIVE c(value) AS (VALUES (0) UNION ALL SELECT value + 1 FROM c WHERE value < @count) SELECT value FROM c) n
       CROSS JOIN (WITH RECURSIVE c(value) AS (VALUES (@from) UNION ALL SELECT value + 1 FROM c WHERE value < @to) SELECT value FROM c) l
       ORDER BY n.value, l.value`
  )
  raw.transaction(() =>
    addAll((webhook, from, to, count, first, behind) =>
      insert.run({ webhook, from, to, count, first, behind, due: dueAt })
    )
  )()
  raw.close()
  return filename
}

/**
 * The first webhook holds back so many events of one lead, the second ten of each of so many leads, the third as many in batches. Each has
 * some that are due besides.
 */
const fileThatHolds = (events: number, leads: number): Promise<string> =>
  fileWith(`holds-${events}-${leads}`, (add) => {
    const held = [retriedAt, LeadOrder.waitingDueAt] as const
    add(1, 1, 1, events, ...held)
    add(2, 1, leads, 10, ...held)
    add(3, 1, leads / 2, 10, ...held)
    // Later events that no lease has met yet wait behind one that is retried, and behind one that is due.
    for (const webhook of [1, 2, 3]) {
      add(webhook, 10_001, 10_005, 3, retriedAt, dueAt)
      add(webhook, 20_001, 20_100, 1, dueAt, dueAt)
    }
  })

let tokens = 0

const lease = Effect.flatMap(Outbox, (outbox) =>
  outbox.lease({
    token: `t${++tokens}`,
    leaseMillis: 30_000,
    limits: { total: 15, reserved: 0, perWebhook: 5, failingTotal: 15, perFailingWebhook: 5 },
    underWay: { total: 0, failingTotal: 0, byWebhook: new Map() },
    body: ({ deliveryId }) => deliveryId
  })
)

/** Leases, and records an attempt of each; answers how many there were. */
const leaseAndRecord = (status: number) =>
  Effect.gen(function* () {
    const { leases } = yield* lease
    yield* recordAttempts(leases, { status })
    return leases.length
  })

describe("deliveries that ordered webhooks hold back in a SQLite file", () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  /** The statements about deliveries of two leases and their records, each with the number of rows that it answered or changed. */
  const traceOf = async (filename: string) => {
    const statements: Array<readonly [text: string, rows: number]> = []
    const { all, run } = DriverConnection.prototype
    const note = (text: string, rows: number): void => {
      if (/\bdelivery\b/.test(text)) statements.push([text, rows])
    }
    const leased = await over(
      filename,
      Effect.gen(function* () {
        // What nobody has set aside yet is set aside by the first.
        const counts = [yield* leaseAndRecord(500)]
        vi.spyOn(DriverConnection.prototype, "all").mockImplementation(function (
          this: DriverConnection,
          text,
          params
        ) {
          const rows = all.call(this, text, params)
          note(text, rows.length)
          return rows as never
        })
        vi.spyOn(DriverConnection.prototype, "run").mockImplementation(function (
          this: DriverConnection,
          text,
          params
        ) {
          const before = this.changes
          run.call(this, text, params)
          note(text, this.changes - before)
        })
        counts.push(yield* leaseAndRecord(200), yield* leaseAndRecord(500))
        return counts
      })
    )
    vi.restoreAllMocks()
    return { leased, statements }
  }

  it("are not read by a lease and the record of its attempts, however many they are [ORD-3]", async () => {
    const few = await traceOf(await fileThatHolds(20, 2))
    const filename = await fileThatHolds(10_000, 1000)
    const many = await traceOf(filename)
    expect(many.leased).toEqual([35, 35, 35])
    expect(many).toEqual(few)
    const read = many.statements.map(([, rows]) => rows)
    expect(Math.max(...read)).toBeLessThanOrEqual(256)
    const raw = new Database(filename, { readonly: true })
    const steps = new Set(
      [...new Set(many.statements.map(([text]) => text))].flatMap((text) =>
        raw
          .prepare(`EXPLAIN QUERY PLAN ${text}`)
          .all(Array.from({ length: text.split("?").length - 1 }, () => null))
          .map((row) => (row as { detail: string }).detail)
          .filter((detail) => /\b(?:delivery\w*|d|p|n|b)\b/.test(detail.replace(/ USING.*/, "")))
      )
    )
    raw.close()
    // A lookup, a range that what waits is outside of, or the first entry of an index for `min`.
    expect([...steps].sort()).toEqual([
      "SEARCH d USING INDEX delivery_due (webhook_id=? AND due_at>? AND due_at<?)",
      "SEARCH d USING INDEX sqlite_autoindex_delivery_1 (id=?)",
      "SEARCH d USING INTEGER PRIMARY KEY (rowid=?)",
      "SEARCH delivery USING COVERING INDEX delivery_due (webhook_id=? AND due_at<?)",
      "SEARCH delivery USING COVERING INDEX delivery_due (webhook_id=? AND due_at>? AND due_at<?)",
      "SEARCH delivery USING COVERING INDEX delivery_due (webhook_id=?)",
      "SEARCH delivery USING INTEGER PRIMARY KEY (rowid=?)",
      "SEARCH n USING COVERING INDEX delivery_in_order (webhook_id=? AND ordered_lead=? AND seq>?)",
      "SEARCH p USING INDEX delivery_in_order (webhook_id=? AND ordered_lead=? AND seq<?)"
    ])
  })

  it("are set aside by a few short leases that say at once that they have not looked at all [ORD-3]", async () => {
    const filename = await fileWith("behind", (add) => {
      add(1, 1, 1, 12_000, retriedAt, dueAt)
      add(1, 2, 2, 0, dueAt, dueAt)
    })
    const found = await over(
      filename,
      Effect.gen(function* () {
        const found: Array<readonly [leased: number, goesOn: boolean]> = []
        while (found.at(-1)?.[0] !== 1 && found.length < 10) {
          const { leases, nextDueAt } = yield* lease
          found.push([leases.length, nextDueAt !== null && nextDueAt <= Date.now()])
        }
        return found
      })
    )
    // 5,000 at most in each; the one that is due stands behind all of them.
    expect(found).toEqual([
      [0, true],
      [0, true],
      [1, false]
    ])
  })
})
