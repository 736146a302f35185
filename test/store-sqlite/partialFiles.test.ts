/** Copies that are made side by side into one folder, by processes of which one does not see the other's id. */
import * as SqliteStore from "@lead-signals/store-sqlite"
import { partialFile } from "@lead-signals/store-sqlite/internal"
import { Effect, Exit, Layer, Scope } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const storeFile = async () => {
  const filename = join(temporaryFolder(), "leads.sqlite")
  await Effect.runPromise(Effect.scoped(Layer.build(SqliteStore.layer({ filename }))))
  return filename
}

const driver = createRequire(new URL("../../packages/store-sqlite/package.json", import.meta.url)).resolve(
  "better-sqlite3"
)

/** Another process that tries to lock the file, says whether it could, and holds the lock until it is killed. */
const locking = async (file: string) => {
  const program = `const sql = new (require(${JSON.stringify(driver)}))(${JSON.stringify(file)}, { timeout: 0 })
    try { sql.exec("BEGIN EXCLUSIVE"); console.log("locked") } catch ({ code }) { console.log(code) }
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] })
  const [said] = (await once(child.stdout!, "data")) as [Buffer]
  const kill = async () => {
    const ended = once(child, "exit")
    child.kill("SIGKILL")
    await ended
  }
  return { said: String(said).trim(), kill }
}

describe("the partial file of a backup", () => {
  it("stays while another process makes it, whose id is not to be seen, and goes when that is killed [STORE-8, PII-2]", async () => {
    const [filename, folder] = [await storeFile(), temporaryFolder()]
    // What a process of another container is: its id is none here.
    const kill = vi.spyOn(process, "kill").mockImplementation(() => {
      throw Object.assign(new Error("no such process"), { code: "ESRCH" })
    })
    const backup = (name: string) => Effect.runPromise(SqliteStore.backup(filename, join(folder, name)))
    const partial = join(folder, "a.sqlite.0123456789abcdef.lead-signals-partial")
    const other = await locking(`${partial}-lock`)
    expect(other.said).toBe("locked")
    for (const ending of ["", "-journal"]) writeFileSync(partial + ending, "half")
    await backup("b.sqlite")
    expect([existsSync(partial), existsSync(`${partial}-journal`)]).toEqual([true, true])
    await other.kill()
    await backup("c.sqlite")
    expect(readdirSync(folder).sort()).toEqual(["b.sqlite", "c.sqlite"])
    // What a loss of power kept without its lock, and what an earlier version left.
    writeFileSync(partial, "half")
    writeFileSync(join(folder, "a.sqlite.4711.lead-signals-partial"), "half")
    await backup("d.sqlite")
    expect(readdirSync(folder).sort()).toEqual(["b.sqlite", "c.sqlite", "d.sqlite"])
    kill.mockRestore()
  })

  it("is locked for other processes, has a name of its own, and leaves nothing [STORE-8]", async () => {
    const folder = temporaryFolder()
    const target = join(folder, "a.sqlite")
    const scope = await Effect.runPromise(Scope.make())
    const make = () => Effect.runPromise(Scope.extend(partialFile(target), scope))
    const partials = [await make(), await make()]
    expect(new Set(partials).size).toBe(2)
    for (const partial of partials) {
      writeFileSync(partial, "half")
      if (process.platform !== "win32") expect(statSync(`${partial}-lock`).mode & 0o777).toBe(0o600)
      const other = await locking(`${partial}-lock`)
      expect(other.said).toBe("SQLITE_BUSY")
      await other.kill()
    }
    await make()
    for (const partial of partials) expect(existsSync(partial)).toBe(true)
    await Effect.runPromise(Scope.close(scope, Exit.void))
    expect(readdirSync(folder)).toEqual([])
  })
})
