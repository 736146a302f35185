/**
 * A loss of power in the middle of a commit or a checkpoint, at every place where it can cut or mix what is written: what was
 * answered is there afterwards, and nothing is there in part.
 */
import { Brands, Leads, recordObservations, Signals, Webhooks, WebhookTargets } from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as SqliteStore from "@lead-signals/store-sqlite"
import Database from "better-sqlite3"
import { Effect, Layer, ManagedRuntime } from "effect"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { isThorough } from "../harness/Thoroughness.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const folder = temporaryFolder()

/** A database and its log, as bytes. */
interface Files {
  readonly database: Buffer
  readonly log: Buffer
}

/** A change of the files by one commit, or by one checkpoint, whose rows are the same before and after. */
interface Step {
  readonly what: string
  readonly before: Files
  readonly after: Files
}

const bytesOf = (filename: string): Buffer =>
  existsSync(filename) ? readFileSync(filename) : Buffer.alloc(0)

const filesOf = (filename: string): Files => ({
  database: bytesOf(filename),
  log: bytesOf(`${filename}-wal`)
})

const person = (extId: string, engagement: string, headline: string) => ({
  person: { extId, name: `Person ${extId}`, headline },
  engagement: {
    id: engagement,
    type: "comment",
    commentText: `says ${engagement}`,
    postAuthor: "Author",
    postAuthorDetail: { extId: "author", name: "Author" }
  }
})

/** Commits of every kind, a log that begins anew over an old one, and a checkpoint at the end. */
const history = (): ReadonlyArray<Step> => {
  const filename = join(folder, "history.sqlite")
  let before: Files | null = null
  const store = SqliteStore.layer({
    filename,
    ticks: SqliteStore.TickScheduler.none,
    groupMillis: Number.POSITIVE_INFINITY,
    maxEffort: Number.POSITIVE_INFINITY,
    beforeCommit: (synchronous) => {
      expect(synchronous()).toBe(2)
      before = filesOf(filename)
    }
  })
  const targets = Layer.succeed(WebhookTargets, { check: (url) => Effect.succeed(url) })
  const runtime = ManagedRuntime.make(Layer.mergeAll(store, webCrypto, targets))
  type Services = ManagedRuntime.ManagedRuntime.Context<typeof runtime>
  const steps: Array<Step> = []
  const write = <A, E>(what: string, effect: Effect.Effect<A, E, Services>): A => {
    const answer = runtime.runSync(effect)
    steps.push({ what, before: before!, after: filesOf(filename) })
    return answer
  }
  const brand = write("a brand", Brands.create("B"))
  const raw = new Database(filename)
  const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
  const signal = write("a signal", Signals.create(brand.id, { name: "S", signalType: "t", source }))
  write(
    "a webhook",
    Webhooks.create(brand.id, {
      url: "https://receiver.example/",
      events: ["lead2.created", "activity.detected"],
      description: null,
      enabled: true
    })
  )
  const observe = (what: string, seen: ReadonlyArray<ReturnType<typeof person>>) =>
    write(
      what,
      recordObservations(
        brand,
        seen.map((each) => ({ signalId: signal.id, ...each }))
      )
    )
  const [first] = observe("a person", [person("author", "e0", "writes")])
  observe("a batch", [person("p1", "e1", "first"), person("p2", "e2", "second"), person("p1", "e3", "third")])
  raw.pragma("wal_checkpoint(FULL)")
  observe("a log that begins anew", [person("p3", "e4", "fourth")])
  write("a change", Leads.amend(brand.id, first!.leadId! + 1, { qualified: true }))
  // A reader keeps the log from being truncated by the erasure.
  raw.exec("BEGIN")
  raw.prepare("SELECT count(*) FROM lead").get()
  write("an erasure", Leads.erase(brand, first!.leadId!))
  raw.exec("COMMIT")
  const beforeCheckpoint = filesOf(filename)
  raw.pragma("wal_checkpoint(FULL)")
  steps.push({ what: "a checkpoint", before: beforeCheckpoint, after: filesOf(filename) })
  raw.close()
  Effect.runSync(runtime.disposeEffect)
  return steps
}

let number = 0

/** The rows of every table that the file has after a loss of power, as a hash, and what a check of it finds. */
const recovered = ({ database, log }: Files, sharedMemory?: Buffer) => {
  const filename = join(folder, `recovered-${++number}.sqlite`)
  writeFileSync(filename, database)
  if (log.length > 0) writeFileSync(`${filename}-wal`, log)
  if (sharedMemory !== undefined) writeFileSync(`${filename}-shm`, sharedMemory)
  const db = new Database(filename)
  db.pragma("synchronous = OFF")
  const hash = createHash("sha256")
  const tables = db
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
    )
    .pluck()
    .all() as Array<string>
  for (const table of tables)
    hash.update(JSON.stringify([table, db.prepare(`SELECT * FROM "${table}"`).all()]))
  db.close()
  const { problems } = Effect.runSync(SqliteStore.check(filename))
  for (const ending of ["", "-wal", "-shm"]) rmSync(filename + ending, { force: true })
  return { rows: hash.digest("hex"), problems }
}

const headerBytes = 32
const pageBytes = 4096
const frameHeaderBytes = 24
const frameBytes = frameHeaderBytes + pageBytes

/** The first and the last byte that differ, and the byte after. */
const changedRange = (before: Buffer, after: Buffer): readonly [from: number, to: number] => {
  let from = 0
  while (from < after.length && before[from] === after[from]) from++
  let to = after.length
  while (to > from && before[to - 1] === after[to - 1]) to--
  return [from, to]
}

/** Written up to the byte, and as it was from there on. */
const cut = (before: Buffer, after: Buffer, byte: number): Buffer =>
  Buffer.concat([after.subarray(0, byte), before.subarray(byte)])

/** All but one part arrived; what was not there before reads as zeros. */
const without = (before: Buffer, after: Buffer, from: number, to: number): Buffer => {
  const file = Buffer.from(after)
  file.fill(0, from, to)
  if (from < before.length) before.copy(file, from, from, Math.min(to, before.length))
  return file
}

/** Each state in which a loss of power can leave the log of a commit that is under way. */
const tornLogs = ({
  after: { log: after },
  before: { log: before }
}: Step): ReadonlyArray<readonly [string, Buffer]> => {
  const [from, to] = changedRange(before, after)
  const found: Array<readonly [string, Buffer]> = []
  const add = (byte: number): void => {
    if (byte >= from && byte < to) found.push([`cut at ${byte}`, cut(before, after, byte)])
  }
  add(0)
  add(headerBytes / 2)
  for (let frame = headerBytes; frame < to; frame += frameBytes) {
    for (const within of [0, 8, frameHeaderBytes, frameHeaderBytes + pageBytes / 2, frameBytes - 1]) {
      add(frame + within)
    }
    if (frame + frameBytes <= from) continue
    const parts: ReadonlyArray<readonly [string, number, number]> = [
      ["frame lost", frame, frame + frameBytes],
      ["half a page lost", frame + frameHeaderBytes + pageBytes / 2, frame + frameBytes]
    ]
    for (const [what, begin, end] of parts) {
      const log = without(before, after, begin, Math.min(end, after.length))
      if (!log.equals(after)) found.push([`${what} at ${frame}`, log])
    }
  }
  add(to - 1)
  return found
}

/** All of them in a thorough run, else some, the last ones among them: at the end a commit is nearly complete. */
const some = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  isThorough ? all : all.filter((_, i) => i % 240 === 0 || i >= all.length - 2)

describe("after a loss of power", () => {
  const steps = history()
  const commits = steps.filter(({ what }) => what !== "a checkpoint")

  it("in a commit all of it is there or nothing, wherever its log is cut or torn [STORE-1, STORE-2]", () => {
    expect(commits).toHaveLength(8)
    const states = new Set<string>()
    let frames = 0
    for (const step of commits) {
      const [previous, next] = [recovered(step.before), recovered(step.after)]
      expect([step.what, previous.problems, next.problems]).toEqual([step.what, [], []])
      expect([step.what, previous.rows === next.rows]).toEqual([step.what, false])
      states.add(previous.rows).add(next.rows)
      const [from, to] = changedRange(step.before.log, step.after.log)
      frames += (to - from) / frameBytes
      for (const [where, log] of some(tornLogs(step))) {
        // A log may have begun anew only when all of it is in the file: the file is as it was before.
        const found = recovered({ database: step.before.database, log })
        expect([step.what, where, found]).toEqual([step.what, where, previous])
      }
    }
    expect(states.size).toBe(commits.length + 1)
    expect(frames).toBeGreaterThan(50)
  })

  it("what was written before the last commit was synced: without it, rows are missing", () => {
    const [last, ...others] = commits.toReversed()
    const synced = recovered(last!.before)
    const [from] = changedRange(last!.before.log, last!.after.log)
    const frame = headerBytes + Math.floor((from - headerBytes) / frameBytes) * frameBytes
    const log = without(Buffer.alloc(0), last!.after.log, frame - frameBytes, frame)
    const found = recovered({ database: last!.before.database, log })
    expect(found.rows).not.toBe(synced.rows)
    expect(found.rows).toBe(recovered(others[0]!.before).rows)
  })

  it("in a checkpoint every commit is there, whichever pages were written [STORE-2]", () => {
    const { after, before } = steps.at(-1)!
    const expected = recovered(before)
    const pages = Array.from(
      { length: Math.ceil(after.database.length / pageBytes) },
      (_, i) => i * pageBytes
    )
    const changed = pages.filter(
      (at) =>
        !after.database.subarray(at, at + pageBytes).equals(before.database.subarray(at, at + pageBytes))
    )
    expect(changed.length).toBeGreaterThan(10)
    const torn = changed.flatMap((at) => [
      cut(before.database, after.database, at),
      cut(before.database, after.database, at + pageBytes / 2),
      without(before.database, after.database, at, at + pageBytes),
      without(before.database, after.database, at, at + pageBytes / 2)
    ])
    for (const [i, database] of some(torn).entries()) {
      expect([i, recovered({ database, log: before.log })]).toEqual([i, expected])
    }
  })

  it("the index of the log is made anew, whatever is left of it [STORE-2]", () => {
    const { after } = commits.at(-1)!
    const expected = recovered(after)
    for (const sharedMemory of [Buffer.alloc(0), Buffer.alloc(32_768), Buffer.alloc(32_768, 0xa5)]) {
      expect(recovered(after, sharedMemory)).toEqual(expected)
    }
  })
})
