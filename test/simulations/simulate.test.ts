/** The whole service under virtual time: what holds, and that a history is a function of its seed alone. */
import { Retention } from "@lead-signals/domain"
import { inputOf, run, scenarioNamed, scenarioNames, simulate, check } from "@lead-signals/simulations"
import { drainDaysOf } from "@lead-signals/simulations/internal"
import { describe, expect, it } from "vitest"
import { nextTick } from "../harness/EventLoop.ts"
import { bundleSimulate, digestOf } from "../harness/SimulateCommand.ts"
import { nodeOf } from "../harness/Runtimes.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const simulateCommand = await bundleSimulate()

/** A part of each, an eighth of it unless the run is thorough: `lead-signals simulate nightly` runs them whole, and many seeds. */
const hoursOf = (name: string): number => {
  const longest: Record<string, number> = {
    "month-of-retries": 72,
    "flaky-consumers": 2,
    "quiet-day": 1,
    "launch-burst": 0.06,
    "rate-storm": 0.96,
    "key-rotation": 0.4,
    "resend-storm": 0.58,
    "several-processes": 0.12,
    "networked-store": 0.1,
    "networked-swarm": 0.4,
    "dense-swarm": 0.02,
    failover: 0.1,
    retention: 0.8,
    idempotency: 4,
    access: 0.5,
    reads: 0.2,
    sessions: 0.2,
    "torn-writes": 0.1
  }
  return (longest[name] ?? 0.15) / (isThorough ? 1 : 8)
}

const passing = scenarioNames().filter((name) => scenarioNamed(name)!.expected === "passed")
/** Every fifth; all of them in thorough runs. */
const comparedOverSqlite = new Set(passing.filter((_, i) => isThorough || i % 5 === 0))

/** A seed of `retention` whose receiver that always fails has an ordered webhook. */
const brokenInOrder = 3

describe("scenarios", () => {
  it.each(passing)(
    "%s says what it is after, and holds, with one history over either store [DELIV-2, EVT-2, EVT-3, EVT-5, AUTH-5, RATE-3, PII-3, SORT-5, TIME-5]",
    async (name) => {
      const scenario = scenarioNamed(name)!
      expect([scenario.name, scenario.about.length > 100]).toEqual([name, true])
      const hours = hoursOf(name)
      const { counts, digest, outcome, violation } = simulate(scenario, 1, { hours })
      expect([name, outcome, violation]).toEqual([name, "passed", null])
      expect(counts.engagements).toBeGreaterThan(2)
      expect(counts.requests).toBeGreaterThan(counts.actions)
      await nextTick()
      if (!comparedOverSqlite.has(name)) return
      expect(simulate(scenario, 1, { hours, store: "sqlite" }).digest).toBe(digest)
      await nextTick()
    }
  )

  it("there are those that the design asks for", () => {
    expect(scenarioNames()).toEqual(
      [
        "ordering",
        "quiet-day",
        "launch-burst",
        "flaky-consumers",
        "key-rotation",
        "crash-loop",
        "lost-answers",
        "clock-trouble",
        "sync-race",
        "rate-storm",
        "reads",
        "erasure",
        "resend-storm",
        "retention",
        "idempotency",
        "access",
        "sessions",
        "month-of-retries",
        "several-processes",
        "networked-store",
        "networked-swarm",
        "dense-swarm",
        "failover",
        "failover-loses-tail",
        "torn-writes",
        "swarm"
      ].sort()
    )
  })

  it("prune soon, often and in small pieces in some seeds of a swarm, whose clocks run right [RET-1, RET-4]", () => {
    const swarm = scenarioNamed("swarm")!
    const plans = Array.from({ length: 60 }, (_, i) => inputOf(swarm, i + 1).plan)
    const pruned = plans.filter(({ retention }) => retention !== undefined)
    expect(pruned.length).toBeGreaterThan(12)
    expect(pruned.length).toBeLessThan(36)
    for (const { pruning, retention, scheduledFaults } of pruned) {
      expect(scheduledFaults.filter(({ fault }) => fault === "clock" || fault === "drift")).toEqual([])
      expect(Retention.invalidKinds(retention!)).toEqual([])
      expect(pruning!.intervalMillis).toBeLessThanOrEqual(300_000)
    }
    const ordered = pruned.flatMap(({ brands }) => brands.flatMap(({ consumers }) => consumers))
    expect(ordered.some(({ maxDelay, ordering }) => ordering === "lead" && maxDelay === 60)).toBe(true)
    expect(pruned.some(({ pruning }) => pruning!.rows === 1 && pruning!.leaseMillis !== undefined)).toBe(true)
  })

  it("have time in which an ordered webhook that always fails ends the events of a lead one after the other [DELIV-3, ORD-4]", () => {
    const { plan } = inputOf(scenarioNamed("retention")!, brokenInOrder)
    const [, { consumers }] = plan.brands as [unknown, (typeof plan.brands)[number]]
    expect(consumers).toEqual([expect.objectContaining({ behaviour: "broken", ordering: "lead" })])
    const withOther = (other: Partial<(typeof consumers)[number]>) =>
      drainDaysOf({
        ...plan,
        brands: plan.brands.map((brand) => ({ ...brand, consumers: [{ ...consumers[0]!, ...other }] }))
      })
    // The run needs 151 days.
    expect(drainDaysOf(plan)).toBeGreaterThan(152)
    expect(withOther({ behaviour: "failing" })).toBe(30)
    expect(withOther({ maxDelay: 60 })).toBe(30)
  })

  it.runIf(isThorough)(
    "drain an ordered webhook that always fails, however long its leads' events take [ORD-2, ORD-4]",
    () => {
      const { counts, outcome, violation } = simulate(scenarioNamed("retention")!, brokenInOrder)
      expect([outcome, violation]).toEqual(["passed", null])
      expect(counts.simulatedSeconds).toBeGreaterThan(30 * 86_400)
    }
  )

  it.runIf(isThorough)("meet together what the swarm declares, over a short campaign", async () => {
    const swarm = scenarioNamed("swarm")!
    const met = new Set<string>()
    const missing = () => swarm.coverageMarks.filter((mark) => !met.has(mark))
    // A situation comes in one of some twenty seeds.
    for (let seed = 1; seed <= 12 || (seed <= 60 && missing().length > 0); seed++) {
      const { coverageMarks, outcome, violation } = simulate(swarm, seed)
      expect([seed, outcome, violation]).toEqual([seed, "passed", null])
      for (const mark of coverageMarks) met.add(mark)
      await nextTick()
    }
    expect(missing()).toEqual([])
  })
})

const minutes = isThorough ? 5 : 1

/** The digest of some minutes of the swarm from seed 7, made once. */
let swarmDigest: string | undefined
const digestOfSwarm = (): string =>
  (swarmDigest ??= simulate(scenarioNamed("swarm")!, 7, { hours: minutes / 60 }).digest)

describe("a history", () => {
  it("is the same in every process, zone and locale, under load, and another for another seed", async () => {
    const args = ["swarm", "--until", `${minutes}m`]
    const there = await simulateCommand([...args, "--seed", "7"], {
      TZ: "Asia/Kolkata",
      LANG: "tr_TR.UTF-8"
    })
    expect(there.code).toBe(0)
    expect(digestOf(there)).toBe(digestOfSwarm())
    expect(simulate(scenarioNamed("swarm")!, 8, { hours: minutes / 60 }).digest).not.toBe(digestOfSwarm())
  })

  const otherLines = (isThorough ? ["22", "24", "26"] : []).filter(
    (line) => !process.version.startsWith(`v${line}.`)
  )

  it.each(otherLines.flatMap((line) => nodeOf(line) ?? []))(
    "is the same on the Node at %s, over either store",
    async (node) => {
      for (const store of ["memory", "sqlite"]) {
        const there = await simulateCommand(
          ["swarm", "--until", `${minutes}m`, "--seed", "7", "--store", store],
          {},
          node
        )
        expect([store, there.code, digestOf(there)]).toEqual([store, 0, digestOfSwarm()])
      }
    }
  )

  it("is the same while somebody observes each event of it, with the marks so far", () => {
    const input = inputOf(scenarioNamed("swarm")!, 7, isThorough ? 0.03 : 0.01)
    const seen: Array<unknown> = []
    let marks = 0
    const observed = run(input, "memory", undefined, (event, coverageMarks) => {
      seen.push(event)
      expect(coverageMarks.size).toBeGreaterThanOrEqual(marks)
      marks = coverageMarks.size
    })
    expect(observed.digest).toBe(run(input).digest)
    expect(seen).toEqual(observed.trace)
    expect(marks).toBeGreaterThan(0)
  })

  it("is compared event by event when it is checked", () => {
    const input = inputOf(scenarioNamed("crash-loop")!, 3, isThorough ? 0.3 : 0.03)
    expect(check(input)).toBeNull()
    expect(check(input, "sqlite")).toBeNull()
  })

  it.runIf(isThorough)("is the same with its faults given by name, and a tamer one with fewer", () => {
    const input = inputOf(scenarioNamed("lost-answers")!, 2, 0.15)
    const first = run(input)
    expect(first.faults.length).toBeGreaterThan(5)
    const repeated = run({ ...input, faults: first.faults })
    expect(repeated.digest).toBe(first.digest)
    const fewer = run({ ...input, faults: first.faults.slice(0, 2) })
    expect([fewer.outcome, fewer.faults]).toEqual(["passed", first.faults.slice(0, 2)])
    const replayed = run({ ...input, schedule: { kind: "picks", picks: first.picks } })
    expect(replayed.digest).toBe(first.digest)
  })
})
