/** Files that root makes beside those of a service's account: the account goes on with them. */
import { generateEncryptionKey, parseEncryptionKey } from "@lead-signals/encryption"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Either, Layer } from "effect"
import { chownSync, lstatSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

/** An account that owns nothing else here. */
const account = 65_432

const open = (filename: string): Promise<void> =>
  Effect.runPromise(Effect.scoped(Effect.asVoid(Layer.build(SqliteStore.layer({ filename })))))

const ownersIn = (folder: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => [name, lstatSync(join(folder, name)).uid])
  )

const giveAway = (folder: string): void => {
  chownSync(folder, account, account)
  for (const name of readdirSync(folder)) chownSync(join(folder, name), account, account)
}

describe.skipIf(process.getuid?.() !== 0)("what root makes in the folder of an account", () => {
  it("belongs to the account: a new file, its journal, a restored file and one under another key [REST-4, PII-4]", async () => {
    const folder = temporaryFolder()
    chownSync(folder, account, account)
    const file = join(folder, "leads.sqlite")
    await open(file)
    expect(Object.values(ownersIn(folder)).every((uid) => uid === account)).toBe(true)

    giveAway(folder)
    rmSync(`${file}-removals`)
    await open(file)
    expect(ownersIn(folder)).toMatchObject({ "leads.sqlite": account, "leads.sqlite-removals": account })

    const backup = join(temporaryFolder(), "backup.sqlite")
    await Effect.runPromise(SqliteStore.backup(file, backup))
    expect(lstatSync(backup).uid).toBe(0)
    const restored = { file: backup, journal: "beside", acceptIncomplete: false, dryRun: false } as const
    await Effect.runPromise(SqliteStore.restore({ ...restored, target: file, replace: true }))
    expect(lstatSync(file).uid).toBe(account)
    rmSync(file)
    await Effect.runPromise(SqliteStore.restore({ ...restored, target: file, replace: false }))
    expect(lstatSync(file).uid).toBe(account)

    const key = Either.getOrThrow(parseEncryptionKey(generateEncryptionKey()))
    expect(
      await Effect.runPromise(SqliteStore.rekey(file, { current: undefined, target: { key, scope: "file" } }))
    ).toEqual({ changed: true })
    expect(ownersIn(folder)).toMatchObject({ "leads.sqlite": account, "leads.sqlite-removals": account })
  })
})
