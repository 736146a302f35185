/** Rate windows of several processes on one file: as stores of their own, which share nothing but it. */
import { RateLimit, RateWindows } from "@lead-signals/domain"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import fc from "fast-check"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { SettableClock } from "../contracts/SettableClock.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"

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
  const scope = Effect.runSync(Scope.make())
  const context = Effect.runSync(
    Layer.buildWithScope(SqliteStore.layer({ filename, synced: false, turns: SqliteStore.Turns.none }), scope)
  )
  const windows = Context.get(context, RateWindows)
  return {
    spend: (limit: number) =>
      Effect.runSync(clock.provide(windows.step("1", (window, now) => RateLimit.spend(window, limit, now)))),
    close: () => Effect.runSync(Scope.close(scope, Exit.void))
  }
}

const withProcesses = (check: (open: () => ReturnType<typeof opened>, clock: SettableClock) => void) => {
  const clock = new SettableClock(start)
  const filename = join(temporaryFolder(), "rates.sqlite")
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
  it("let no more through than the limit, whoever dies, and miss one in two hundred a process at most [RATE-1, RATE-3, RATE-4]", () =>
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
      { numRuns: 20 }
    ))

  it("are exact for one process, and to the request for limits below two hundred [RATE-1, RATE-2]", () => {
    for (const limit of [7, 199, 1000]) {
      withProcesses((open) => {
        const [one, other] = [open(), open()]
        const spend = (n: number) => (limit < 200 && n % 2 === 1 ? other : one).spend(limit)
        const told = Array.from({ length: limit + 1 }, (_, n) => spend(n))
        expect(told.map(({ remaining }) => remaining)).toEqual([
          ...Array.from({ length: limit }, (_, n) => limit - 1 - n),
          0
        ])
        expect(told.map(({ allowed }) => allowed)).toEqual([...Array(limit).fill(true), false])
      })
    }
  })

  it("do not carry over what was taken ahead of an earlier window [RATE-3]", () => {
    withProcesses((open, clock) => {
      const [one, other] = [open(), open()]
      one.spend(1000)
      clock.millis += 60_000
      const allowed = Array.from({ length: 1001 }, () => other.spend(1000)).filter((told) => told.allowed)
      expect(allowed).toHaveLength(1000)
      expect(one.spend(1000).allowed).toBe(false)
    })
  })
})
