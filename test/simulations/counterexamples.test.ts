/** What happens when a rule breaks: it is found, its counterexample is made small, and replays. */
import { bugNamed, huntAll } from "@lead-signals/simulations/bugs"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { isThorough } from "../harness/Thoroughness.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import {
  counterexampleOf,
  inputOf,
  inputOfCounterexample,
  readCounterexample,
  scenarioNamed,
  scenarioNames
} from "@lead-signals/simulations"
import { Either } from "effect"
import { bundleSimulate, digestOf, refuseHere } from "../harness/SimulateCommand.ts"

const simulateCommand = await bundleSimulate()

const folder = temporaryFolder()

/** Small, because shrinking runs it dozens of times, and with something of each kind that shrinking leaves out. */
const erasures = {
  name: "erasures",
  about: "Few people are seen and erased, over a lossy network.",
  hours: 0.1,
  rates: { loss: 0.1 },
  brands: [
    { people: 3, consumers: ["healthy"], perHour: { observe: 400, erase: 60, list: 100 } },
    { people: 3, consumers: [], perHour: { observe: 100 } }
  ]
}

describe("the file of a counterexample", () => {
  it("has every part of a plan, as its seed drew it", () => {
    const scenario = "swarm"
    const report = { violation: null, digest: "", faults: [], trace: [] }
    const parts = new Set<string>()
    for (let seed = 1; seed <= 30; seed++) {
      const input = inputOf(scenarioNamed(scenario)!, seed)
      const kept = counterexampleOf(
        { scenario, store: "memory", bug: null },
        input,
        report as unknown as Parameters<typeof counterexampleOf>[2]
      )
      const read = Either.getOrThrow(readCounterexample(JSON.stringify(kept)))
      expect([seed, inputOfCounterexample(read).plan]).toEqual([seed, input.plan])
      for (const part of Object.keys(input.plan)) parts.add(part)
    }
    for (const part of [
      "places",
      "maxWaits",
      "offDays",
      "recovers",
      "earlierSignals",
      "retention",
      "pruning"
    ])
      expect([part, parts.has(part)]).toEqual([part, true])
  })
})

describe("planted bugs", () => {
  // The tests below find one in memory.
  it.runIf(isThorough)(
    "are found over each store, in counterexamples of a few actions [RATE-2, PII-3]",
    async () => {
      const planted = [
        ["sqlite-suppression-forgotten", "reference"],
        ["no-limits-on-errors", "headers right"]
      ]
      const hunted = await huntAll(
        planted.map(([name]) => bugNamed(name!)!),
        { seeds: 30, shrinkSeconds: 1500, jobs: planted.length, onHunted: () => {} }
      )
      expect(hunted.map(({ bug, oracle }) => [bug, oracle])).toEqual(planted)
      for (const { actions, bug, faults } of hunted) {
        expect([bug, actions <= 15, faults <= 3]).toEqual([bug, true, true])
      }
    }
  )

  it("are not hunted again where the file of results holds them, the last of each", async () => {
    const results = join(folder, "bugs.jsonl")
    const found = { bug: "lost-update", oracle: "reference", seeds: 7, actions: 2, faults: 0, message: null }
    const missed = { ...found, oracle: null }
    const hunt = ["bugs", "--bug", "lost-update", "--results", results]
    writeFileSync(results, `${JSON.stringify(missed)}\n${JSON.stringify(found)}\n{"bug":"lost-up`)
    const first = await simulateCommand(hunt)
    expect([first.code, first.out.includes("1 of 1 found (100.0 %); the median after 7 seeds")]).toEqual([
      0,
      true
    ])
    writeFileSync(results, `${JSON.stringify(missed)}\n`)
    expect((await simulateCommand(hunt)).code).toBe(1)
  })
})

describe("a counterexample", () => {
  it.runIf(isThorough)(
    "is shrunk, replays on the same decisions, and says at which it parts from the code",
    async () => {
      const scenario = join(folder, "erasures.json")
      writeFileSync(scenario, JSON.stringify(erasures))
      const [counterexample, report] = [join(folder, "counterexample.json"), join(folder, "report.html")]
      const found = await simulateCommand([
        scenario,
        "--bug",
        "erased-come-back",
        "--counterexample",
        counterexample,
        "--report",
        report,
        // No machine is so slow: the number of runs ends it.
        "--shrink-seconds",
        "86400"
      ])
      expect(found.code).toBe(1)
      expect(found.out).toContain(
        `again: ./lead-signals simulate ${scenario} --seed 1 --bug erased-come-back`
      )
      expect(found.out).toContain(`replay: ./lead-signals simulate replay ${counterexample}`)
      expect(found.out.split("\n").length).toBeLessThan(40)

      const saved = JSON.parse(readFileSync(counterexample, "utf8"))
      expect(found.out).toMatch(/[0-9]{2,} actions, .*, [1-9]\d* faults, 0 kills/)
      expect(saved.plan.actions.length).toBeLessThanOrEqual(5)
      expect([saved.plan.brands.length, saved.faults]).toEqual([1, []])
      expect(saved.plan.actions.map((action: { do: string }) => action.do)).toContain("erase")

      const html = readFileSync(report, "utf8")
      expect(html).toContain("Broken rule: reference")
      expect(html).toContain('class="violated"')
      expect(html).toContain(`./lead-signals simulate replay ${counterexample}</code>`)
      for (const text of [found.out, html]) {
        expect(text).toMatch(/erased-come-back.*an erased person who is seen again becomes a lead again/)
        expect(text).toMatch(/packages\/domain\/src\/\S+\.ts:\d+\n +- .+suppressed/)
      }
      // It needs nothing from anywhere.
      expect(html).not.toMatch(/(?:src|href)=|@import|url\(/)

      const [again, without] = await Promise.all([
        simulateCommand(["replay", counterexample]),
        simulateCommand(["replay", counterexample, "--bug", "none"])
      ])
      expect([again!.code, digestOf(again!)]).toEqual([1, saved.digest])
      expect(without!.code).toBe(0)
      expect(without!.out).toContain('"reference" holds now')

      const [action] = saved.plan.actions
      const other = join(folder, "other.json")
      writeFileSync(
        other,
        JSON.stringify({ ...saved, plan: { ...saved.plan, actions: [{ ...action, at: 5 }] } })
      )
      const parted = await simulateCommand(["replay", other, "--bug", "none"])
      expect(parted.code).toBe(3)
      expect(parted.out).toMatch(/no longer applies: decision 1 of \d+ differs/)
    }
  )

  it("of a broken file is refused with what is wrong", async () => {
    const file = join(folder, "broken.json")
    writeFileSync(file, '{"counterexample":1}')
    const [broken, missing, none] = await Promise.all([
      refuseHere("replay", file),
      refuseHere("replay", join(folder, "missing.json")),
      refuseHere("replay")
    ])
    expect([broken!.code, missing!.code, none!.code]).toEqual([2, 2, 2])
    expect(broken!.err).toContain("is not a counterexample: ")
    expect(missing!.err).toContain("can't be read: ENOENT")
    expect(existsSync(join(folder, "missing.json"))).toBe(false)
  })
})

describe("lead-signals simulate", () => {
  it("ends with a code for each way to end, and says what to type instead", async () => {
    const [list, wrong, option, until, store, none, bug, help] = await Promise.all([
      simulateCommand(["list"]),
      refuseHere("swrm"),
      refuseHere("swarm", "--sed", "4"),
      refuseHere("swarm", "--until", "soon"),
      refuseHere("swarm", "--store", "redis"),
      refuseHere(),
      refuseHere("swarm", "--bug", "x"),
      refuseHere("--help")
    ])
    for (const name of scenarioNames()) expect(list!.out).toContain(name)
    const codes = [list, wrong, option, until, store, none, bug, help].map((ran) => ran!.code)
    expect(codes).toEqual([0, 2, 2, 2, 2, 2, 2, 0])
    expect(wrong!.err).toBe(
      "There is no scenario or command swrm. Did you mean swarm? Run ./lead-signals simulate --help for usage.\n"
    )
    expect(help!.out).toContain("\n  ./lead-signals simulate <command> [options]\n")
    expect(help!.out).toMatch(/^ {2}\.\/lead-signals simulate swarm --seed 7 {2}/m)
    expect(option!.err).toContain("Did you mean --seed?")
    expect(until!.err).toContain("--until takes a duration like 90m, 24h or 3d.")
    expect(store!.err).toContain("--store takes memory, sqlite or sqlite-encrypted.")
    expect(bug!.err).toContain("the bugs are retry-too-soon")
  })

  it.runIf(isThorough)(
    "prints a line of JSON a seed for a script, and a table for a campaign, in the order of the seeds",
    async () => {
      const [json, table, vacuous] = await Promise.all([
        simulateCommand(["swarm", "--until", "4m", "--seeds", "3", "--json"]),
        simulateCommand(["swarm", "--until", "4m", "--seeds", "6"]),
        simulateCommand(["quiet-day", "--until", "0.01m"])
      ])
      const lines = json!.out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      expect(lines.map(({ outcome, seed }) => [seed, outcome])).toEqual(
        [1, 2, 3].map((seed) => [seed, "passed"])
      )
      expect(table!.out).toMatch(/swarm · seeds 1 to 6 · 6 passed · \d+ a minute/)
      expect(digestOf(table!)).toHaveLength(64)
      // A run in which nothing happened has proved nothing.
      expect(vacuous!.code).toBe(3)
    }
  )
})
