/** What SIGINT and SIGTERM do to commands. */
import Database from "better-sqlite3"
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer as createHttpServer } from "node:http"
import { createServer } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { describe, expect, it } from "vitest"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { compileCache, nodeArguments } from "../harness/BundledServer.ts"
import { program, runProcess } from "../harness/CommandRun.ts"
import { operatorToken } from "../harness/ServerProcess.ts"

const folder = temporaryFolder()

describe("a signal", () => {
  /** Starts a command, sends the signal when it has come so far, and gives the exit code, or the signal that ended it. */
  const interrupted = async (
    signal: NodeJS.Signals,
    args: ReadonlyArray<string>,
    reached: (child: ChildProcess) => Promise<unknown>
  ): Promise<number | string> => {
    const child = spawn(process.execPath, [...nodeArguments, program, ...args], {
      cwd: folder,
      env: {
        PATH: process.env["PATH"],
        NODE_COMPILE_CACHE: compileCache,
        LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken
      }
    })
    const exit = once(child, "exit")
    const hangs = setTimeout(() => child.kill("SIGKILL"), 300_000)
    await Promise.race([reached(child), exit])
    child.kill(signal)
    const [code, by] = await exit
    clearTimeout(hangs)
    return code ?? by
  }

  it("ends a command with exit code 130 or 143 [CLI-1]", async () => {
    const silent = createServer().listen(0, "127.0.0.1")
    await once(silent, "listening")
    const url = `http://127.0.0.1:${(silent.address() as { port: number }).port}`
    const connected = () => once(silent, "connection")
    const observations = join(folder, "unanswered.jsonl")
    writeFileSync(observations, "{}\n")
    type Interruption = readonly [NodeJS.Signals, ReadonlyArray<string>, number]
    const importing = ["import", observations, "--brand", "1", "--url", url]
    const interruptions: ReadonlyArray<Interruption> = [
      ["SIGINT", ["brands", "list", "--url", url], 130],
      ["SIGTERM", importing, 143],
      ["SIGTERM", ["brands", "list", "--url", url], 143],
      ["SIGINT", importing, 130]
    ]
    for (const [signal, args, code] of interruptions.slice(0, isThorough ? 4 : 1)) {
      expect([signal, args[0], await interrupted(signal, args, connected)]).toEqual([signal, args[0], code])
    }
    silent.close()
  })

  it("ends an import with what was recorded, and how to go on [CLI-5]", async () => {
    let posts = 0
    let isHeld = (): void => {}
    const held = new Promise<void>((resolve) => (isHeld = resolve))
    // Answers the first batch, and no other.
    const server = createHttpServer(async (request, response) => {
      const body = await text(request)
      if (++posts > 1) return isHeld()
      const outcome = '{"engagementId":"e","outcome":"recorded","leadId":1}\n'
      response
        .setHeader("content-type", "application/x-ndjson")
        .end(outcome.repeat(body.trim().split("\n").length))
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
    const observations = join(folder, "interrupted.jsonl")
    writeFileSync(observations, "{}\n".repeat(600))
    let err = ""
    const importing = ["import", observations, "--brand", "1", "--url", url]
    const code = await interrupted("SIGINT", importing, ({ stderr }) => {
      stderr!.on("data", (chunk) => (err += String(chunk)))
      return held
    })
    server.close()
    server.closeAllConnections()
    expect(code).toBe(130)
    expect(err).toContain(
      "Stopped after 500 recorded, 0 duplicates, 0 suppressed, 0 rejected; run the import again to record the rest."
    )
  })

  it.runIf(isThorough)("ends a backup and leaves no copy [STORE-8]", async () => {
    const large = join(folder, "large.sqlite")
    const db = new Database(large)
    // Small pages take long to copy.
    db.exec(
      `PRAGMA page_size = 512; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; CREATE TABLE t (b);
       CREATE TABLE lead (id); CREATE TABLE migration (migration_id); INSERT INTO migration VALUES (1);`
    )
    db.prepare("INSERT INTO t VALUES (zeroblob(?))").run(100_000_000)
    db.close()
    const target = join(folder, "interrupted.sqlite")
    const partials = (): ReadonlyArray<string> =>
      readdirSync(folder)
        .filter((name) => name.includes("partial"))
        .map((name) => join(folder, name))
    const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0
    const begun = async (): Promise<void> => {
      if (partials().some((file) => sizeOf(file) > 0)) return
      await new Promise((resolve) => setTimeout(resolve, 1))
      return begun()
    }
    let code: number | string = 0
    // A machine that is held up may see the whole copy made before it sends the signal.
    for (let i = 0; i < 5 && code === 0; i++) {
      rmSync(target, { force: true })
      code = await interrupted("SIGTERM", ["backup", target, "--database", large], begun)
    }
    expect(code).toBe(143)
    expect([existsSync(target), partials()]).toEqual([false, []])

    // One that is killed can't: what it leaves is its owner's alone, and the next one removes it.
    for (let i = 0; i < 5 && partials().length === 0; i++) {
      rmSync(target, { force: true })
      code = await interrupted("SIGKILL", ["backup", target, "--database", large], begun)
    }
    expect(code).toBe("SIGKILL")
    for (const file of partials()) expect(statSync(file).mode & 0o077).toBe(0)
    const small = emptyStoreFile()
    const other = join(folder, "afterwards.sqlite")
    expect((await runProcess(folder, ["backup", other, "--database", small])).code).toBe(0)
    expect(partials()).toEqual([])
  })

  it("stops serve and listen cleanly, with exit code 0 [CLI-1]", async () => {
    const listening = async ({ stderr, stdout }: ChildProcess): Promise<unknown> =>
      new Promise<void>((resolve) => {
        for (const stream of [stdout!, stderr!])
          stream.on("data", (chunk) => String(chunk).includes("Listening on") && resolve())
      })
    const serving = ["serve", "--database", "memory", "--no-demo", "--port", "0"]
    const receiving = ["listen", "--port", "0"]
    expect(await interrupted("SIGINT", serving, listening)).toBe(0)
    if (!isThorough) return
    expect(await interrupted("SIGTERM", receiving, listening)).toBe(0)
    expect(await interrupted("SIGTERM", serving, listening)).toBe(0)
    expect(await interrupted("SIGINT", receiving, listening)).toBe(0)
  })
})
