/** The whole service under virtual time: what holds, what is found, and that a history is a function of its seed alone. */
import { bugs, check, scenarioNamed, scenarioNames, simulate } from "@lead-signals/simulations"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { turn } from "../contracts/Turn.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const program = fileURLToPath(new URL("../../simulations/src/simulate.ts", import.meta.url))

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

const command = (args: ReadonlyArray<string>, env: Record<string, string> = {}): Promise<Ran> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      ["--import", "tsx", program, ...args],
      { cwd: root, env: { ...process.env, ...env } },
      (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err })
    )
  })

const digestOf = ({ out }: Ran): string =>
  /^digest: ([0-9a-f]{64})$/.exec(out.trim().split("\n").at(-1)!)![1]!

describe("scenarios", () => {
  it.each(scenarioNames())(
    "%s says what it is after, and holds [DELIV-2, EVT-2, EVT-3, EVT-5]",
    async (name) => {
      const scenario = scenarioNamed(name)!
      expect([scenario.name, scenario.about.length > 80]).toEqual([name, true])
      // A part of each: `pnpm simulate` runs them whole.
      const hours = scenario.hours > 48 ? 48 : 0.5
      const { counts, outcome, violation } = simulate(scenario, 1, { hours })
      expect([name, outcome, violation]).toEqual([name, "held", null])
      expect(counts.engagements).toBeGreaterThan(2)
      expect(counts.posts).toBeGreaterThan(counts.engagements)
      await turn()
    }
  )

  it("meet together what the swarm declares, over a short campaign", async () => {
    const swarm = scenarioNamed("swarm")!
    const met = new Set<string>()
    for (let seed = 1; seed <= 10; seed++) {
      const { marks, outcome, violation } = simulate(swarm, seed, { hours: 1 })
      expect([seed, outcome, violation]).toEqual([seed, "held", null])
      for (const mark of marks) met.add(mark)
      await turn()
    }
    expect([...met]).toEqual(expect.arrayContaining([...swarm.marks]))
  })
})

describe("a history", () => {
  it("is the same in every process, zone and locale, and another for another seed", async () => {
    const args = ["swarm", "--until", "30m"]
    const [here, there, other] = await Promise.all([
      command([...args, "--seed", "7"], { TZ: "UTC", LANG: "C" }),
      command([...args, "--seed", "7"], { TZ: "Asia/Kolkata", LANG: "tr_TR.UTF-8" }),
      command([...args, "--seed", "8"])
    ])
    expect([here!.code, there!.code, other!.code]).toEqual([0, 0, 0])
    expect(digestOf(there!)).toBe(digestOf(here!))
    expect(digestOf(other!)).not.toBe(digestOf(here!))
    expect(simulate(scenarioNamed("swarm")!, 7, { hours: 0.5 }).digest).toBe(digestOf(here!))
  })

  it("is compared event by event when it is checked", () => {
    expect(check(scenarioNamed("crash-loop")!, 3, { hours: 0.5 })).toBeNull()
  })
})

describe("planted bugs", () => {
  it.each(bugs.map((bug) => [bug.name, bug] as const))("%s is found within a few seeds", async (_, bug) => {
    const swarm = scenarioNamed("swarm")!
    for (let seed = 1; seed <= 5; seed++) {
      const report = simulate(swarm, seed, { plant: bug.plant })
      if (report.outcome !== "held") return
      await turn()
    }
    expect.fail(`${bug.name} was not found`)
  })
})

describe("pnpm simulate", () => {
  it("ends with a code for each way to end, and says how to repeat what it found", async () => {
    const [found, list, wrong, option, until, none, bug, help] = await Promise.all([
      command(["swarm", "--seed", "4", "--bug", "body-rebuilt"]),
      command(["list"]),
      command(["swrm"]),
      command(["swarm", "--sed", "4"]),
      command(["swarm", "--until", "soon"]),
      command([]),
      command(["swarm", "--bug", "x"]),
      command(["--help"])
    ])
    expect(found!.code).toBe(1)
    expect(found!.out).toContain("one body per id: ")
    expect(found!.out).toContain("again: pnpm simulate swarm --seed 4 --bug body-rebuilt")
    expect(digestOf(found!)).toHaveLength(64)
    expect(list!.code).toBe(0)
    for (const name of scenarioNames()) expect(list!.out).toContain(name)
    expect([wrong!.code, option!.code, until!.code, none!.code, bug!.code, help!.code]).toEqual([
      2, 2, 2, 2, 2, 0
    ])
    expect(wrong!.err).toContain("there are clock-trouble, crash-loop")
    expect(until!.err).toContain("--until takes a duration like 90m, 24h or 3d.")
    expect(bug!.err).toContain("there are body-rebuilt")
  })

  it("prints a line of JSON a seed for a script, and a table for a campaign", async () => {
    const [json, table] = await Promise.all([
      command(["quiet-day", "--until", "1h", "--seeds", "2", "--json"]),
      command(["quiet-day", "--until", "1h", "--seeds", "2"])
    ])
    const lines = json!.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(lines.map(({ outcome, seed }) => [seed, outcome])).toEqual([
      [1, "held"],
      [2, "held"]
    ])
    expect(table!.out).toMatch(/quiet-day · seeds 1 to 2 · 2 held · \d+ a minute/)
  })

  it("says when a run proved nothing", async () => {
    const { code } = await command(["quiet-day", "--until", "1m"])
    expect(code).toBe(3)
  })
})
