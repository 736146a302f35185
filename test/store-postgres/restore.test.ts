/** A database that was restored gets what it lacks of its nodes' journals. */
import { Keys, Leads, recordObservations } from "@lead-signals/domain"
import * as PostgresStore from "@lead-signals/store-postgres"
import { newestMigration } from "@lead-signals/store-postgres/internal"
import { Effect } from "effect"
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { describe, expect, it } from "vitest"
import { entriesOf } from "../harness/JournaledRemovals.ts"
import { isWithoutPostgres, newDatabase } from "../harness/Postgres.ts"
import { expectRemovedAgain, seen } from "../harness/RemovedHistory.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { countingProxy } from "../upgrades/PostgresMessages.ts"
import { newKey } from "./Databases.ts"
import {
  journalIn,
  namedBy,
  type Node,
  on,
  refusalOf,
  restore,
  restoreScenes,
  rowsOf,
  whyNot
} from "./RestoredDatabase.ts"

const { filled, newFolder, restored, root, scene } = restoreScenes()

const peopleIn = async (url: string): Promise<ReadonlyArray<string>> =>
  (await rowsOf(url, "SELECT ext_id FROM lead_signals.lead ORDER BY brand_id, id")).map(
    ({ ext_id }) => ext_id
  )

const authorsIn = async (url: string, brandId: string): Promise<ReadonlyArray<string | null>> =>
  (
    await rowsOf(url, "SELECT DISTINCT author_ext_id FROM lead_signals.engagement WHERE brand_id = $1", [
      brandId
    ])
  ).map(({ author_ext_id }) => author_ext_id)

const soundness = async (url: string, key?: Node["key"]) =>
  (await Effect.runPromise(PostgresStore.check(url, () => {}, key))).problems

describe.skipIf(isWithoutPostgres)("a restore on Postgres", () => {
  it("erases, revokes and deletes again what was since, and nothing of another brand [REST-7]", async () => {
    const { folder, known, url } = await restored()
    expect(await peopleIn(url)).toEqual(["ylva", "bob", "cleo", "ylva", "bob", "cleo", "ylva", "bob", "cleo"])
    const epochs = () => rowsOf(url, "SELECT change_epoch FROM lead_signals.brand ORDER BY id")
    const before = await epochs()
    const done = await Effect.runPromise(restore(url, [folder]))
    expect(done).toMatchObject({
      fromVersion: newestMigration,
      version: newestMigration,
      journals: [journalIn(folder)],
      warnings: [],
      replayed: {
        person: { done: 2, absent: 0 },
        key: { done: 2, absent: 0 },
        token: { done: 1, absent: 0 },
        signal: { done: 3, absent: 0 },
        campaign: { done: 2, absent: 0 },
        webhook: { done: 2, absent: 0 },
        brand: { done: 1, absent: 0 }
      }
    })
    expect(await soundness(url)).toEqual([])
    expect(await peopleIn(url)).toEqual(["bob", "cleo", "ylva", "bob", "cleo"])
    expect(await authorsIn(url, known.mine.brand.id)).toEqual([null])
    expect(await authorsIn(url, known.others.brand.id)).toEqual(["author"])
    // Readers of changes begin anew. [CHG-5]
    expect(await epochs()).not.toEqual(before)
    await on({ url, folder }, expectRemovedAgain(known))
    // Nothing of the person is left in any table.
    const tables = await rowsOf(
      url,
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'lead_signals'"
    )
    let text = ""
    for (const { name } of tables)
      text += JSON.stringify(await rowsOf(url, `SELECT * FROM lead_signals.${name}`))
    expect(text).toContain("Name of author others")
    expect(text).toContain("Name of bob mine")
    for (const name of ["Name of author mine", "Name of ylva mine"]) expect(text).not.toContain(name)
  })

  it("that is repeated finds nothing more to do, and the journals go on [REST-7]", async () => {
    const { folder, known, url } = await restored()
    const entries = entriesOf(journalIn(folder)).map(namedBy).sort()
    await Effect.runPromise(restore(url, [folder]))
    const again = await Effect.runPromise(restore(url, [folder]))
    expect(Object.values(again.lacking)).toEqual([0, 0, 0, 0, 0, 0, 0])
    await on({ url, folder }, Keys.revoke(known.others.brand.id, known.others.key.key.id))
    const after = entriesOf(journalIn(folder))
    expect(after.slice(0, -1).map(namedBy).sort()).toEqual(entries)
    expect(after.at(-1)).toContain(` key ${known.others.brand.id} `)
  })

  it.runIf(isThorough)("of a dry run changes nothing, and says what there is to do [REST-8]", async () => {
    const { folder, url } = await restored()
    const content = () =>
      rowsOf(
        url,
        `SELECT (SELECT json_agg(l.* ORDER BY id) FROM lead_signals.lead l) AS leads, (SELECT count(*) FROM lead_signals.removal) AS removals,
           (SELECT json_agg(b.* ORDER BY id) FROM lead_signals.brand b) AS brands, (SELECT json_agg(j.*) FROM lead_signals.removal_journal j) AS journal`
      )
    const kept = await content()
    const dry = await Effect.runPromise(restore(url, [folder], { dryRun: true }))
    expect([dry.replayed, dry.lacking]).toEqual([
      null,
      { person: 2, key: 2, token: 1, signal: 3, campaign: 2, webhook: 2, brand: 1 }
    ])
    expect(await content()).toEqual(kept)
  })

  it.runIf(isThorough)(
    "takes the journals of all nodes together, also those of a node that served the dump meanwhile [REST-7]",
    async () => {
      const { folder, known, url } = await restored()
      const { brand, leads } = known.others
      // A node without this journal has served the dump, and numbered other removals.
      const meanwhile = newFolder()
      await on({ url, folder: meanwhile }, Leads.erase(brand, leads[2]!))
      expect(await whyNot(url, [newFolder()])).toMatch(/there is no journal of removals in/)
      const done = await Effect.runPromise(restore(url, [meanwhile, journalIn(folder)]))
      expect(done.replayed!.person).toEqual({ done: 2, absent: 0 })
      expect(await peopleIn(url)).toEqual(["bob", "cleo", "ylva", "bob"])
      expect(await soundness(url)).toEqual([])
      for (const each of [folder, meanwhile]) {
        expect(await refusalOf({ url, folder: each })).toBe("opened")
        expect(entriesOf(journalIn(each)).length).toBe(14)
      }
    }
  )

  it.runIf(isThorough)(
    "of a dump that no node with a journal had served gives it the journal's name, and a warning [REST-7]",
    async () => {
      const { folder, url } = await restored()
      await rowsOf(url, "UPDATE lead_signals.removal_journal SET database_id = '', began_at = 0")
      const { replayed, warnings } = await Effect.runPromise(restore(url, [folder]))
      expect(replayed!.brand.done).toBe(1)
      expect(warnings.join()).toContain("backed up before its first node with a journal")
      expect(await refusalOf({ url, folder })).toBe("opened")
      expect(entriesOf(journalIn(folder)).length).toBe(13)
    }
  )

  it.runIf(isThorough)("brings a dump of an older version to this one first [REST-7]", async () => {
    const { folder, url } = await restored()
    // As the version before the first journal left it.
    await rowsOf(
      url,
      `DROP TABLE lead_signals.removal, lead_signals.removal_journal; DROP FUNCTION lead_signals.record_removal CASCADE;
       DELETE FROM lead_signals.migration WHERE id >= 11`
    )
    const dry = await Effect.runPromise(restore(url, [folder], { dryRun: true }))
    expect([dry.fromVersion, dry.version, dry.lacking.person]).toEqual([10, 10, 2])
    const done = await Effect.runPromise(restore(url, [folder]))
    expect([done.fromVersion, done.version, done.replayed!.person.done]).toEqual([10, newestMigration, 2])
    expect(await peopleIn(url)).toEqual(["bob", "cleo", "ylva", "bob", "cleo"])
    expect(await refusalOf({ url, folder })).toBe("opened")
  })

  it.runIf(isThorough)(
    "is refused where removals may be missing, for a newer schema, and while a server runs [REST-8]",
    async () => {
      const { folder, url } = await restored()
      const journal = journalIn(folder)
      const whole = readFileSync(journal, "utf8")
      const lines = whole.split("\n")
      expect(await whyNot(url, [join(root, "nowhere")])).toMatch(/no file and no folder/)
      writeFileSync(join(folder, "notes"), "none")
      expect(await whyNot(url, [join(folder, "notes")])).toMatch(/is not a journal of removals/)
      rmSync(join(folder, "notes"))
      const foreign = newFolder()
      await on({ url: await newDatabase(), folder: foreign }, Effect.void)
      expect(await whyNot(url, [foreign])).toMatch(/is the journal of another database/)
      // One that is among its own is left out.
      const shared = join(folder, basename(journalIn(foreign)))
      renameSync(journalIn(foreign), shared)
      const { lacking } = await Effect.runPromise(restore(url, [folder], { dryRun: true }))
      expect(lacking.person).toBe(2)
      rmSync(shared)
      writeFileSync(journal, whole.replace("webhook", "Webhook"))
      expect(await whyNot(url, [folder])).toMatch(/is damaged behind removal 6.*--accept-incomplete-journal/)
      const dry = await Effect.runPromise(restore(url, [folder], { dryRun: true, acceptIncomplete: true }))
      expect([dry.lacking.webhook, dry.warnings.length]).toEqual([0, 1])
      writeFileSync(journal, whole.replace("lead-signals-removals-1", "lead-signals-removals-9"))
      expect(await whyNot(url, [folder])).toMatch(/is damaged from its first line on/)
      writeFileSync(journal, whole)
      // The database has more than the journal, which is a copy of before.
      const { folder: late, url: current } = await scene()
      writeFileSync(journalIn(late), `${lines.slice(0, 9).join("\n")}\n`)
      expect(await whyNot(current, [late])).toMatch(/ends with removal 8, before the database was backed up/)
      await rowsOf(url, "INSERT INTO lead_signals.migration VALUES (99, 'later', 1)")
      expect(await whyNot(url, [folder])).toMatch(/schema version 99 and this program has/)
      await rowsOf(url, "DELETE FROM lead_signals.migration WHERE id = 99")
      await on(
        { url },
        Effect.promise(async () =>
          expect(await whyNot(url, [folder])).toMatch(/servers are running on the database/)
        )
      )
      expect(await peopleIn(url)).toHaveLength(9)
      expect(await whyNot(await newDatabase(), [folder])).toMatch(/no tables of Lead Signals/)
    }
  )

  it.runIf(isThorough).each(["the dump", "today"])(
    "of an encrypted database needs its key, erases the keys of persons, and replays under it, with persons' keys of %s [REST-7, PII-4]",
    async (keysOf) => {
      const key = newKey()
      const { dump: url, folder, known, url: today } = await filled(key)
      if (keysOf === "today") {
        // As docs/scale.md keeps dumps: without the keys of persons, of which there is one file, the newest.
        const kept = await rowsOf(today, "SELECT person FROM lead_signals.person_key")
        await rowsOf(url, "DELETE FROM lead_signals.person_key WHERE person <> ALL ($1)", [
          kept.map(({ person }) => person)
        ])
      }
      for (const encryptionKey of [undefined, newKey()])
        expect(await whyNot(url, [folder], { encryptionKey })).toMatch(/encrypted under the key/)
      const persons = () =>
        rowsOf(url, "SELECT person FROM lead_signals.person_key WHERE brand_id = $1", [known.mine.brand.id])
      const before = (await persons()).length
      const done = await Effect.runPromise(restore(url, [folder], { encryptionKey: key }))
      expect(done.replayed).toMatchObject({
        person: { done: 2, absent: 0 },
        key: { done: 2 },
        brand: { done: 1 },
        webhook: { done: 2 }
      })
      // Two persons of the brand, of whom one was the author of all posts.
      expect((await persons()).length).toBe(keysOf === "today" ? before : before - 2)
      expect(await soundness(url, key)).toEqual([])
      const outcome = await on(
        { url, folder, key },
        Effect.map(
          recordObservations(known.mine.brand, [seen(known.mine.signal.id, "ylva", "mine-again", "x")]),
          ([again]) => again!.outcome
        )
      )
      expect(outcome).toBe("suppressed")
    }
  )

  it.runIf(isThorough)("that is cut off at any message goes on when it is repeated [REST-8]", async () => {
    const { folder, url } = await restored()
    const counting = await countingProxy(url)
    counting.arm(0, () => {})
    await Effect.runPromise(restore(counting.url, [folder]))
    const messages = counting.messages()
    await counting.close()
    expect(messages).toBeGreaterThan(100)
    const state = async (of: string) => ({
      people: await peopleIn(of),
      removals: await rowsOf(
        of,
        "SELECT at, kind, brand_id, subject FROM lead_signals.removal ORDER BY 1, 2, 3, 4"
      ),
      suppressed: await rowsOf(of, "SELECT * FROM lead_signals.suppression ORDER BY 1, 2"),
      keys: await rowsOf(of, "SELECT id, revoked_at FROM lead_signals.api_key ORDER BY id"),
      brands: await rowsOf(of, "SELECT id, name, deletion_started_at FROM lead_signals.brand ORDER BY id"),
      webhooks: await rowsOf(of, "SELECT id FROM lead_signals.webhook ORDER BY id")
    })
    const wanted = await state(url)
    let cuts = 0
    for (let at = 3; at <= messages; at += Math.ceil(messages / 25)) {
      const again = await restored()
      const proxy = await countingProxy(again.url)
      proxy.arm(at, (cut) => {
        cuts++
        cut()
      })
      await Effect.runPromiseExit(restore(proxy.url, [again.folder]))
      await proxy.close()
      await Effect.runPromise(restore(again.url, [again.folder]))
      expect([at, await state(again.url)]).toEqual([at, wanted])
      expect(await soundness(again.url)).toEqual([])
      expect(await refusalOf(again)).toBe("opened")
    }
    expect(cuts).toBeGreaterThan(1)
  })
})
