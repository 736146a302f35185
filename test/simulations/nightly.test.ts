/** `nightly`: what it keeps, what is new to it, and that it goes on after it was killed. */
import {
  campaign,
  explorationOf,
  FolderProblem,
  Night,
  NightlyFolder,
  signatureOf
} from "@lead-signals/simulations/internal"
import { scenarioNamed, scenarioNames } from "@lead-signals/simulations"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { bundleSimulate, simulateProgram } from "../harness/SimulateCommand.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const simulateCommand = await bundleSimulate()
const folder = temporaryFolder()

const violated = (message: string, oracle = "reference") => ({
  scenario: "swarm",
  seed: 7,
  store: "memory" as const,
  outcome: "violated" as const,
  violation: { oracle, message }
})

const covering = (seed: number, ...coverageMarks: ReadonlyArray<string>) => ({
  scenario: "swarm",
  seed,
  store: "memory" as const,
  coverageMarks
})

const emptyState = { version: 1 as const, nextSeed: 1, corpus: [], findings: [] }

describe("the signature of a violation", () => {
  const reference = (at: string, id: number, lead: number): string =>
    signatureOf({
      oracle: "reference",
      message: `list, GET /signals/leads?page=${lead}: …${at}","updatedAt":"2026-01-05T08:0${id}:00.000Z"}}… instead of …${at}","updatedAt":"2026-01-05T09:1${id}:00.000Z"}}…`
    })

  it("is the same whatever the seed drew", () => {
    expect(reference("8:00.288Z", 1, 3)).toBe(reference("288Z", 4, 12))
    expect(reference("8:00.288Z", 1, 3)).toBe("reference: list, GET /signals/leads?page=<n>: updatedAt")
    const person = (name: string): string =>
      signatureOf({ oracle: "erased stay gone", message: `GET /x shows ${name}` })
    expect(person("b0-p1.")).toBe(person("b1-p12."))
  })

  it("is another for another rule, call or field", () => {
    const one = { oracle: "reference", message: 'list: …{"a":1… instead of …{"a":2…' }
    const others = [
      { ...one, oracle: "windows hold" },
      { ...one, message: 'detail: …{"a":1… instead of …{"a":2…' },
      { ...one, message: 'list: …{"b":1… instead of …{"b":2…' }
    ]
    expect(new Set([one, ...others].map(signatureOf)).size).toBe(4)
  })
})

describe("a night", () => {
  it("runs swarm and dense-swarm over every store, and in time each other scenario that must pass", () => {
    const runs = Array.from({ length: 1500 }, (_, seed) => explorationOf(seed))
    const ofName = Map.groupBy(runs, ({ scenario }) => scenario.name)
    for (const name of ["swarm", "dense-swarm"]) {
      const stores = new Set(ofName.get(name)!.map(({ store }) => store))
      expect([...stores].sort()).toEqual(["memory", "sqlite", "sqlite-encrypted"])
    }
    expect(ofName.get("dense-swarm")!.length / runs.length).toBeCloseTo(1 / 3, 1)
    const missing = scenarioNames().filter((name) => !ofName.has(name))
    expect(missing).toEqual(["failover-loses-tail"])
  })

  it("keeps the seeds that reach something new, and drops those that no longer do", () => {
    const corpus = ["a", "b", "c"].map((key, i) => ({
      scenario: "swarm",
      seed: i + 1,
      store: "memory" as const,
      keys: [key]
    }))
    const night = new Night({ ...emptyState, corpus })
    night.replayed(covering(1, "a", "b"), true)
    expect(night.state.corpus).toBe(corpus)
    night.replayed(covering(2, "b"), true)
    night.replayed(covering(3), true)
    expect(night.endReplay()).toEqual(["c"])
    expect(night.cover(covering(9, "a", "d"))).toBe(true)
    expect(night.state.corpus.map(({ keys, seed }) => [seed, keys])).toEqual([
      [1, ["a", "b"]],
      [9, ["d"]]
    ])
  })

  it("keeps a seed of the corpus that breaks a rule, since its run ended early", () => {
    const corpus = [{ scenario: "swarm", seed: 1, store: "memory" as const, keys: ["a", "b"] }]
    const night = new Night({ ...emptyState, corpus })
    night.replayed(covering(1, "a"), false)
    expect([night.endReplay(), night.state.corpus, night.keys]).toEqual([[], corpus, 2])
  })

  it("tells each finding once, until it was mended", () => {
    const first = new Night(emptyState)
    const finding = first.find(violated("lead 3 is wrong"))!
    expect(first.find(violated("lead 4 is wrong"))).toBeNull()
    expect(first.newFindings.map(({ times }) => times)).toEqual([2])
    // Killed before its end, it has told nobody.
    const second = new Night(first.state)
    expect(second.newFindings).toHaveLength(1)
    second.report()
    const third = new Night(second.state)
    expect([third.newFindings, third.find(violated("lead 5 is wrong"))]).toEqual([[], null])
    third.mend(finding)
    expect(third.find(violated("lead 6 is wrong"))).not.toBeNull()
  })
})

describe("the folder of nightly", () => {
  const openNew = (name: string): NightlyFolder => NightlyFolder.open(join(folder, name))

  it("gives back what was saved, whatever a killed process left behind", () => {
    const path = join(folder, "killed")
    const before = NightlyFolder.open(path)
    expect(before.load()).toEqual(emptyState)
    const state = { ...emptyState, nextSeed: 12 }
    before.save(state)
    // Killed while it wrote the next state, with the lock in its hands.
    writeFileSync(join(path, "state.json.part"), '{"version":1,"nextSe')
    writeFileSync(join(path, "lock"), "")
    const after = NightlyFolder.open(path)
    expect(after.load().nextSeed).toBe(12)
    expect(readdirSync(path).sort()).toEqual(["lock", "state.json"])
    after.close()
    expect(existsSync(join(path, "lock"))).toBe(false)
  })

  it("is used by one process at a time", () => {
    const path = join(folder, "locked")
    mkdirSync(path)
    writeFileSync(join(path, "lock"), String(process.ppid))
    expect(() => NightlyFolder.open(path)).toThrow(`is used by process ${process.ppid}`)
    rmSync(join(path, "lock"))
    NightlyFolder.open(path).close()
  })

  it.each([
    ["{", "is not JSON"],
    ["null", "has version undefined"],
    ['{"version":2}', "has version 2, and this simulator reads version 1"],
    ['{"version":1,"nextSeed":1,"corpus":3,"findings":[]}', "is damaged"]
  ])("is refused with a state that can't be taken over: %s", (text, problem) => {
    const opened = openNew(`state-${problem.replace(/\W+/g, "-")}`)
    writeFileSync(join(opened.path, "state.json"), text)
    expect(() => opened.load()).toThrow(FolderProblem)
    expect(() => opened.load()).toThrow(problem)
    expect(readFileSync(join(opened.path, "state.json"), "utf8")).toBe(text)
    opened.close()
  })
})

describe("a campaign", () => {
  it("goes on after a seed that the simulator does not survive, if it is told of it", async () => {
    const program = join(folder, "failing.mjs")
    writeFileSync(
      program,
      `process.on("message", ({ seed }) => {
        if (seed === 2) process.exit(9)
        process.send(seed === 3 ? { failed: "out of order" } : { seed })
      })`
    )
    const scenario = scenarioNamed("swarm")!
    const jobs = [1, 2, 3, 4, 5].map((seed) => ({ scenario, seed, hours: null, store: "memory" as const }))
    const reports: Array<string> = []
    await campaign(jobs, ({ seed }) => void reports.push(`${seed}`), {
      parallel: 2,
      program,
      onFailed: ({ seed }, { message }) => void reports.push(`${seed} failed: ${message}`)
    })
    expect(reports).toEqual([
      "1",
      "2 failed: The process that ran swarm --seed 2 --store memory ended with 9",
      "3 failed: out of order",
      "4",
      "5"
    ])
    await expect(campaign(jobs, () => {}, { parallel: 1, program })).rejects.toThrow("ended with 9")
  })
})

describe("./lead-signals simulate nightly", () => {
  it.runIf(isThorough)(
    "ends with exit code 2 for a wrong time, and for a folder that it can't use",
    async () => {
      const file = join(folder, "file")
      writeFileSync(file, "")
      const [both, zero, notFolder] = await Promise.all([
        simulateCommand(["nightly", "--minutes", "1", "--hours", "1"]),
        simulateCommand(["nightly", "--minutes", "0"]),
        simulateCommand(["nightly", "--corpus", join(file, "x")])
      ])
      expect([both!.code, zero!.code, notFolder!.code]).toEqual([2, 2, 2])
      expect(both!.err).toBe("--minutes and --hours exclude each other.\n")
      expect(zero!.err).toBe("--minutes takes a number above 0, and at most 100000.\n")
      expect(notFolder!.err).toContain("can't be written: ENOTDIR.")
    }
  )

  const read = (path: string) => JSON.parse(readFileSync(join(path, "state.json"), "utf8"))

  it.runIf(isThorough)("goes on where it was killed, and tells a finding once", async () => {
    const path = join(folder, "night")
    const options = ["nightly", "--corpus", path, "--minutes", "60", "--jobs", "1", "--json"]
    const child = spawn(process.execPath, [await simulateProgram(), ...options], { stdio: "ignore" })
    const ended = once(child, "exit")
    while (!existsSync(join(path, "state.json")) || read(path).nextSeed < 3) await sleep(20)
    child.kill("SIGKILL")
    await ended
    const killed = read(path)
    expect(killed.corpus.length).toBeGreaterThan(0)

    const night = async (...more: ReadonlyArray<string>) => {
      const { code, out } = await simulateCommand([...options, ...more])
      const events = out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      return { code, events, named: (name: string) => events.filter(({ event }) => event === name) }
    }
    const resumed = await night("--seeds", "2")
    expect(resumed.code).toBe(0)
    expect(resumed.events[0]).toMatchObject({ event: "started", nextSeed: killed.nextSeed })
    expect(resumed.named("corpus")).toMatchObject([{ seeds: killed.corpus.length, lost: [] }])
    expect(resumed.named("summary")).toMatchObject([{ explored: 2, nextSeed: killed.nextSeed + 2 }])

    const broken = await night("--seeds", "2", "--bug", "always-the-first")
    const [finding, ...others] = broken.named("finding")
    expect([broken.code, finding.rule, existsSync(finding.counterexample)]).toEqual([1, "reference", true])
    expect(others.every(({ signature }) => signature !== finding.signature)).toBe(true)
    const again = await night("--seeds", "1", "--bug", "always-the-first")
    expect([again.code, again.named("finding"), again.named("mended")]).toEqual([0, [], []])
    const mended = await night("--seeds", "1")
    expect([mended.code, mended.named("mended").length]).toEqual([0, 1 + others.length])
  })
})
