/** Several processes on one store, a store behind a network, and losses of power. */
import { inputOf, run, scenarioNamed, simulate } from "@lead-signals/simulations"
import { describe, expect, it } from "vitest"
import { nextTick } from "../harness/EventLoop.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const missedMarks = async (name: string, seeds: number, store: "memory" | "sqlite" | "sqlite-encrypted") => {
  const scenario = scenarioNamed(name)!
  const met = new Set<string>()
  for (let seed = 1; seed <= seeds; seed++) {
    const report = simulate(scenario, seed, { store })
    expect([name, seed, report.outcome, report.violation]).toEqual([name, seed, "passed", null])
    for (const mark of report.coverageMarks) met.add(mark)
    await nextTick()
  }
  return scenario.coverageMarks.filter((mark) => !met.has(mark))
}

describe("several processes", () => {
  it("are two to five, of two versions, and each has faults of its own", () => {
    const scenario = scenarioNamed("several-processes")!
    const plans = Array.from({ length: 40 }, (_, seed) => inputOf(scenario, seed).plan)
    const processes = plans.map((plan) => plan.processes ?? [])
    expect(new Set(processes.map(({ length }) => length))).toEqual(new Set([2, 3, 4, 5]))
    expect(new Set(processes.flat().map(({ older }) => older))).toEqual(new Set([true, false]))
    expect(new Set(plans.map(({ routing }) => routing)).size).toBe(4)
    const befallen = plans.flatMap(({ scheduledFaults }) => scheduledFaults.map(({ process }) => process))
    expect(new Set(befallen)).toEqual(new Set([0, 1, 2, 3, 4]))
  })

  it("are not in a plan of a scenario with one", () => {
    const { plan } = inputOf(scenarioNamed("quiet-day")!, 1, 0.1)
    expect(Object.keys(plan).sort()).toEqual(["actions", "brands", "hours", "rates", "scheduledFaults"])
  })

  it("have few places for attempts in most seeds of a swarm, and few requests that wait [DELIV-7, CHG-6]", () => {
    const swarm = scenarioNamed("swarm")!
    const plans = Array.from({ length: 40 }, (_, seed) => inputOf(swarm, seed, 0.01).plan)
    const places = plans.map((plan) => plan.places)
    expect(new Set(places)).toEqual(new Set([undefined, "few", "reserved", "ahead"]))
    const usual = places.filter((each) => each === undefined || each === "ahead").length
    expect(usual).toBeGreaterThan(10)
    expect(usual).toBeLessThan(30)
    expect(new Set(plans.map(({ maxWaits }) => maxWaits))).toEqual(new Set([undefined, 1, 2, 3, 6]))
  })

  it.runIf(isThorough).each([
    ["several-processes", 20, "memory"],
    ["networked-store", 20, "memory"],
    ["failover", 3, "sqlite"],
    ["torn-writes", 5, "sqlite"]
  ] as const)("meet what %s declares, in %d seeds over %s", async (name, seeds, store) => {
    expect(await missedMarks(name, seeds, store)).toEqual([])
  })
})

describe("a failover", () => {
  it("that loses a tail breaks a rule, and the violation names what was lost", () => {
    const scenario = scenarioNamed("failover-loses-tail")!
    const { outcome, violation } = simulate(scenario, 1, { hours: 0.45 })
    expect([outcome, violation?.message]).toEqual([
      "violated",
      expect.stringMatching(/; a failover of the store had lost \w+ of \w+ \d-\d+/)
    ])
  })

  it.runIf(isThorough)("of the same times that loses nothing breaks none", () => {
    const input = inputOf(scenarioNamed("failover-loses-tail")!, 1, 0.45)
    const scheduledFaults = input.plan.scheduledFaults.map((fault) =>
      fault.fault === "failover" ? { ...fault, lostMillis: 0 } : fault
    )
    const { coverageMarks, outcome, violation } = run({ ...input, plan: { ...input.plan, scheduledFaults } })
    expect([outcome, violation]).toEqual(["passed", null])
    expect(coverageMarks).toContain("the store failed over")
  })
})

describe("an encrypted file", () => {
  it.runIf(isThorough)("keeps the same histories as a plain one, event by event [PII-4]", async () => {
    const scenario = scenarioNamed("swarm")!
    for (let seed = 1; seed <= (isThorough ? 20 : 1); seed++) {
      const plain = simulate(scenario, seed, { store: "sqlite" })
      const encrypted = simulate(scenario, seed, { store: "sqlite-encrypted" })
      expect([seed, encrypted.outcome, encrypted.digest]).toEqual([seed, "passed", plain.digest])
      await nextTick()
    }
  })

  it.runIf(isThorough)(
    "is whole after each loss of power, with every commit that was acknowledged [PII-4, STORE-2]",
    async () => {
      expect(await missedMarks("torn-writes", 5, "sqlite-encrypted")).toEqual([])
    }
  )
})
