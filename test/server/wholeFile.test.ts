/** Files that commands write: where writes take less than they are given, others write beside them, and the power is lost. */
import { fileSink, rejectedLines } from "@lead-signals/server/internal"
import { Effect, Exit, Scope } from "effect"
import fs, { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { afterEach, describe, expect, it, vi } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const { fsyncSync, writeSync } = fs

/** Watches calls of `node:fs` by modules that are loaded already, which a mock of the module would not reach. */
const watched = <Name extends "fsyncSync" | "linkSync" | "renameSync" | "writeSync">(name: Name) => {
  const spy = vi.spyOn(fs, name)
  syncBuiltinESMExports()
  return spy
}

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

/** The order in which files were synced and got their names. */
const stepsOf = async (work: () => Promise<unknown>): Promise<ReadonlyArray<string>> => {
  const calls = { sync: watched("fsyncSync"), link: watched("linkSync"), rename: watched("renameSync") }
  for (const call of Object.values(calls)) call.mockClear()
  await work()
  return Object.entries(calls)
    .flatMap(([name, call]) => call.mock.invocationCallOrder.map((at) => ({ name, at })))
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name)
}

const opened = async (file: string) => {
  const scope = await Effect.runPromise(Scope.make())
  const sink = await Effect.runPromise(Scope.extend(fileSink(file), scope))
  return { ...sink, end: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

describe("the file of an export", () => {
  it("has every byte, also where a write takes less than it is given [CLI-11]", async () => {
    const file = join(temporaryFolder(), "leads.csv")
    // It takes at most three bytes, which may be a part of a character.
    const written = watched("writeSync").mockImplementation(((
      handle: number,
      given: Uint8Array,
      from: number | null = 0
    ) => writeSync(handle, Buffer.from(given).subarray(from ?? 0, (from ?? 0) + 3))) as typeof writeSync)
    const sink = await opened(file)
    await Effect.runPromise(sink.write("Zoë,Größe,🙂\n"))
    await Effect.runPromise(sink.write("second line\n"))
    await Effect.runPromise(sink.finish)
    await sink.end()
    expect(written.mock.calls.length).toBeGreaterThan(8)
    expect(readFileSync(file, "utf8")).toBe("Zoë,Größe,🙂\nsecond line\n")
  })

  // Windows opens no folders.
  it.skipIf(process.platform === "win32")(
    "is on the disk before it has its name, which is then synced, too [CLI-5, CLI-11]",
    async () => {
      const folder = temporaryFolder()
      const sink = await opened(join(folder, "leads.csv"))
      await Effect.runPromise(sink.write("one\n"))
      expect(await stepsOf(() => Effect.runPromise(sink.finish))).toEqual(["sync", "link", "sync"])
      await sink.end()
      const bytes = Buffer.from("{ again")
      const line = { number: 1, bytes, startsAt: 0, endsAt: bytes.length }
      const file = join(folder, "leads.jsonl")
      for (const [imported, steps] of [
        [file, ["sync", "sync"]],
        [`${file}.rejected.jsonl`, ["sync", "rename", "sync"]]
      ] as const) {
        writeFileSync(imported, bytes)
        const rejected = rejectedLines(imported)
        await Effect.runPromise(rejected.add(line))
        expect(await stepsOf(() => Effect.runPromise(rejected.finish))).toEqual(steps)
        expect(readFileSync(`${file}.rejected.jsonl`, "utf8")).toBe("{ again\n")
      }
    }
  )

  it.skipIf(process.platform === "win32")(
    "counts where the file system syncs no folders, and does not where the disk fails [CLI-11]",
    async () => {
      const file = join(temporaryFolder(), "leads.csv")
      const failing = (code: string) => {
        let syncs = 0
        watched("fsyncSync").mockImplementation((handle) => {
          if (++syncs === 2) throw Object.assign(new Error(code), { code })
          fsyncSync(handle)
        })
      }
      for (const [name, code] of [
        ["one", "EINVAL"],
        ["two", "EIO"]
      ] as const) {
        const sink = await opened(`${file}.${name}`)
        await Effect.runPromise(sink.write("one\n"))
        failing(code)
        expect(await Effect.runPromise(Effect.isSuccess(sink.finish))).toBe(code === "EINVAL")
        await sink.end()
      }
      expect(readFileSync(`${file}.one`, "utf8")).toBe("one\n")
    }
  )

  it("leaves alone what another export writes beside it, and what it has made [CLI-11]", async () => {
    const folder = temporaryFolder()
    const file = join(folder, "leads.csv")
    writeFileSync(`${file}.part`, "somebody's")
    const [one, other] = [await opened(file), await opened(file)]
    await Effect.runPromise(one.write("one\n"))
    await Effect.runPromise(other.write("other\n"))
    await Effect.runPromise(one.write("whole\n"))
    await Effect.runPromise(one.finish)
    await one.end()
    const failure = await Effect.runPromise(Effect.flip(other.finish))
    expect(failure.message).toBe(`${file} can't be written: EEXIST.`)
    await other.end()
    const broken = await opened(join(folder, "broken.csv"))
    await Effect.runPromise(broken.write("half"))
    await broken.end()
    expect(readFileSync(file, "utf8")).toBe("one\nwhole\n")
    expect(readFileSync(`${file}.part`, "utf8")).toBe("somebody's")
    expect(readdirSync(folder).sort()).toEqual(["leads.csv", "leads.csv.part"])
    expect(existsSync(join(folder, "broken.csv"))).toBe(false)
  })
})
