/** The journal of removals beside a SQLite file: what it has, when, and what becomes of it when it is lost or can't be written. */
import { Keys, Leads } from "@lead-signals/domain"
import { DriverConnection, openJournal } from "@lead-signals/store-sqlite/internal"
import { Effect, Fiber } from "effect"
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setImmediate as nextTick } from "node:timers/promises"
import { describe, expect, it, vi } from "vitest"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"
import {
  expectEachRemoval,
  expectLateEntries,
  expectMadeGood,
  type JournaledStore
} from "../harness/JournaledRemovals.ts"
import { raw } from "../harness/RawFile.ts"
import { on, refusalOf, restore, whyNot } from "./RestoredHistory.ts"
import { linesOf, restoreScenes } from "./RestoreScenes.ts"

const { known, scene } = await restoreScenes()

const journaled = ({ database, journal }: ReturnType<typeof scene>): JournaledStore => ({
  known,
  journal,
  on: (work) => on(database, work)
})

describe("the journal of removals", () => {
  it("has each erasure, revocation and deletion when its call ends, and no personal data [REST-1]", () =>
    expectEachRemoval(journaled(scene()), ["key", "signal", "signal", "brand", "webhook", "campaign"]))

  it("is made good at the next start after a kill, a loss or damage of it [REST-2]", () =>
    expectMadeGood(journaled(scene())))

  it("that can't be written keeps no removal from being done, and gets it as soon as it can [REST-2, HEALTH-3]", () =>
    expectLateEntries(journaled(scene())))

  it("that can't be written does not keep the store from closing [REST-2]", async () => {
    const { database, journal } = scene()
    const { brand, key } = known.others
    const revoke = Effect.suspend(() => {
      rmSync(journal)
      mkdirSync(journal)
      return Effect.either(Keys.revoke(brand.id, key.key.id))
    })
    expect((await on(database, revoke))._tag).toBe("Left")
  })

  it("keeps a backup that was put in the place of the file by hand from being served [REST-2]", async () => {
    const { backup, database } = scene()
    for (const ending of ["", "-wal", "-shm"]) rmSync(database + ending, { force: true })
    cpSync(backup, database)
    expect(await refusalOf(database)).toMatch(
      /older than its journal of removals.*13 erasures.*lead-signals restore/
    )
    await Effect.runPromise(restore(backup, database))
    expect(await refusalOf(database)).toBe("opened")
  })

  it("forgets what is 400 days old, and a backup from before is refused [REST-2, REST-3]", async () => {
    const { backup, database, journal } = scene()
    const day = 24 * 3_600_000
    raw(database, (db) => {
      db.prepare("UPDATE removal SET at = ? WHERE position <= 5").run(Date.now() - 401 * day)
      db.prepare("UPDATE removal SET at = ? WHERE position = 6").run(Date.now() - 399 * day)
    })
    rmSync(journal)
    await on(database, Effect.void)
    const [first, ...kept] = linesOf(journal)
    expect([first!.split(" ")[2], kept.length]).toEqual(["5", 9])
    expect(raw(database, (db) => db.prepare("SELECT min(position) FROM removal").pluck().get())).toBe(6)
    expect(await whyNot(backup, database)).toMatch(/begins with removal 6.*older than the journal reaches/)
    // `dropOld` drops from the front: the next removal goes on behind what stays.
    await on(database, Leads.erase(known.others.brand, known.others.leads[0]!))
    expect(linesOf(journal).at(-2)).toMatch(/^14 /)
  })

  it("of another database is kept, and the new one gets its own [REST-2]", async () => {
    const { database, folder, journal } = scene()
    const [first] = linesOf(journal)
    for (const ending of ["", "-wal", "-shm"]) rmSync(database + ending, { force: true })
    await on(database, Effect.void)
    const name = first!.split(" ")[1]!.slice(0, 8)
    expect(readdirSync(folder)).toContain(`leads.sqlite-removals.${name}`)
    // A restore still finds it.
    const { replayed } = await Effect.runPromise(restore(join(folder, "backup.sqlite"), database))
    expect(replayed.person.done).toBe(2)
  })

  it("waits for what the worker writes, however long that takes, and then has each removal [REST-1]", async () => {
    const sql = new DriverConnection(emptyStoreFile(), { readonly: false, busyMillis: 0 })
    const written = vi.fn()
    const barrier = { raised: null as Promise<void> | null }
    const resources = {
      barrier,
      journal: { checkAge: () => {}, isCurrent: () => false, copyOut: written },
      log: { sync: Effect.void },
      opened: { checked: Effect.void },
      writer: sql
    } as unknown as Parameters<typeof openJournal>[0]
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const { journalRemovals } = yield* openJournal(resources)
          expect(written).toHaveBeenCalledTimes(1)
          let lower = (): void => {}
          barrier.raised = new Promise((resolve) => (lower = resolve))
          const removing = yield* Effect.fork(journalRemovals)
          for (let tick = 0; tick < 20; tick++) yield* Effect.promise(() => nextTick())
          expect(written).toHaveBeenCalledTimes(1)
          lower()
          yield* Fiber.join(removing)
          expect(written).toHaveBeenCalledTimes(2)
        })
      )
    )
    sql.close()
  })
})
