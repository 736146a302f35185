/** A write is answered when it is on the disk, and a call that waits for the disk keeps no other waiting. */
import {
  Brands,
  BrandStore,
  Leads,
  recordObservations,
  Signals,
  StoreUnavailable
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { WriteAheadLog } from "@lead-signals/store-sqlite/internal"
import Database from "better-sqlite3"
import { Effect, Either, Fiber, Layer, ManagedRuntime } from "effect"
import fs, { copyFileSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"
import { filesIn, temporaryFolder } from "../harness/TemporaryFolder.ts"

type Ended = (failure: NodeJS.ErrnoException | null) => void

const disk = { syncs: [] as Array<{ path: string; end: Ended }>, isHeld: false }

/** Node's own, for all who import it from now on; put back after these tests. */
const itsOwn = fs.fdatasync

const put = (fdatasync: unknown): void => {
  Object.assign(fs, { fdatasync })
  syncBuiltinESMExports()
}

put((fd: number, ended: Ended) => {
  const path = fs.readlinkSync(`/proc/self/fd/${fd}`)
  const end: Ended = (failure) => (failure === null ? itsOwn(fd, ended) : ended(failure))
  disk.syncs.push({ path, end })
  if (!disk.isHeld) end(null)
})
afterAll(() => put(itsOwn))

const newFile = filesIn(temporaryFolder(), "durable")

const open = (filename = emptyStoreFile()) => {
  const runtime = ManagedRuntime.make(Layer.merge(SqliteStore.layer({ filename }), webCrypto))
  return { filename, runtime }
}

const until = async (isSo: () => boolean): Promise<void> => {
  for (let waited = 0; !isSo(); waited++) {
    if (waited > 4000) throw new Error("it never was so")
    await sleep(1)
  }
}

afterEach(() => {
  disk.isHeld = false
})

/** What waits for the disk from now on is let go by hand. */
const hold = (): void => {
  disk.syncs = []
  disk.isHeld = true
}

/** A store with one brand, and the answer to the write of another for which the disk failed. */
const failing = async () => {
  const { filename, runtime } = open()
  await runtime.runPromise(Brands.create("First"))
  hold()
  const written = runtime.runPromise(Effect.either(Brands.create("Second")))
  await until(() => disk.syncs.length > 0)
  disk.syncs[0]!.end(Object.assign(new Error("no"), { code: "EIO" }))
  return { filename, runtime, answer: await written }
}

describe.skipIf(process.platform !== "linux")("a write to the SQLite file", () => {
  it("is answered when its log is on the disk, and others read meanwhile [STORE-2]", async () => {
    const { filename, runtime } = open()
    await runtime.runPromise(Brands.create("First"))
    hold()
    let isAnswered = false
    const written = runtime.runPromise(Brands.create("Second")).then(() => {
      isAnswered = true
    })
    await until(() => disk.syncs.length > 0)
    expect(disk.syncs.map(({ path }) => path)).toEqual([`${filename}-wal`])
    await runtime.runPromise(Brands.get("1"))
    expect(isAnswered).toBe(false)
    disk.syncs[0]!.end(null)
    await written
    await runtime.dispose()
  })

  it("fails when the disk does, though it may have been written [STORE-2]", async () => {
    const { answer, runtime } = await failing()
    expect(Either.isLeft(answer) && answer.left).toBeInstanceOf(StoreUnavailable)
    expect(String(Either.isLeft(answer) && answer.left)).toContain("EIO")
    await runtime.dispose()
  })

  it("that finds nothing to do is not answered after a failure before all is in the file [STORE-2]", async () => {
    const { answer, filename, runtime } = await failing()
    expect(Either.isLeft(answer)).toBe(true)
    expect(statSync(`${filename}-wal`).size).toBeGreaterThan(0)
    disk.isHeld = false
    const nothing = await runtime.runPromise(Effect.either(Leads.amend("1", 1, { qualified: true })))
    expect(String(Either.isLeft(nothing) && nothing.left)).toContain("There is no such lead")
    expect(statSync(`${filename}-wal`).size).toBe(0)
    await runtime.runPromise(Brands.create("Third"))
    expect(disk.syncs).toHaveLength(2)
    await runtime.dispose()
  })

  it("is answered when its own commit is on the disk, however many come after it [STORE-2]", async () => {
    const { runtime } = open()
    await runtime.runPromise(Brands.create("First"))
    hold()
    const first = runtime.runPromise(Brands.create("Second"))
    await until(() => disk.syncs.length === 1)
    const second = runtime.runPromise(Brands.create("Third"))
    disk.syncs[0]!.end(null)
    await first
    await until(() => disk.syncs.length === 2)
    disk.syncs[1]!.end(null)
    await second
    await runtime.dispose()
  })

  it("that is under way when the store is closed is still answered, and one after that refused [STORE-2]", async () => {
    const { runtime } = open()
    await runtime.runPromise(Brands.create("First"))
    const brandStore = await runtime.runPromise(BrandStore)
    hold()
    const brand = { name: "Second", suppressionSecret: "00", createdAt: 1 }
    const written = Effect.runPromise(brandStore.create(brand))
    await until(() => disk.syncs.length === 1)
    const closed = runtime.dispose()
    await sleep(30)
    const late = await Effect.runPromise(Effect.either(brandStore.create(brand)))
    expect(String(Either.isLeft(late) && late.left)).toContain("the store is closed")
    disk.syncs[0]!.end(null)
    expect((await written).name).toBe("Second")
    await closed
  })

  it("waits for no disk when it wrote nothing, and shares the wait with those that came meanwhile [STORE-2]", async () => {
    const { runtime } = open()
    await runtime.runPromise(Brands.create("First"))
    disk.syncs = []
    await runtime.runPromise(Effect.either(Leads.amend("1", 1, { qualified: true })))
    expect(disk.syncs).toHaveLength(0)
    await runtime.runPromise(
      Effect.forEach(
        Array.from({ length: 40 }, (_, i) => i),
        (i) => Brands.create(`B${i}`),
        { concurrency: "unbounded" }
      )
    )
    expect(disk.syncs.length).toBeGreaterThan(0)
    expect(disk.syncs.length).toBeLessThan(10)
    await runtime.dispose()
  })

  it("is taken over from the log into the file soon after, by itself", async () => {
    const { filename, runtime } = open()
    await runtime.runPromise(Brands.create("First"))
    const before = statSync(filename).mtimeMs
    await sleep(20)
    await runtime.runPromise(Brands.create("Second"))
    await until(() => statSync(filename).mtimeMs > before)
    await runtime.dispose()
  })
})

/** A store with one lead, and whether anything of it is in the log. */
const withLead = async () => {
  const { filename, runtime } = open()
  const { brand, leadId } = await runtime.runPromise(
    Effect.gen(function* () {
      const brand = yield* Brands.create("B")
      const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
      const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
      const [outcome] = yield* recordObservations(brand, [
        { signalId: signal.id, person: { extId: "p", name: "Quillfeather" }, engagement: { id: "e" } }
      ])
      return { brand, leadId: outcome!.leadId! }
    })
  )
  return {
    filename,
    runtime,
    erase: Leads.erase(brand, leadId),
    isInLog: () => readFileSync(`${filename}-wal`, "latin1").includes("Quillfeather")
  }
}

describe.skipIf(process.platform !== "linux")("the log of the SQLite file", () => {
  it("is cleared of an erased person though whoever asked for it went away [PII-3]", async () => {
    const { erase, isInLog, runtime } = await withLead()
    expect(isInLog()).toBe(true)
    hold()
    const erasing = runtime.runFork(erase)
    await until(() => disk.syncs.length > 0)
    const interrupted = Effect.runPromise(Fiber.interrupt(erasing))
    await sleep(20)
    disk.isHeld = false
    for (const { end } of disk.syncs) end(null)
    await interrupted
    expect(isInLog()).toBe(false)
    await runtime.dispose()
  })

  it("is cleared of an erased person as soon as nobody reads what was before [PII-3]", async () => {
    const { erase, filename, isInLog, runtime } = await withLead()
    const reader = new Database(filename, { readonly: true })
    reader.exec("BEGIN")
    reader.prepare("SELECT count(*) FROM lead").get()
    await runtime.runPromise(erase)
    await sleep(500)
    expect(isInLog()).toBe(true)
    reader.exec("COMMIT")
    await until(() => !isInLog())
    reader.close()
    await runtime.dispose()
  })

  it("is cleared as soon as nobody is in the way, though nothing is written meanwhile [PII-3]", async () => {
    const filename = newFile()
    writeFileSync(`${filename}-wal`, "")
    const checkpoints: Array<unknown> = []
    let busy = 2
    const worker = {
      run: async (_: unknown, mode: unknown) => {
        checkpoints.push(mode)
        if (mode !== "TRUNCATE") return { busy: 0, checkpointed: 7, log: 7 }
        return { busy: busy-- > 0 ? 1 : 0, checkpointed: 7, log: 7 }
      }
    } as unknown as Parameters<typeof WriteAheadLog.synced>[2]
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const log = yield* WriteAheadLog.synced(filename, false, worker)
          yield* log.truncate
          expect(checkpoints).toEqual(["TRUNCATE"])
          yield* Effect.promise(() => until(() => busy < 0))
          expect(checkpoints).toEqual(["TRUNCATE", "PASSIVE", "TRUNCATE", "PASSIVE", "TRUNCATE"])
        })
      )
    )
  })

  it("that a process left which was killed is cleared by the next one [PII-3]", async () => {
    const { erase, filename, isInLog, runtime } = await withLead()
    const reader = new Database(filename, { readonly: true })
    reader.exec("BEGIN")
    reader.prepare("SELECT count(*) FROM lead").get()
    await runtime.runPromise(erase)
    expect(isInLog()).toBe(true)
    const left = newFile()
    for (const end of ["", "-wal"]) copyFileSync(filename + end, left + end)
    reader.close()
    await runtime.dispose()
    const next = open(left)
    await next.runtime.runPromise(Brands.get("1"))
    await until(() => !readFileSync(`${left}-wal`, "latin1").includes("Quillfeather"))
    expect(readFileSync(left, "latin1")).not.toContain("Quillfeather")
    await next.runtime.dispose()
  })
})
