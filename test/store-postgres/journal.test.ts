/** Nodes keep journals of removals beside their database. */
import { Keys, Leads, StoreHealth } from "@lead-signals/domain"
import {
  type Connection,
  connectionOf,
  RemovalJournal,
  StatementTexts
} from "@lead-signals/store-postgres/internal"
import { Effect } from "effect"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { copyOfDatabase, isWithoutPostgres } from "../harness/Postgres.ts"
import {
  entriesOf,
  expectEachRemoval,
  expectLateEntries,
  expectMadeGood,
  type JournaledStore
} from "../harness/JournaledRemovals.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import {
  journalIn,
  on,
  refusalOf,
  restore,
  restoreScenes,
  rowsOf,
  storeOf,
  whyNot
} from "./RestoredDatabase.ts"

const { newFolder, restored, root, scene, template } = restoreScenes()

const journaled = ({ folder, known, url }: Awaited<ReturnType<typeof scene>>): JournaledStore => ({
  known,
  journal: journalIn(folder),
  on: (work) => on({ url, folder }, work)
})

describe.skipIf(isWithoutPostgres)("the journal of removals on Postgres", () => {
  it("has each erasure, revocation and deletion when its call ends, and no personal data [REST-1]", async () =>
    expectEachRemoval(journaled(await scene()), ["brand", "key", "signal", "signal", "webhook", "campaign"]))

  it.runIf(isThorough)(
    "of each node has what all nodes removed, of one folder as of several, also what a node of before removed [REST-1]",
    async () => {
      const { folder, known, url } = await scene()
      const other = newFolder()
      const [first, second, third] = [folder, folder, other].map((each) => storeOf({ url, folder: each }))
      const { brand, key, leads } = known.others
      const journal = journalIn(folder)
      await Effect.runPromise(
        Effect.gen(function* () {
          yield* Effect.all(
            [
              Effect.provide(Leads.erase(brand, leads[0]!), first!),
              Effect.provide(Leads.erase(brand, leads[1]!), second!),
              Effect.provide(
                Effect.gen(function* () {
                  yield* Keys.revoke(brand.id, key.key.id)
                  // As nodes of an earlier version do: they know of no journal.
                  yield* Effect.promise(() =>
                    rowsOf(
                      url,
                      "UPDATE lead_signals.signal SET deleted_at = 77 WHERE brand_id = $1 AND deleted_at IS NULL",
                      [brand.id]
                    )
                  )
                  while (
                    entriesOf(journalIn(other)).filter((line) => line.includes(" 77 signal ")).length < 2
                  )
                    yield* Effect.sleep("20 millis")
                }),
                third!
              )
            ],
            { concurrency: "unbounded" }
          )
        })
      )
      await on({ url, folder }, Effect.void)
      const entries = entriesOf(journal)
      expect(entries.length).toBe(13 + 5)
      expect(entriesOf(journalIn(other))).toEqual(entries)
      expect(entries.map((line) => Number(line.split(" ")[0]))).toEqual(entries.map((_, i) => i + 1))
    }
  )

  it("costs an idle node one statement each time, and finds what other nodes removed by it [REST-1]", async () => {
    const { folder, known, url } = await scene()
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    const texts: Array<string> = []
    const sql = connectionOf(
      {
        query: (config) => {
          texts.push(config.text)
          return pool.query(config)
        }
      },
      new StatementTexts("lead_signals", false),
      60_000
    )
    const run = <A>(work: (connection: Connection) => Promise<A>) => work(sql)
    const journal = new RemovalJournal(folder, { read: run, readSnapshot: run, write: run })
    await journal.bringUp(Date.now())
    texts.length = 0
    await journal.bringUp(Date.now())
    expect(texts).toHaveLength(1)
    // Another node, with a folder of its own.
    await on({ url, folder: newFolder() }, Keys.revoke(known.others.brand.id, known.others.key.key.id))
    const before = entriesOf(journalIn(folder)).length
    await journal.bringUp(Date.now())
    expect(entriesOf(journalIn(folder)).slice(before)).toEqual([expect.stringContaining(" key ")])
    await pool.end()
  })

  it.runIf(isThorough)(
    "is made good at the next start after a kill, a loss or damage of it [REST-2]",
    async () => expectMadeGood(journaled(await scene()))
  )

  it("that can't be written keeps no removal from being done, and gets it as soon as it can [REST-2, HEALTH-3]", async () =>
    expectLateEntries(journaled(await scene())))

  it.runIf(isThorough)(
    "whose folder is missing keeps the store neither from opening nor from closing [REST-2]",
    async () => {
      const { known, url } = await scene()
      const revoke = Effect.either(Keys.revoke(known.others.brand.id, known.others.key.key.id))
      expect((await on({ url, folder: join(root, "missing") }, revoke))._tag).toBe("Left")
      expect((await on({ url }, revoke))._tag).toBe("Right")
    }
  )

  it("keeps a dump that was restored from being served, until what it lacks is done again [REST-2, REST-7]", async () => {
    const { folder, url } = await restored()
    const refusal = await refusalOf({ url, folder })
    expect(refusal).toMatch(/older than its journal of removals.*13 erasures.*lead-signals restore --journal/)
    await Effect.runPromise(restore(url, [folder]))
    expect(await refusalOf({ url, folder })).toBe("opened")
  })

  it("is kept by a node whose database loses removals while it runs, and answers none [REST-2]", async () => {
    const { folder, known, url } = await scene()
    const { brand, key } = known.others
    const whole = readFileSync(journalIn(folder), "utf8")
    await on(
      { url, folder },
      Effect.gen(function* () {
        // As after a switch to a standby that had not got the last commits.
        yield* Effect.promise(() => rowsOf(url, "DELETE FROM lead_signals.removal WHERE position > 11"))
        const failure = yield* Effect.flip(Keys.revoke(brand.id, key.key.id))
        expect(failure).toMatchObject({
          publicReason:
            "the database lacks 2 erasures, revocations or deletions that its journal of removals has"
        })
        const { journalProblem } = yield* (yield* StoreHealth).check
        expect(journalProblem).toContain("the database lacks 2 erasures")
      })
    )
    expect(readFileSync(journalIn(folder), "utf8")).toBe(whole)
  })

  it("forgets all of them at once when all are 400 days old, those without a position, too [REST-2]", async () => {
    const { url } = await scene()
    await rowsOf(url, "UPDATE lead_signals.removal SET at = 5")
    await rowsOf(url, "UPDATE lead_signals.removal SET position = NULL WHERE position > 10")
    await on({ url }, Effect.void)
    expect(
      await rowsOf(
        url,
        `SELECT dropped::int, (SELECT count(*)::int FROM lead_signals.removal) AS left FROM lead_signals.removal_journal`
      )
    ).toEqual([{ dropped: 13, left: 0 }])
  })

  it.runIf(isThorough)(
    "forgets what is 400 days old, and a dump from before is refused [REST-2, REST-8]",
    async () => {
      const { folder, known, url } = await scene()
      const day = 24 * 3_600_000
      for (const [days, where] of [
        [401, "position <= 5"],
        [399, "position = 6"]
      ] as const)
        await rowsOf(url, `UPDATE lead_signals.removal SET at = $1 WHERE ${where}`, [Date.now() - days * day])
      const journal = journalIn(folder)
      rmSync(journal)
      await on({ url, folder }, Effect.void)
      expect(readFileSync(journal, "utf8").split(" ")[2]).toBe("5")
      expect(entriesOf(journal).length).toBe(8)
      const dump = await copyOfDatabase((await template()).dump)
      expect(await whyNot(dump, [folder])).toMatch(/begins with removal 6.*older than the journals reach/)
      // The next removal goes on behind them.
      await on({ url, folder }, Leads.erase(known.others.brand, known.others.leads[0]!))
      expect(entriesOf(journal).at(-1)).toMatch(/^14 /)
      // A node without a journal drops them, too.
      await rowsOf(url, "UPDATE lead_signals.removal SET at = 5 WHERE position <= 8")
      await on({ url }, Effect.void)
      expect(await rowsOf(url, "SELECT min(position)::int AS first FROM lead_signals.removal")).toEqual([
        { first: 9 }
      ])
    }
  )

  it.runIf(isThorough)(
    "goes on in a schema that got another name, as a copy into Postgres gives it [REST-1, STORE-10]",
    async () => {
      const { known, url } = await scene()
      await rowsOf(url, "ALTER SCHEMA lead_signals RENAME TO renamed")
      await rowsOf(url, "UPDATE renamed.api_key SET revoked_at = 7 WHERE brand_id = $1", [
        known.others.brand.id
      ])
      expect(await rowsOf(url, "SELECT kind FROM renamed.removal WHERE at = 7")).toEqual([{ kind: "key" }])
    }
  )
})
