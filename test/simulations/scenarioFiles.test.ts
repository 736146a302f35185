/** Scenario files of one's own: what is wrong with one is named, and they run as those of the project do. */
import { readScenario, scenarioNamed, scenarioNames } from "@lead-signals/simulations"
import {
  fieldTable,
  loadScenario,
  newScenarioFile,
  oversized,
  scenarioJsonSchema,
  renderedScenario
} from "@lead-signals/simulations/internal"
import { Either } from "effect"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { bundleSimulate, digestOf, refuseHere } from "../harness/SimulateCommand.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const simulateCommand = await bundleSimulate()
const root = fileURLToPath(new URL("../..", import.meta.url))
const folder = temporaryFolder()
// The validator that the simulator has.
const { Ajv } = createRequire(join(root, "simulations/package.json"))("ajv")

const small = {
  name: "fair",
  about: "A trade fair.",
  hours: 0.2,
  brands: [{ people: 5, consumers: ["healthy"], perHour: { observe: 60, list: 20 } }]
}

/** What is wrong with a text; empty for a scenario. */
const problemsOf = (text: string): ReadonlyArray<string> =>
  Either.match(readScenario(text), { onLeft: (problems) => problems, onRight: () => [] })

/** What is wrong with the small scenario with other fields. */
const problemsWith = (fields: object): ReadonlyArray<string> =>
  problemsOf(JSON.stringify({ ...small, ...fields })).map((line) => line.replace(/^line 1, column \d+: /, ""))

const brand = (fields: object): object => ({ brands: [{ ...small.brands[0], ...fields }] })

describe("a scenario file", () => {
  it("has defaults for what it leaves out", () => {
    const scenario = Either.getOrThrow(readScenario(JSON.stringify({ $schema: "./s.json", ...small })))
    expect(scenario).toMatchObject({ swarm: false, coverageMarks: [], rates: { loss: 0 } })
    expect(scenario.brands[0]!.perHour).toMatchObject({ observe: 60, erase: 0 })
  })

  it("with an unknown field is refused with the path and the name that was meant", () => {
    expect(problemsWith(brand({ perHour: { observ: 3 } }))).toEqual([
      'brands[0].perHour.observ: there is no such field. Did you mean "observe"?'
    ])
    expect(problemsWith({ rates: { kills: 3 } })).toEqual([
      "rates.kills: there is no such field here. Did you mean scheduledFaults.kills?"
    ])
    expect(problemsWith({ colour: "red" })[0]).toContain(
      "colour: there is no such field. There are $schema, name, about, hours"
    )
    expect(problemsWith(JSON.parse('{"__proto__": 1}'))[0]).toContain("__proto__: there is no such field.")
  })

  it("with a value that a field does not take is refused with what it takes", () => {
    expect(problemsWith({ hours: 0 })).toEqual([
      "hours: takes a number from 0.01 to 8784 (virtual hours), not 0."
    ])
    expect(problemsWith({ hours: "1" })[0]).toContain('not "1".')
    expect(problemsWith({ rates: { loss: 1.5 } })).toEqual([
      "rates.loss: takes a number from 0 to 1 (probability), not 1.5."
    ])
    expect(problemsWith(brand({ people: 2.5 }))).toEqual([
      "brands[0].people: takes a whole number from 1 to 100000 (people), not 2.5."
    ])
    expect(problemsWith(brand({ consumers: ["helthy"] }))[0]).toMatch(
      /^brands\[0\]\.consumers\[0\]: takes one of healthy, .*, not "helthy"\. Did you mean "healthy"\?$/
    )
    expect(problemsWith({ brands: [] })).toEqual([
      "brands: takes a list of 1 to 20 items, not an empty list."
    ])
    expect(problemsWith({ brands: {} })).toEqual(["brands: takes a list of 1 to 20 items, not an object."])
    expect(problemsWith({ swarm: "yes" })).toEqual(['swarm: takes true or false, not "yes".'])
  })

  it("is told all that is wrong at once, in the order of the file, with line and column", () => {
    const text = `{
  "name": "fair",
  "hours": -1,
  "hours": -2,
  "brands": [
    { "people": 0, "consumers": [], "perHour": { "lst": 1 } }
  ]
}`
    expect(problemsOf(text)).toEqual([
      "line 1, column 1: about: is missing. It takes a text of 1 to 2000 characters.",
      "line 3, column 3: hours: takes a number from 0.01 to 8784 (virtual hours), not -2.",
      "line 6, column 7: brands[0].people: takes a whole number from 1 to 100000 (people), not 0.",
      'line 6, column 50: brands[0].perHour.lst: there is no such field. Did you mean "list"?'
    ])
  })

  it.each([
    ["", "the file is empty"],
    [" \n", "the file is empty"],
    ["[]", "a scenario is an object, not an empty list."],
    ["null", "a scenario is an object, not null."],
    ["{", "line 1, column 1: this { has no }."],
    ['{\n  "name": "x",\n}', "line 2, column 14: a comma before }."],
    ["{ // fair\n}", "line 1, column 3: JSON has no comments."],
    ["{ name: 1 }", 'line 1, column 3: expected a name in double quotes or }, found "n".'],
    ["{'name': 1}", 'line 1, column 2: expected a name in double quotes or }, found "\'".'],
    ['{"name" 1}', 'line 1, column 9: expected : after "name", found "1".'],
    ['{"a": 1 "b": 2}', 'line 1, column 9: expected , or }, found "\\"".'],
    ['{"a": .5}', 'line 1, column 7: ".5" is not a JSON value.'],
    ['{"a": True}', 'line 1, column 7: "True" is not a JSON value.'],
    ['{"a": "b}', "line 1, column 7: this text has no closing quotation mark on its line."],
    ['{"a": "\\x"}', "line 1, column 7: this text has a character or a \\ that JSON does not take."],
    ['{"a": 1} {}', "line 1, column 10: there is more text after the end of the JSON value."],
    ['{"a": ]}', 'line 1, column 7: expected a value, found "]".']
  ])("that is not JSON is refused with the place: %j", (text, problem) => {
    expect(problemsOf(text)).toEqual([problem])
  })

  it("that is nested deeper than any scenario, or huge, is refused at once", () => {
    expect(problemsOf("[".repeat(100_000))).toEqual(["line 1, column 52: more than 50 values are nested."])
    expect(problemsOf(" ".repeat(1_000_000) + "{}")[0]).toMatch(/has 1000002 characters/)
    const many = `{${Array.from({ length: 30_000 }, (_, i) => `"f${i}":1`).join(",")}}`
    expect(problemsOf(many)).toHaveLength(51)
  })

  it("is refused where a run would take hours", () => {
    const scenario = Either.getOrThrow(readScenario(JSON.stringify(small)))
    expect(oversized(scenario)).toEqual([])
    expect(oversized(scenario, 2000)).toEqual([
      "160,000 actions are too many for a run: perHour of all brands times the hours may make 100,000 at most."
    ])
    const flood = { ...scenario, brands: [{ ...scenario.brands[0]!, consumers: Array(50).fill("healthy") }] }
    expect(oversized(flood, 1000)).toHaveLength(1)
    const storm = { ...scenario, scheduledFaults: { ...scenario.scheduledFaults, kills: 10_000 } }
    expect(oversized(storm, 240)[0]).toContain("100,000 faults")
    for (const name of scenarioNames()) expect([name, oversized(scenarioNamed(name)!)]).toEqual([name, []])
  })
})

describe("the JSON Schema", () => {
  const text = readFileSync(join(root, "simulations/scenario.schema.json"), "utf8")

  it("is fresh: `./lead-signals simulate schema > simulations/scenario.schema.json` writes it", () => {
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(scenarioJsonSchema())))
  })

  it("accepts the scenarios of the project, and rejects what reading rejects", () => {
    const isValid = new Ajv({ strict: false }).compile(JSON.parse(text))
    const sources = join(root, "simulations/src/scenarios")
    for (const file of readdirSync(sources)) {
      const source = JSON.parse(readFileSync(join(sources, file), "utf8"))
      expect([file, isValid(source)]).toEqual([file, true])
    }
    for (const wrong of [
      { hours: 0 },
      { hours: "1" },
      { colour: 1 },
      { brands: [] },
      brand({ people: 1.5 })
    ]) {
      expect([isValid({ ...small, ...wrong }), problemsWith(wrong).length]).toEqual([false, 1])
    }
  })

  it("describes each field", () => {
    for (const row of fieldTable().trim().split("\n").slice(2)) {
      expect([row, row.split(" | ").every((cell) => cell.trim() !== "" && cell.trim() !== "|")]).toEqual([
        row,
        true
      ])
    }
  })

  it("is the reference in docs/simulator.md", () => {
    const rowsOf = (markdown: string): ReadonlyArray<string> =>
      Array.from(markdown.matchAll(/^\| `.*\|$/gm), ([row]) => row.replace(/ +/g, " "))
    const page = readFileSync(join(root, "docs/simulator.md"), "utf8")
    const section = page.slice(page.indexOf("### Fields of a scenario"))
    expect(rowsOf(section.slice(0, section.indexOf("\n## ")))).toEqual(rowsOf(fieldTable()))
  })
})

describe("the file of a scenario", () => {
  const text = (result: Either.Either<unknown, string>): string =>
    Either.match(result, { onLeft: (message) => message, onRight: () => "" })

  it("that can't be read is named with the reason", () => {
    const none = join(folder, "none.json")
    expect(text(loadScenario(none))).toBe(`There is no file ${none}.`)
    expect(text(loadScenario(folder))).toBe(`${folder} can't be read: EISDIR.`)
    const large = join(folder, "large.json")
    writeFileSync(large, " ".repeat(4_000_001))
    expect(text(loadScenario(large))).toBe(`${large} has more than 4 MB.`)
  })

  it("is begun as a copy of a scenario of the project, and nothing is written over", () => {
    const begun = join(folder, "begun", "mine.json")
    expect(Either.isRight(newScenarioFile(begun, "erasure"))).toBe(true)
    const written = JSON.parse(readFileSync(begun, "utf8"))
    expect([written.name, written.hours]).toEqual(["mine", 6])
    expect(existsSync(join(folder, "begun", written.$schema))).toBe(true)
    expect(Either.getOrThrow(loadScenario(begun)).name).toBe("mine")
    expect(text(newScenarioFile(begun, "erasure"))).toBe(`${begun} exists, and is not written over.`)
    expect(text(newScenarioFile(join(folder, "mine.txt"), "erasure"))).toContain("must end in .json.")
    expect(text(newScenarioFile(join(folder, "x.json"), "erasur"))).toBe(
      'There is no scenario "erasur". Did you mean "erasure"?'
    )
  })

  it("is shown, as a scenario of the project is", () => {
    const { $schema: _, ...rendered } = JSON.parse(Either.getOrThrow(renderedScenario("erasure")))
    const source = readFileSync(join(root, "simulations/src/scenarios/erasure.json"), "utf8")
    expect(rendered).toEqual(JSON.parse(source))
    expect(text(renderedScenario("nothing"))).toContain(`There are ${scenarioNames().join(", ")}.`)
  })
})

describe("./lead-signals simulate FILE.json", () => {
  const file = join(folder, "fair.json")
  writeFileSync(file, JSON.stringify(small, null, 2))

  it.runIf(isThorough)(
    "runs it as a named scenario, and ends with exit code 2 for a file that is wrong",
    async () => {
      const wrong = join(folder, "wrong.json")
      writeFileSync(wrong, JSON.stringify({ ...small, hours: 0, swarn: true }))
      const [run, broken] = await Promise.all([simulateCommand([file]), refuseHere(wrong)])
      expect([run!.code, run!.err]).toEqual([0, ""])
      expect(run!.out).toContain(`${file} · seed 1 · passed`)
      expect(digestOf(run!)).toHaveLength(64)
      expect([broken!.code, broken!.out]).toEqual([2, ""])
      expect(broken!.err).toContain(`${wrong} is not a scenario.\n  line 1, column `)
      expect(broken!.err).toContain('swarn: there is no such field. Did you mean "swarm"?')
    }
  )

  it.runIf(isThorough)("takes the options of a named one, and refuses a run that is too large", async () => {
    const [several, help, large, rendered] = await Promise.all([
      simulateCommand([file, "--seeds", "6", "--until", "3m", "--json"]),
      simulateCommand([file, "--help"]),
      simulateCommand([file, "--until", "366d"]),
      simulateCommand(["show", "erasur"])
    ])
    const lines = several!.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(lines.map(({ scenario, seed }) => [scenario, seed])).toEqual(
      [1, 2, 3, 4, 5, 6].map((seed) => [file, seed])
    )
    expect(help!.out).toContain("A trade fair.")
    expect(help!.out).toContain("--seeds")
    expect([large!.code, large!.out]).toEqual([2, ""])
    expect(large!.err).toContain(`${file} is too large.\n  702,720 actions are too many for a run`)
    expect(rendered!.code).toBe(2)
  })

  it.runIf(isThorough)("keeps a counterexample that needs no other file", async () => {
    const alone = join(folder, "alone")
    mkdirSync(alone)
    const kept = join(alone, "kept.json")
    const found = await simulateCommand([file, "--bug", "always-the-first", "--counterexample", kept])
    expect([found.code, found.err]).toEqual([1, ""])
    expect(found.out).toContain(`simulate ${file} --seed 1 --bug always-the-first`)
    expect(found.out).toContain(
      "planted bug: always-the-first: every engagement says that it is the person's first"
    )
    rmSync(file)
    const [replayed, mended, rendered] = await Promise.all([
      simulateCommand(["replay", kept]),
      simulateCommand(["replay", kept, "--bug", "none"]),
      simulateCommand(["show", kept])
    ])
    expect([replayed!.code, mended!.code]).toEqual([1, 0])
    expect(JSON.parse(rendered!.out)).toMatchObject(small)
  })
})
