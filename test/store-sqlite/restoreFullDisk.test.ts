/** A restore and a backup onto a disk without room. */
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect } from "effect"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { raw } from "../harness/RawFile.ts"
import { before, removeAfter } from "../harness/RemovedHistory.ts"
import { on, refusalOf, restore, whyNot } from "./RestoredHistory.ts"
import { smallDisk } from "./SmallDisk.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const disk = smallDisk(16)

describe.skipIf(disk === null)("on a full disk", () => {
  it("a restore and a backup leave the database as it was, and no file [REST-4, STORE-8]", async () => {
    const { fill, folder, free } = disk!
    const database = join(folder, "leads.sqlite")
    const backup = join(temporaryFolder(), "backup.sqlite")
    const made = await on(database, before)
    await Effect.runPromise(SqliteStore.backup(database, backup))
    await on(database, removeAfter(made))
    const people = () => raw(database, (db) => db.prepare("SELECT ext_id FROM lead").pluck().all())
    // SQLite leaves log and shared memory where a full disk ended the opening of the file.
    const all = () =>
      readdirSync(folder)
        .filter((name) => !/-(?:wal|shm)$/.test(name))
        .sort()
    const [known, names] = [people(), all()]
    fill()
    expect(await whyNot(backup, database)).toContain("the disk is full")
    const failed = await Effect.runPromise(
      Effect.flip(SqliteStore.backup(database, join(folder, "copy.sqlite")))
    )
    expect(failed).toMatchObject({ reason: expect.stringContaining("the disk") })
    free()
    expect(all()).toEqual(names)
    expect(people()).toEqual(known)
    expect(await refusalOf(database)).toBe("opened")
    const { replayed } = await Effect.runPromise(restore(backup, database))
    expect(replayed.person.done).toBe(2)
  })
})
