/** What is particular to deliveries in the SQLite file: other processes, erasure, plans, files of an older version. */
import {
  Parameters,
  Brands,
  Deliveries,
  Leads,
  type Lease,
  Outbox,
  recordObservations,
  Signals,
  type StorePorts,
  Webhooks,
  WebhookTargets
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import Database from "better-sqlite3"
import { Effect, Layer } from "effect"
import { describe, expect, it, vi } from "vitest"
import { takeBackTo } from "../harness/EarlierVersions.ts"
import { bytesBeside } from "../harness/FilesBeside.ts"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"
import { recordAttempts } from "../harness/RecordedAttempts.ts"
import { isThorough } from "../harness/Thoroughness.ts"

type Needs = StorePorts | WebhookTargets

const anyTarget = Layer.succeed(WebhookTargets, { check: (url) => Effect.succeed(url) })

const over = <A, E>(filename: string, work: Effect.Effect<A, E, any>): Promise<A> =>
  Effect.runPromise(
    work.pipe(
      Effect.provide(Layer.mergeAll(SqliteStore.layer({ filename }), webCrypto, anyTarget))
    ) as Effect.Effect<A>
  )

const setUp = Effect.gen(function* () {
  const brand = yield* Brands.create("B")
  const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
  const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
  const webhook = yield* Webhooks.create(brand.id, {
    url: "https://r.example/",
    events: ["lead2.created", "activity.detected"],
    description: null,
    enabled: true
  })
  const observe = (person: string, engagement: string, more: object = {}, name = person) =>
    Effect.map(
      recordObservations(brand, [
        { signalId: signal.id, person: { extId: person, name }, engagement: { id: engagement, ...more } }
      ]),
      ([outcome]) => outcome!.leadId!
    )
  return { brand, webhook, observe }
})

let takes = 0
const lease = (perWebhook = 100, padding = "") =>
  Effect.flatMap(Outbox, (outbox) =>
    Effect.map(
      outbox.lease({
        token: `t${++takes}`,
        leaseMillis: 30_000,
        limits: { total: 1000, reserved: 0, perWebhook, failingTotal: 1000, perFailingWebhook: perWebhook },
        underWay: { total: 0, failingTotal: 0, byWebhook: new Map() },
        body: ({ engagements, lead, ...rest }) =>
          JSON.stringify({ id: rest.deliveryId, name: lead?.profile.name, engagements }) + padding
      }),
      ({ leases }) => leases
    )
  )

const record = (leases: ReadonlyArray<Lease>, status: number, response: string | null) =>
  recordAttempts(leases, { status, response: () => response, scheduleMillis: [0] })

describe("deliveries in the SQLite file", () => {
  it("are taken once by three that share the file and ask at once [DELIV-2]", async () => {
    const filename = emptyStoreFile()
    await over(
      filename,
      Effect.gen(function* () {
        const { observe } = yield* setUp
        for (let i = 0; i < 60; i++) yield* observe("p", `e${i}`)
        const process = Effect.gen(function* () {
          const taken: Array<Lease> = []
          for (;;) {
            const more = yield* lease(2)
            if (more.length === 0) return taken
            taken.push(...more)
            yield* Effect.yieldNow()
          }
        }).pipe(Effect.provide(SqliteStore.layer({ filename })))
        const taken = yield* Effect.all([process, process, process], { concurrency: 3 })
        const ids = taken.flat().map(({ deliveryId }) => deliveryId)
        expect([ids.length, new Set(ids).size]).toEqual([61, 61])
      }) as Effect.Effect<void, unknown, Needs>
    )
  })

  it("hold nothing of an erased person: no body, no answer in the log, as lead or as a post's author [PII-3]", async () => {
    const filename = emptyStoreFile()
    const words = ["quillfeather", "zygomatic"]
    const bytes = () => bytesBeside(filename).toLowerCase()
    await over(
      filename,
      Effect.gen(function* () {
        const { brand, observe, webhook } = yield* setUp
        const author = {
          postAuthor: "Zygomatic",
          postAuthorDetail: { extId: "quillfeather", name: "Zygomatic Quillfeather" }
        }
        yield* observe("reader", "e-1", author)
        const leadId = yield* observe("quillfeather", "e-2", {}, "Zygomatic Quillfeather")
        // Bodies that were sent in vain, with an answer that repeats the name; and one that is delivered.
        const [first, ...rest] = yield* lease()
        yield* record(rest, 500, "no Zygomatic here")
        yield* record([first!], 200, "thank you, Quillfeather")
        expect(rest.length).toBe(3)
        for (const word of words) expect(bytes()).toContain(word)
        yield* Leads.erase(brand, leadId)
        for (const word of words) expect(bytes()).not.toContain(word)

        const again = yield* lease()
        expect(again.length).toBe(1)
        expect(rest.map(({ deliveryId }) => deliveryId)).not.toContain(again[0]!.deliveryId)
        expect(again[0]!.body!.toLowerCase()).not.toMatch(/quillfeather|zygomatic/)
        const { deliveries } = yield* Webhooks.listDeliveries(brand.id, webhook.id, {
          state: null,
          page: { page: 1, pageSize: 10 },
          ignored: Parameters.noneIgnored
        })
        expect(deliveries.map(({ state }) => state)).toEqual(["pending", "delivered"])
      })
    )
  })

  it("keep no body once they are delivered or dead, and no row of a deleted webhook [DELIV-8, PII-2]", async () => {
    const filename = emptyStoreFile()
    const counts = () => {
      const raw = new Database(filename, { readonly: true })
      const of = (table: string) => raw.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
      const found = ["delivery", "delivery_body", "attempt", "webhook"].map(of)
      const counted = raw
        .prepare("SELECT webhook_id, state, n FROM delivery_count WHERE n <> 0 ORDER BY 1, 2")
        .all()
      const recounted = raw
        .prepare("SELECT webhook_id, state, count(*) AS n FROM delivery GROUP BY 1, 2 ORDER BY 1, 2")
        .all()
      raw.close()
      expect(counted).toEqual(recounted)
      return found
    }
    await over(
      filename,
      Effect.gen(function* () {
        const { brand, observe, webhook } = yield* setUp
        yield* observe("p", "e1")
        const [one, two] = yield* lease()
        expect(counts()).toEqual([2, 2, 0, 1])
        yield* record([one!], 200, null)
        yield* record([two!], 500, null)
        expect(counts()).toEqual([2, 1, 2, 1])
        yield* record(yield* lease(), 500, null)
        expect(counts()).toEqual([2, 0, 3, 1])
        yield* Webhooks.remove(brand.id, webhook.id)
        expect(counts()).toEqual([0, 0, 0, 0])
      })
    )
  })

  it("are not taken with more bodies than there is room for; the rest are due at once [DELIV-2]", async () => {
    await over(
      emptyStoreFile(),
      Effect.gen(function* () {
        const { observe } = yield* setUp
        for (let i = 0; i < 40; i++) yield* observe("p", `e${i}`)
        const taken = new Set<string>()
        const padding = "x".repeat(1024 * 1024)
        const lengths: Array<number> = []
        for (;;) {
          const leases = yield* lease(100, padding)
          if (leases.length === 0) break
          lengths.push(leases.length)
          for (const { deliveryId } of leases) taken.add(deliveryId)
        }
        expect(Math.max(...lengths)).toBeLessThanOrEqual(16)
        expect([taken.size, lengths.reduce((sum, length) => sum + length, 0)]).toEqual([41, 41])
      })
    )
  })

  it.runIf(isThorough)(
    "of a webhook that is deleted go a part at a time, and all of them [DELIV-8]",
    async () => {
      const filename = emptyStoreFile()
      let commits = 0
      const store = SqliteStore.layer({
        filename,
        synced: false,
        beforeCommit: () => {
          commits++
        }
      })
      await Effect.runPromise(
        Effect.gen(function* () {
          const { brand, observe, webhook } = yield* setUp
          for (let i = 0; i < 1200; i++) yield* observe("p", `e${i}`)
          yield* record((yield* lease()).slice(0, 50), 500, "no")
          const before = commits
          yield* Webhooks.remove(brand.id, webhook.id)
          expect(commits - before).toBe(3)
        }).pipe(Effect.provide(Layer.mergeAll(store, webCrypto, anyTarget))) as Effect.Effect<void>
      )
      const db = new Database(filename, { readonly: true })
      for (const table of ["webhook", "delivery", "delivery_body", "delivery_count", "attempt"])
        expect([table, db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()]).toEqual([table, 0])
      db.close()
    }
  )

  it("are found by indexes, whatever the query: no table that grows is scanned [DELIV-8]", async () => {
    const filename = emptyStoreFile()
    // Migrations read whole tables, once: they run before the statements are noted.
    await over(filename, Effect.void)
    const prepare = vi.spyOn(Database.prototype, "prepare")
    await over(
      filename,
      Effect.gen(function* () {
        const { brand, observe, webhook } = yield* setUp
        const deliveries = yield* Deliveries
        const leadId = yield* observe("p", "e1", { postAuthorDetail: { extId: "q" } })
        const author = yield* observe("q", "e2")
        const [one, ...rest] = yield* lease()
        yield* record([one!], 200, null)
        yield* record(rest, 500, null)
        for (const state of [null, "held", "pending", "delivered", "dead"] as const) {
          const page = { page: 2, pageSize: 5 }
          yield* Webhooks.listDeliveries(brand.id, webhook.id, {
            state,
            page,
            ignored: Parameters.noneIgnored
          })
        }
        yield* Webhooks.getDelivery(brand.id, webhook.id, one!.deliveryId)
        yield* Webhooks.resendDelivery(brand.id, webhook.id, one!.deliveryId)
        yield* Webhooks.resendLead(brand.id, leadId, { webhookId: webhook.id, event: "activity.detected" })
        yield* Webhooks.recover(brand.id, webhook.id, 0)
        yield* Webhooks.test(brand.id, webhook.id)
        yield* Webhooks.change(brand.id, webhook.id, { enabled: false })
        yield* Webhooks.change(brand.id, webhook.id, { enabled: true })
        yield* deliveries.list(webhook.id, { state: "dead", page: { page: 1, pageSize: 5 } })
        yield* Leads.erase(brand, author)
        yield* Webhooks.remove(brand.id, webhook.id)
      })
    )
    const prepared = new Set(prepare.mock.calls.map(([text]) => text))
    prepare.mockRestore()
    const raw = new Database(filename, { readonly: true })
    const statements = [...prepared].filter((text) => /delivery|attempt|event|webhook/.test(text))
    expect(statements.length).toBeGreaterThan(30)
    const scans = statements.flatMap((text) =>
      raw
        .prepare(`EXPLAIN QUERY PLAN ${text}`)
        .all(Array.from({ length: text.split("?").length - 1 }, () => null))
        .map((row) => (row as { detail: string }).detail)
        // The webhooks of all brands are few; an index that covers a query is no scan of a table.
        .filter(
          (detail) =>
            detail.startsWith("SCAN ") && !/^SCAN (w|j|json_each|p|commits|\(subquery)\b/.test(detail)
        )
        .map((detail) => `${detail}: ${text}`)
    )
    expect(scans).toEqual([])
    raw.close()
  })

  it("come to a file of the version before with what is in it [STORE-5]", async () => {
    const filename = emptyStoreFile()
    const leadId = await over(
      filename,
      Effect.flatMap(setUp, ({ observe }) => observe("p", "e1"))
    )
    const raw = new Database(filename)
    raw.pragma("foreign_keys = OFF")
    takeBackTo(raw, 1)
    for (const table of ["attempt", "delivery_body", "delivery", "delivery_count", "webhook"])
      raw.exec(`DROP TABLE ${table}`)
    const later = raw
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%lead_stretch%'")
      .pluck()
      .all()
    for (const trigger of later) raw.exec(`DROP TRIGGER ${trigger}`)
    raw.exec(`DROP TABLE lead_stretch; DROP INDEX lead_by_score; DROP INDEX lead_by_score_desc;
      ALTER TABLE lead DROP COLUMN score_rank; ALTER TABLE lead DROP COLUMN score_rank_desc;
      CREATE INDEX lead_by_score ON lead (brand_id, score_missing, score1, id, flags);
      CREATE INDEX lead_by_score_desc ON lead (brand_id, score_missing, score1 DESC, id, flags)`)
    raw.close()
    await over(
      filename,
      Effect.gen(function* () {
        const webhook = yield* Webhooks.create("1", {
          url: "https://r.example/",
          events: ["lead2.created"],
          description: null,
          enabled: true
        })
        yield* Webhooks.resendLead("1", leadId, { webhookId: webhook.id, event: "lead2.created" })
        expect((yield* lease()).length).toBe(1)
      })
    )
  })
})
