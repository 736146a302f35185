/** Everything kept beside the leads, against what a naive count of the base tables gives, after histories that are drawn. */
import { Brands, Leads, recordObservations, Signals } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import { LeadHistories, SettableClock } from "@lead-signals/store-contract"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { DriverConnection, rebuildDerivedTables } from "@lead-signals/store-sqlite/internal"
import Database from "better-sqlite3"
import { Effect, Exit, Layer, ManagedRuntime } from "effect"
import fc from "fast-check"
import { afterAll, describe, expect, it, vi } from "vitest"
import { takeBackTo } from "../harness/EarlierVersions.ts"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"
import { storeOver } from "./ShortRankBuckets.ts"
import { cases, isThorough } from "../harness/Thoroughness.ts"
import { expectDerived, maxBucketLeads, maxUnindexed, millisOfDay } from "./DerivedTables.ts"

const filename = emptyStoreFile()

const runtimeOver = (filename: string) => ManagedRuntime.make(storeOver(filename, maxBucketLeads))

const runtime = runtimeOver(filename)

const clock = new SettableClock(LeadHistories.startOfHistories)

afterAll(() => runtime.dispose())

const play = (steps: ReadonlyArray<LeadHistories.Step>) =>
  Effect.gen(function* () {
    const brand = yield* Brands.create("B")
    const signals: Array<string> = []
    for (const name of ["Posts", "Words", "Profile", "Mentions"]) {
      const source = { type: "post-url" as const, value: name, liCompanyId: null, company: null }
      signals.push((yield* Signals.create(brand.id, { name, signalType: "t", source })).id)
    }
    const leads = new Set<number>()
    for (const step of steps) {
      const leadId = step.step === "amend" || step.step === "erase" ? [...leads][step.lead] : undefined
      if (step.step === "wait") clock.millis += step.millis
      else if (step.step === "observe") {
        const values = step.seen.map(({ engagement, signal, ...seen }) => ({
          ...seen,
          signalId: signals[signal]!,
          engagement: { ...engagement, trackedAt: null }
        }))
        for (const outcome of yield* recordObservations(brand, values)) {
          if (outcome.outcome === "recorded") leads.add(outcome.leadId!)
        }
      } else if (leadId !== undefined && step.step === "amend") {
        yield* Leads.amend(brand.id, leadId, step.change)
      } else if (leadId !== undefined) {
        yield* Leads.erase(brand, leadId)
        leads.delete(leadId)
      }
    }
  })

describe("what is kept beside the leads", () => {
  it("is what counting the leads gives, after any history [PAGE-1, LIST-3, SORT-5, PII-3]", async () => {
    await runtime.runPromise(Effect.void)
    const db = new Database(filename, { readonly: true })
    await fc.assert(
      fc.asyncProperty(LeadHistories.history, async (steps) => {
        await runtime.runPromise(clock.provide(play(steps)))
        expectDerived(db)
      }),
      { numRuns: cases(60) }
    )
    db.close()
  })

  it("is what counting the leads gives, whichever statement fails [STORE-1, PAGE-1]", async () => {
    const interrupted = emptyStoreFile()
    const opened = runtimeOver(interrupted)
    await opened.runPromise(Effect.void)
    const db = new Database(interrupted, { readonly: true })
    const seen = (person: string, name: string, engagement: number, signal: number) => ({
      person: { extId: person, name },
      engagement: { id: `e${engagement}`, type: "comment" as const, commentText: "c" },
      signal
    })
    const steps = [
      { step: "observe", seen: [seen("a", "Ada", 1, 0), seen("b", "Bo", 2, 1), seen("a", "Eve", 3, 2)] },
      { step: "amend", lead: 0, change: { qualified: true, score1: 7 } },
      { step: "erase", lead: 1 }
    ] as unknown as ReadonlyArray<LeadHistories.Step>
    const every = isThorough ? 1 : 4
    let failures = 0
    for (let isOver = false, at = 1; !isOver; at += every) {
      let executed = 0
      const spies = (["run", "insert"] as const).map((method) => {
        const original = DriverConnection.prototype[method] as (...args: Array<unknown>) => unknown
        return vi.spyOn(DriverConnection.prototype, method).mockImplementation(function (
          this: DriverConnection,
          ...args: ReadonlyArray<unknown>
        ) {
          // A reader that can't end its transaction would fail from then on.
          const isWork = !/^(?:BEGIN|COMMIT|ROLLBACK)/.test(String(args[0]))
          if (isWork && ++executed === at) throw new Error("planted")
          return original.apply(this, [...args]) as never
        })
      })
      const ended = await opened.runPromise(Effect.exit(clock.provide(play(steps))))
      for (const spy of spies) spy.mockRestore()
      isOver = Exit.isSuccess(ended)
      expect(isOver).toBe(executed < at)
      if (!isOver) failures++
      expectDerived(db)
    }
    expect(failures * every).toBeGreaterThan(50)
    db.close()
    await opened.dispose()
  })

  it("is what counting the leads gives, where one transaction changes a lead and erases it [STORE-1, PII-3]", async () => {
    const shared = emptyStoreFile()
    let commits = 0
    const store = SqliteStore.layer({
      filename: shared,
      groupMillis: Number.POSITIVE_INFINITY,
      rankIndex: { maxBucketLeads },
      maxUnindexed,
      beforeCommit: () => {
        commits++
      }
    })
    const opened = ManagedRuntime.make(Layer.merge(store, webCrypto))
    const run = <A, E>(work: Effect.Effect<A, E, any>): Promise<A> =>
      opened.runPromise(clock.provide(work) as Effect.Effect<A, E>)
    const brand = await run(Brands.create("B"))
    const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
    const { id: signalId } = await run(Signals.create(brand.id, { name: "S", signalType: "t", source }))
    let engagements = 0
    const observe = (extId: string, name: string) =>
      recordObservations(brand, [
        { signalId, person: { extId, name }, engagement: { id: `e${++engagements}` } }
      ])
    const db = new Database(shared, { readonly: true })
    const left: Array<string> = []
    // A busy machine can divide the changes among more transactions: then others try it again.
    for (let round = 1, together = false; !together; round++) {
      expect(round).toBeLessThan(20)
      const of = (name: string): string => `${round}${name}`
      const ids: Array<number> = []
      for (const person of ["a", "b", "c", "d", "e"].map(of))
        ids.push((await run(observe(person, person)))[0]!.leadId!)
      clock.millis += millisOfDay
      const before = commits
      await run(
        Effect.all(
          [
            observe(of("a"), "Zoe"),
            observe(of("f"), "New"),
            Leads.amend(brand.id, ids[1]!, { qualified: true }),
            Leads.erase(brand, ids[0]!),
            Leads.erase(brand, ids[1]!),
            observe(of("g"), "Newer")
          ],
          { concurrency: "unbounded" }
        )
      )
      together = commits - before < 3
      left.push(...["c", "d", "e", "f", "g"].map(of))
      expect(db.prepare("SELECT ext_id FROM lead ORDER BY id").pluck().all()).toEqual(left)
    }
    expectDerived(db)
    db.close()
    await opened.dispose()
  })

  it("is made anew from the leads, whatever it was [PAGE-1]", async () => {
    await runtime.runPromise(
      clock.provide(play(fc.sample(LeadHistories.history, { numRuns: 1, seed: 7 })[0]!))
    )
    const db = new Database(filename)
    db.exec(`UPDATE lead_count SET n = n + 1; UPDATE lead_day_count SET n = n + 1; UPDATE lead_stretch SET n0 = 0, n3 = 9;
      DELETE FROM lead_stretch WHERE id > 0`)
    expect(() => expectDerived(db)).toThrow()
    for (const statement of rebuildDerivedTables) db.prepare(statement).run()
    const broken = db.prepare("SELECT count(*) AS n FROM lead_stretch WHERE n0 + n3 > 3").get() as {
      n: number
    }
    // Made long; the store cuts them with its next write.
    if (broken.n > 0) await runtime.runPromise(clock.provide(play([{ step: "wait", millis: 1 }])))
    await runtime.runPromise(
      clock.provide(
        play([
          {
            step: "observe",
            seen: fc
              .sample(LeadHistories.history, { numRuns: 50, seed: 8 })
              .flat()
              .flatMap((step) => (step.step === "observe" ? step.seen : []))
              .slice(0, 3)
          }
        ])
      )
    )
    expectDerived(db)
    db.close()
  })

  it("of a file whose signals held their leads' ids alone is made of them [STORE-5, LIST-3]", async () => {
    const earlier = emptyStoreFile()
    const drawn = fc.sample(LeadHistories.history, { numRuns: 4, seed: 11 })
    const playAll = async (): Promise<void> => {
      const opened = runtimeOver(earlier)
      for (const steps of drawn) await opened.runPromise(clock.provide(play(steps)))
      await opened.dispose()
    }
    await playAll()
    const db = new Database(earlier)
    // As its eighth version was.
    takeBackTo(db, 8)
    db.exec(`
      PRAGMA foreign_keys = OFF;
      CREATE TEMP TABLE caught AS SELECT signal_id, lead_id FROM lead_signal;
      CREATE TEMP TABLE reflagged AS SELECT sql FROM sqlite_schema WHERE name = 'lead_reflagged';
      DROP TRIGGER lead_reflagged;
      DROP TABLE lead_signal;
      CREATE TABLE lead_signal (
        signal_id INTEGER NOT NULL REFERENCES signal, lead_id INTEGER NOT NULL REFERENCES lead,
        PRIMARY KEY (signal_id, lead_id)) STRICT, WITHOUT ROWID;
      CREATE INDEX lead_signal_by_lead ON lead_signal (lead_id, signal_id);
      INSERT INTO lead_signal SELECT signal_id, lead_id FROM caught;
      CREATE TRIGGER lead_caught AFTER INSERT ON lead_signal BEGIN
        INSERT INTO lead_count SELECT brand_id, NEW.signal_id, flags, 1 FROM lead WHERE id = NEW.lead_id
          ON CONFLICT DO UPDATE SET n = n + 1;
      END;
      CREATE TRIGGER lead_uncaught AFTER DELETE ON lead_signal BEGIN
        UPDATE lead_count SET n = n - 1
          WHERE signal_id = OLD.signal_id AND (brand_id, flags) = (SELECT brand_id, flags FROM lead WHERE id = OLD.lead_id);
      END`)
    db.exec(db.prepare("SELECT sql FROM reflagged").pluck().get() as string)
    expect(db.prepare("SELECT count(*) FROM lead_signal").pluck().get()).toBeGreaterThan(5)
    expect(() => expectDerived(db)).toThrow()
    await playAll()
    expectDerived(db)
    db.close()
  })

  it("of a file whose search has lost leads, or their new names, is made anew [LIST-5]", async () => {
    const earlier = emptyStoreFile()
    const playAll = async (): Promise<void> => {
      const opened = runtimeOver(earlier)
      for (const steps of fc.sample(LeadHistories.history, { numRuns: isThorough ? 3 : 1, seed: 12 }))
        await opened.runPromise(clock.provide(play(steps)))
      await opened.dispose()
    }
    await playAll()
    const db = new Database(earlier)
    const tables = ["lead_text", "lead_gram"]
    const remade = async (): Promise<void> => {
      takeBackTo(db, 9)
      await playAll()
      expectDerived(db)
      for (const table of tables) {
        expect(db.prepare(`SELECT v FROM ${table}_config WHERE k = 'automerge'`).pluck().get()).toBe(0)
      }
    }
    for (const table of tables) {
      db.exec(`INSERT INTO ${table} (${table}) VALUES ('delete-all')`)
      expect(db.prepare(`SELECT count(*) FROM ${table}_docsize`).pluck().get()).toBe(0)
      await remade()
    }
    // As many entries as there are leads, but not theirs.
    db.exec("UPDATE lead SET name = name || ' renamed', name_key = name_key || ' renamed'")
    expect(() => expectDerived(db)).toThrow()
    await remade()
    db.close()
  })
})
