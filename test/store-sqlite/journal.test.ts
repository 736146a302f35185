/** The journal of removals beside a SQLite file: what it has, when, and what becomes of it when it is lost or can't be written. */
import { Keys, Leads, StoreHealth } from "@lead-signals/domain"
import { Effect } from "effect"
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { raw } from "../harness/RawFile.ts"
import { on, refusalOf, restore, whyNot } from "./RestoredHistory.ts"
import { linesOf, restoreScenes } from "./RestoreScenes.ts"

const { known, scene } = await restoreScenes()

describe("the journal of removals", () => {
  it("has each erasure, revocation and deletion when its call ends, and no personal data [REST-1]", async () => {
    const { database, journal } = scene()
    const text = readFileSync(journal, "utf8")
    const kinds = linesOf(journal)
      .slice(1, -1)
      .map((line) => `${line.split(" ")[2]} ${line.split(" ")[3]}`)
    const [mine, gone] = [known.mine.brand.id, known.gone.brand.id]
    expect(kinds).toEqual([
      `person ${mine}`,
      `person ${mine}`,
      `key ${mine}`,
      "token -",
      `signal ${mine}`,
      `campaign ${mine}`,
      `webhook ${mine}`,
      // The deletion of a brand revokes its keys and deletes its signals.
      `key ${gone}`,
      `signal ${gone}`,
      `signal ${gone}`,
      `brand ${gone}`,
      `webhook ${gone}`,
      `campaign ${gone}`
    ])
    for (const personal of [
      "ylva",
      "author",
      "Name",
      "Zebrafinch",
      "receiver",
      known.mine.key.value,
      known.token.value
    ])
      expect(text.slice(text.indexOf("\n"))).not.toContain(personal)
    expect(statSync(journal).mode & 0o077).toBe(0)
    // Each is there when its call ends, not when the store closes.
    await on(
      database,
      Effect.gen(function* () {
        const { brand, key, leads } = known.others
        yield* Leads.erase(brand, leads[1]!)
        expect(linesOf(journal).at(-2)).toContain(` person ${brand.id} `)
        yield* Keys.revoke(brand.id, key.key.id)
        yield* Keys.revoke(brand.id, key.key.id)
        expect(linesOf(journal).length).toBe(kinds.length + 4)
      })
    )
  })

  it("is made good at the next start after a kill, a loss or damage of it [REST-2]", async () => {
    const { database, folder, journal } = scene()
    const whole = readFileSync(journal, "utf8")
    const reopened = async () => {
      await on(database, Effect.void)
      return readFileSync(journal, "utf8")
    }
    // A kill between the commit and the journal, or within a line of it.
    for (const cut of [1, 40, 200]) {
      writeFileSync(journal, whole.slice(0, -cut))
      expect(await reopened()).toBe(whole)
    }
    rmSync(journal)
    expect(await reopened()).toBe(whole)
    expect(readdirSync(folder)).not.toContain("leads.sqlite-removals.damaged")
    const damaged = whole.replace("person", "Person")
    writeFileSync(journal, damaged)
    expect(await reopened()).toBe(whole)
    expect(readFileSync(`${journal}.damaged`, "utf8")).toBe(damaged)
  })

  it("that can't be written keeps no removal from being done, and gets it as soon as it can [REST-2, HEALTH-3]", async () => {
    const { database, journal } = scene()
    const { brand, key, leads } = known.others
    await on(
      database,
      Effect.gen(function* () {
        const { check } = yield* StoreHealth
        const lines = linesOf(journal).length
        rmSync(journal)
        mkdirSync(journal)
        const refused = yield* Effect.flip(Leads.erase(brand, leads[0]!))
        expect(refused).toMatchObject({
          publicReason: expect.stringContaining(
            "the removal is done, and could not be written to the journal"
          )
        })
        // It is done; and so is the next.
        expect((yield* Effect.flip(Leads.erase(brand, leads[0]!)))._tag).toBe("@lead-signals/domain/NotFound")
        expect((yield* Effect.either(Keys.revoke(brand.id, key.key.id)))._tag).toBe("Left")
        const problem = expect.stringContaining("the journal of removals")
        expect(yield* check).toEqual({ writeProblem: problem, journalProblem: problem })
        rmSync(journal, { recursive: true })
        while ((yield* check).writeProblem !== null) yield* Effect.sleep("20 millis")
        expect((yield* check).journalProblem).toBeNull()
        expect(linesOf(journal).length).toBe(lines + 2)
      })
    )
  })

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
    // The next removal goes on behind them.
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
})
