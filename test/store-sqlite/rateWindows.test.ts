/** Rate windows of several processes on one file: as stores of their own, which share nothing but it. */
import { RateLimit, RateWindows } from "@lead-signals/domain"
import { SettableClock } from "@lead-signals/store-contract"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { logLine } from "@lead-signals/http"
import { Context, Effect, Exit, Fiber, Layer, Logger, Scheduler, Scope } from "effect"
import fc from "fast-check"
import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { emptyStoreFile } from "../harness/EmptyStoreFile.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { cases } from "../harness/Thoroughness.ts"
import { raw } from "../harness/RawFile.ts"

const start = Date.UTC(2026, 0, 1)

/** What a process takes out of the file at once. */
const aheadOf = (limit: number): number => Math.floor(limit / 200)

const processes = 3
const processNumber = fc.nat({ max: processes - 1 })
const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        step: fc.constant("spend" as const),
        process: processNumber,
        times: fc.integer({ min: 1, max: 150 })
      })
    },
    {
      weight: 2,
      arbitrary: fc.record({
        step: fc.constant("wait" as const),
        millis: fc.constantFrom(1, 20_000, 59_999, 60_000, -5000)
      })
    },
    { weight: 1, arbitrary: fc.record({ step: fc.constant("restart" as const), process: processNumber }) }
  ),
  { minLength: 5, maxLength: 25 }
)

const opened = (filename: string, clock: SettableClock) => {
  const log: Array<string> = []
  const logger = Logger.replace(
    Logger.defaultLogger,
    Logger.make((line) => void log.push(logLine(line).message))
  )
  const run = <A, E>(work: Effect.Effect<A, E>): A =>
    Effect.runSync(clock.provide(work).pipe(Effect.provide(logger)))
  const scope = run(Scope.make())
  const context = run(
    Layer.buildWithScope(
      SqliteStore.layer({ filename, synced: false, ticks: SqliteStore.TickScheduler.none }),
      scope
    )
  )
  const windows = Context.get(context, RateWindows)
  const step = (limit: number) => windows.step("1", (window, now) => RateLimit.spend(window, limit, now))
  return {
    log,
    spend: (limit: number) => run(step(limit)),
    /** A request whose waits for a lock last: it goes on as far as it can at once. */
    begin: (limit: number) => {
      const lasting = Effect.clockWith((its) =>
        Effect.withClock(step(limit), { ...its, sleep: () => Effect.never })
      )
      const scheduler = new Scheduler.SyncScheduler()
      const fiber = Effect.runFork(clock.provide(lasting).pipe(Effect.provide(logger)), { scheduler })
      scheduler.flush()
      return fiber
    },
    close: () => run(Scope.close(scope, Exit.void))
  }
}

const withProcesses = (check: (open: () => ReturnType<typeof opened>, clock: SettableClock) => void) => {
  const clock = new SettableClock(start)
  const filename = emptyStoreFile()
  const all: Array<ReturnType<typeof opened>> = []
  const open = () => {
    all.push(opened(filename, clock))
    return all.at(-1)!
  }
  try {
    check(open, clock)
  } finally {
    for (const each of all) each.close()
  }
}

describe("rate windows of several processes on one file", () => {
  it("let no more through than the limit, whoever dies, and miss one in two hundred a process at most [RATE-1, RATE-3, RATE-5]", () =>
    fc.assert(
      fc.property(steps, fc.constantFrom(3, 199, 200, 450, 1000), (all, limit) => {
        withProcesses((open, clock) => {
          const running = Array.from({ length: processes }, open)
          let window = { startedAt: Number.NEGATIVE_INFINITY, allowed: 0, deaths: 0 }
          let waited = true
          for (const each of all) {
            if (each.step === "wait") {
              clock.millis += each.millis
              waited = Math.abs(each.millis) > 1000
            } else if (each.step === "restart") {
              // What it had taken ahead is gone with it.
              running[each.process] = open()
              window.deaths++
            } else {
              for (let i = 0; i < each.times; i++) {
                const now = clock.millis
                if (now < window.startedAt || now >= window.startedAt + 60_000) {
                  window = { startedAt: now, allowed: 0, deaths: 0 }
                }
                const decision = running[each.process]!.spend(limit)
                const missing = aheadOf(limit) * (processes - 1 + window.deaths)
                expect(decision.resetAt).toBe(window.startedAt + 60_000)
                if (decision.allowed) window.allowed++
                else expect(window.allowed).toBeGreaterThanOrEqual(limit - missing)
                expect(window.allowed).toBeLessThanOrEqual(limit)
                // Who has not looked for a second looks again.
                if (waited || limit < 200)
                  expect(decision.remaining).toBeLessThanOrEqual(limit - window.allowed)
                waited = false
                expect(decision.remaining).toBeGreaterThanOrEqual(
                  Math.max(0, limit - window.allowed - missing)
                )
              }
            }
          }
        })
      }),
      { numRuns: cases(48) }
    ))

  it("are exact for one process, and to the request for limits below two hundred [RATE-1, RATE-2, RATE-5]", () => {
    for (const limit of [7, 199, 1000]) {
      withProcesses((open) => {
        const [one, other] = [open(), open()]
        const spend = (n: number) => (limit < 200 && n % 2 === 1 ? other : one).spend(limit)
        const states = Array.from({ length: limit + 1 }, (_, n) => spend(n))
        expect(states.map(({ remaining }) => remaining)).toEqual([
          ...Array.from({ length: limit }, (_, n) => limit - 1 - n),
          0
        ])
        expect(states.map(({ allowed }) => allowed)).toEqual([...Array(limit).fill(true), false])
      })
    }
  })

  it("do not carry over what was taken ahead of an earlier window [RATE-3, RATE-5]", () => {
    withProcesses((open, clock) => {
      const [one, other] = [open(), open()]
      one.spend(1000)
      clock.millis += 60_000
      const allowed = Array.from({ length: 1001 }, () => other.spend(1000)).filter((states) => states.allowed)
      expect(allowed).toHaveLength(1000)
      expect(one.spend(1000).allowed).toBe(false)
    })
  })
})

const setUp = () => {
  const clock = new SettableClock(start)
  const filename = join(temporaryFolder(), "rates.sqlite")
  return { clock, limits: `${filename}-limits`, open: () => opened(filename, clock) }
}

const usedIn = (limits: string): number =>
  raw(limits, (db) => db.prepare("SELECT used FROM rate_window WHERE key_id = 1").pluck().get() as number)

describe("a damaged file of rate windows", () => {
  const damages: Readonly<Record<string, (limits: string) => void>> = {
    "no SQLite file": (limits) => writeFileSync(limits, "no SQLite file at all".repeat(500)),
    "cut short": (limits) => truncateSync(limits, 4096 + 100),
    "without its log": (limits) => writeFileSync(`${limits}-wal`, "no log".repeat(1000)),
    "of another form": (limits) =>
      raw(limits, (db) => {
        db.exec("DROP TABLE rate_window; CREATE TABLE rate_window (other TEXT)")
      })
  }

  it.each(Object.keys(damages))(
    "(%s) does not stop the start: windows are counted in a file that works [RATE-6]",
    (name) => {
      const { limits, open } = setUp()
      const first = open()
      first.spend(5)
      first.close()
      damages[name]!(limits)
      const second = open()
      const decisions = Array.from({ length: 6 }, () => second.spend(5))
      expect(decisions.filter(({ allowed }) => allowed).length).toBeGreaterThanOrEqual(4)
      expect(decisions.at(-1)!.allowed).toBe(false)
      expect(usedIn(limits)).toBe(5)
      second.close()
    }
  )

  it("is set aside, with one line in the log [RATE-6]", () => {
    const { limits, open } = setUp()
    open().close()
    writeFileSync(limits, "no SQLite file at all".repeat(500))
    const damaged = readFileSync(limits)
    const store = open()
    store.spend(5)
    expect(readFileSync(`${limits}.damaged`).equals(damaged)).toBe(true)
    expect(store.log).toEqual([
      "the file of the rate windows is damaged: it was renamed, and a new one is created"
    ])
    store.close()
    const next = open()
    expect(next.log).toEqual([])
    next.close()
  })
})

describe("a file of rate windows that can't be written", () => {
  it("is left alone: windows go on in memory, with one line in the log, and in the file when it can be written again [RATE-6]", () => {
    const { clock, limits, open } = setUp()
    const store = open()
    const spend = (n: number) => Array.from({ length: n }, () => store.spend(20).remaining)
    expect(spend(3)).toEqual([19, 18, 17])
    raw(limits, (db) => {
      db.exec("BEGIN EXCLUSIVE")
      expect(spend(3)).toEqual([16, 15, 14])
      clock.millis += 6000
      expect(spend(2)).toEqual([13, 12])
      expect(store.log).toEqual(["rate windows are kept in memory: their file can't be written"])
      db.exec("ROLLBACK")
    })
    expect([spend(1), usedIn(limits)]).toEqual([[11], 3])
    clock.millis += 6000
    expect([spend(1), usedIn(limits)]).toEqual([[10], 10])
    expect(store.log.slice(1)).toEqual(["rate windows are kept in their file again"])
    clock.millis += 60_000
    expect(spend(1)).toEqual([19])
    store.close()
  })

  it("is tried again at once when the clock is set back [RATE-6]", () => {
    const { clock, limits, open } = setUp()
    const store = open()
    raw(limits, (db) => {
      db.exec("BEGIN EXCLUSIVE")
      store.spend(20)
      db.exec("ROLLBACK")
    })
    clock.millis -= 60_000
    store.spend(20)
    expect(store.log).toEqual([
      "rate windows are kept in memory: their file can't be written",
      "rate windows are kept in their file again"
    ])
    store.close()
  })

  it("is tried again by one request, which may wait for its lock, while others are counted in memory [RATE-6]", () => {
    const { clock, limits, open } = setUp()
    const store = open()
    raw(limits, (db) => {
      db.exec("BEGIN EXCLUSIVE")
      expect(store.spend(20).remaining).toBe(19)
      clock.millis += 6000
      const trying = store.begin(20)
      const remaining = [trying, store.begin(20), store.begin(20)].map((request) => {
        const exit = request.unsafePoll()
        return exit === null ? "waits" : Exit.map(exit, (decision) => decision.remaining)
      })
      expect(remaining).toEqual(["waits", Exit.succeed(18), Exit.succeed(17)])
      Effect.runSync(Fiber.interruptFork(trying))
      db.exec("ROLLBACK")
    })
    store.close()
  })

  it("does not stop the start where it can't be made [RATE-6]", () => {
    const { limits, open } = setUp()
    mkdirSync(limits)
    const store = open()
    expect([store.spend(2), store.spend(2), store.spend(2)].map(({ allowed }) => allowed)).toEqual([
      true,
      true,
      false
    ])
    expect(store.log).toEqual(["rate windows are kept in memory: their file can't be written"])
    expect(existsSync(`${limits}.damaged`)).toBe(false)
    store.close()
  })
})
