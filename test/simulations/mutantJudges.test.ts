/** How mutants are judged: by which runs and tests, in which order, and over which program. */
import {
  inOrder,
  LinkedModules,
  MutatedSources,
  mutantGenerator,
  nearestFirst,
  Reach,
  SimulatorJudge,
  startsServer,
  TestJudge,
  tracesOfTests
} from "@lead-signals/simulations/bugs"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import ts from "typescript"
import { describe, expect, it } from "vitest"
import { bundleSimulate } from "../harness/SimulateCommand.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const { generate } = mutantGenerator(ts)

describe("a linked program", () => {
  const program = {
    entry: "entry.ts",
    imports: [],
    modules: {
      "entry.ts": {
        code: 'const { sum } = require("./sum.ts"); exports.of = (n) => (n < 0 ? 0 : sum(n))',
        requires: { "./sum.ts": "sum.ts" }
      },
      "sum.ts": {
        code: 'exports.sum = (n) => require("./count.ts").next() + n',
        requires: { "./count.ts": "count.ts" }
      },
      "count.ts": { code: "let count = 0; exports.next = () => ++count", requires: {} }
    }
  }
  const of = (modules: LinkedModules, n: number): unknown =>
    (modules.evaluate()["of"] as (n: number) => unknown)(n)

  it("evaluates an exchanged module again with all that import it, and nothing else", async () => {
    const modules = await LinkedModules.load(program)
    expect([of(modules, 10), of(modules, 10)]).toEqual([11, 12])
    modules.exchange({ file: "sum.ts", code: 'exports.sum = (n) => require("./count.ts").next() - n' })
    expect(of(modules, 10)).toBe(-7)
    modules.exchange({ file: "count.ts", code: "exports.next = () => 100" })
    expect(of(modules, 10)).toBe(110)
    modules.exchange(null)
    expect([of(modules, 10), of(modules, 10)]).toEqual([11, 12])
  })

  it("fails for an exchanged module that fails, and goes on with the next", async () => {
    const modules = await LinkedModules.load(program)
    modules.exchange({ file: "count.ts", code: "throw new Error('not this one')" })
    expect(() => of(modules, 1)).toThrow("not this one")
    modules.exchange(null)
    expect(of(modules, 1)).toBe(2)
  })

  it("counts how often a run comes to a place, also after others that did not", async () => {
    const { entry, imports } = program
    // Code that was compiled before anything was counted has no counters.
    const code = `${program.modules["entry.ts"].code}\n// counted`
    const place = (text: string) => ({ file: entry, offset: code.indexOf(text) })
    const reach = new Reach([place("sum(n))"), place("0 : sum"), place("n < 0")])
    const modules = await LinkedModules.load({
      entry,
      imports,
      modules: { ...program.modules, [entry]: { ...program.modules["entry.ts"], code } }
    })
    modules.evaluate()
    expect(reach.taken()).toEqual([0, 0, 0])
    for (const n of [1, 2, -3]) of(modules, n)
    expect(reach.taken()).toEqual([2, 1, 3])
    of(modules, -1)
    expect(reach.taken()).toEqual([0, 1, 1])
  })
})

describe("the runs that judge a mutant", () => {
  const measured = (scenario: string, seed: number, seconds: number, count: number) => ({
    trial: { scenario, seed, hours: null, store: "memory" as const },
    seconds,
    count
  })
  const order = (runs: Parameters<typeof inOrder>[0]) =>
    inOrder(runs).map(({ trial: { scenario, seed } }) => `${scenario} ${seed}`)

  it("begin with the cheapest, and the scenarios share the time", () => {
    const vocabulary = [1, 2, 3, 4].map((part) => measured("vocabulary", part, 0.25, 10 - part))
    const swarm = [1, 2].map((seed) => measured("swarm", seed, 0.6, 100))
    expect(order([...swarm, ...vocabulary])).toEqual([
      "vocabulary 1",
      "vocabulary 2",
      "swarm 1",
      "vocabulary 3",
      "vocabulary 4",
      "swarm 2"
    ])
  })

  it("of one scenario begin with those that come to it most often in their time", () => {
    expect(
      order([measured("swarm", 1, 1, 5), measured("swarm", 2, 1, 50), measured("swarm", 3, 2, 60)])
    ).toEqual(["swarm 2", "swarm 3", "swarm 1"])
  })

  it("of what is evaluated at the start alone are mostly of the vocabulary", () => {
    const vocabulary = [1, 2, 3, 4, 5, 6, 7].map((part) => measured("vocabulary", part, 0.2, 0))
    const others = ["reads", "swarm"].map((scenario) => measured(scenario, 1, 0.2, 0))
    const first = order([...others, ...vocabulary]).slice(0, 8)
    expect(first.filter((each) => each.startsWith("vocabulary"))).toHaveLength(6)
    expect(first.filter((each) => !each.startsWith("vocabulary"))).toHaveLength(2)
  })

  it("of what is evaluated at the start alone begin with the part of the vocabulary that is nearest to it", () => {
    const partsOf = (counts: ReadonlyArray<number>) => {
      const runs = counts.map((count, i) => measured("vocabulary", i + 1, 0.2, count))
      return inOrder(runs, (part) => (part === 3 ? 1 : 0)).map(({ trial }) => trial.seed)
    }
    expect(partsOf([0, 0, 0, 0])).toEqual([3, 1, 2, 4])
    // Where runs come to the mutant, their counts decide.
    expect(partsOf([9, 8, 7, 6])).toEqual([1, 2, 3, 4])
  })
})

describe("the tests that judge a mutant", () => {
  const folderOf = (files: Readonly<Record<string, string>>): string => {
    const folder = temporaryFolder()
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(folder, dirname(path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    return folder
  }

  it("begin with those that prove its clause, then those that are named like its module or name what it exports", () => {
    // The specification has no such clause, and nothing may cite it.
    const clause = `[${["AB", 1].join("-")}]`
    const folder = folderOf({
      "domain/nothing.test.ts": "1",
      "domain/other.test.ts": `it("waits long enough, and no longer ${clause}")`,
      "domain/Waits.test.ts": 'it("waits")',
      "domain/module.test.ts": "expect(waitMillis).toBe(5)",
      "http/far.test.ts": "1",
      "simulations/Wait.test.ts": "1",
      "node_modules/domain/Wait.test.ts": "1"
    })
    const text = `/** Milliseconds of a wait. ${clause} */\nexport const waitMillis = 5`
    const mutant = generate("packages/domain/src/decisions/Wait.ts", text)[0]!
    expect(nearestFirst(mutant, text, tracesOfTests(folder))).toEqual([
      "domain/other.test.ts",
      "domain/module.test.ts",
      "domain/Waits.test.ts",
      "domain/nothing.test.ts",
      "http/far.test.ts"
    ])
  })

  it("need the built server where a module that they import starts it", () => {
    const folder = folderOf({
      "server/starts.test.ts": 'import { run } from "../harness/Run.ts"',
      "server/alone.test.ts":
        'import { steps } from "../harness/Steps.ts"\nimport { x } from "../../scripts/x.ts"',
      "harness/Run.ts":
        'import { steps } from "./Absent.ts"\nimport { bundledServer } from "./BundledServer.ts"',
      "harness/Steps.ts": 'import type { Run } from "./Steps.ts"'
    })
    const needing = ["server/starts.test.ts", "server/alone.test.ts"].filter((path) =>
      startsServer(folder, path)
    )
    expect(needing).toEqual(["server/starts.test.ts"])
  })
})

/** The id of a lead that every list shows, and a part of the Node server, which is not simulated. */
const known = ["domain/views/LeadView:leadView:property:1", "http/UnreadBody:lingerMillis:number:1"]

describe("the judges", () => {
  it.runIf(isThorough)(
    "tell a mutant that breaks a rule from one that the simulator does not contain",
    async () => {
      const judge = await SimulatorJudge.make({ seeds: 1, seconds: 60 })
      const judgeProcess = judge.process()
      const outcomes: Array<string> = []
      try {
        const made = await MutatedSources.mutantsBeside(known)
        for (const id of known) {
          const { detail, outcome } = await judge.judge(
            made.find((mutant) => mutant.id === id)!,
            judgeProcess
          )
          outcomes.push(`${outcome} ${detail}`)
        }
      } finally {
        judgeProcess.stop()
        judge.close()
      }
      expect(outcomes).toEqual(["oracle bodies valid", "absent "])
    }
  )

  it.runIf(isThorough)("are run by a command, which judges nothing again", async () => {
    const simulate = await bundleSimulate()
    const results = join(temporaryFolder(), "results.jsonl")
    const words = ["--only", known.join(","), "--seeds", "1", "--tests", "none", "--results", results]
    const { code, out } = await simulate(["mutants", ...words, "--json"])
    const fates = out.trim().split("\n")
    expect(fates.map((line) => JSON.parse(line).fate)).toEqual(["rule", "open"])
    expect(code).toBe(0)
    const judged = readFileSync(results, "utf8")
    expect((await simulate(["mutants", ...words])).out).toContain("the simulator kills 100.0 %")
    expect(readFileSync(results, "utf8")).toBe(judged)
    expect((await simulate(["mutants", "--only", "domain/views/LeadView:none:property:1"])).code).toBe(2)
  })

  it.runIf(isThorough)("by tests name the test that fails", async () => {
    const judge = new TestJudge()
    try {
      const file = "packages/domain/src/decisions/Retries.ts"
      const mutant = generate(file, MutatedSources.textOf(file)).find(({ kind }) => kind === "number")
      const { detail, outcome } = await judge.judge(mutant!, 1, { "domain/Retries.test.ts": true })
      expect([outcome, detail.startsWith("domain/Retries.test.ts: ")]).toEqual(["failed", true])
    } finally {
      judge.close()
    }
  })
})
