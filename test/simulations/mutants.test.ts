/** Mutants: what the generator makes, how they are sampled, and how they are judged. */
import {
  applied,
  type Mutant,
  MutatedSources,
  mutantGenerator,
  mutantsTable,
  outside,
  outsideReason,
  readEquivalents,
  sample,
  staleMarks,
  tallyOf
} from "@lead-signals/simulations/bugs"
import ts from "typescript"
import { describe, expect, it } from "vitest"
import { nextTick } from "../harness/EventLoop.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const { generate } = mutantGenerator(ts)

const allModules = MutatedSources.mutatedModules()

/** Every layer; all of them in thorough runs. */
const modules = isThorough
  ? allModules
  : allModules.filter((file) =>
      /\/(?:Retries|FastPath|Emitter|MemoryLeadStore|Selection|SqliteOutbox|Cursor)\.ts$/.test(file)
    )

const isParsed = (text: string): boolean =>
  (
    ts.createSourceFile("module.ts", text, ts.ScriptTarget.Latest, false) as unknown as {
      readonly parseDiagnostics: ReadonlyArray<unknown>
    }
  ).parseDiagnostics.length === 0

const printer = ts.createPrinter({ removeComments: true })

const printed = (text: string): string =>
  printer.printFile(ts.createSourceFile("module.ts", text, ts.ScriptTarget.Latest, true))

const mutantsOf = (text: string, file = "packages/store-sqlite/src/Example.ts"): ReadonlyArray<string> =>
  generate(file, text).map(({ change, id }) => `${id.split(":").slice(1).join(":")} ${change}`)

/** White space counts within a string alone. */
const isSameCode = ({ id }: Mutant, mutated: string, text: string): boolean =>
  id.includes(":string:") ? mutated === text : mutated.replace(/\s/g, "") === text.replace(/\s/g, "")

describe("a mutant", () => {
  it.runIf(isThorough)("parses, and differs from the source in more than white space", async () => {
    for (const file of modules) {
      const text = MutatedSources.textOf(file)
      await nextTick()
      for (const mutant of generate(file, text).filter((_, i) => isThorough || i % 3 === 0)) {
        const mutated = applied(text, mutant)
        expect([mutant.id, isParsed(mutated)]).toEqual([mutant.id, true])
        expect([mutant.id, isSameCode(mutant, mutated, text)]).toEqual([mutant.id, false])
      }
    }
  })

  it("has an id of its own, which formatting and comments do not change", async () => {
    const ids = new Set<string>()
    for (const file of modules) {
      const text = MutatedSources.textOf(file)
      await nextTick()
      const made = generate(file, text).map(({ id }) => id)
      for (const id of made) {
        expect([id, ids.has(id)]).toEqual([id, false])
        ids.add(id)
      }
      expect(generate(file, printed(text)).map(({ id }) => id)).toEqual(made)
    }
  })

  it("changes what code does, and neither types nor words for people", () => {
    expect(
      mutantsOf(
        'interface A { readonly n: 1 }\nexport const f = (n: 1 | 2): "a" => { Effect.logInfo("read", n); throw new Error("no") }'
      )
    ).toEqual(['f:statement:1 [-Effect.logInfo("read", n);-]{+;+}'])
    expect(
      mutantsOf(
        'export const g = endpoint(post("a"), { summary: "Posts", fields: { a: ["b"] } })',
        "packages/http/src/endpoints/Example.ts"
      )
    ).toEqual(['g:string:1 [-"a"-]{+""+}'])
  })
})

describe("the kinds of mutants", () => {
  it.each([
    ["if (a < b) return c; d()", ["condition", "bound", "return", "statement"]],
    ["return a === b ? c : d", ["condition", "condition", "equality"]],
    ["return a && b", ["logical", "operand", "operand"]],
    ["return a ?? b?.c", ["nullish", "nullish", "chain"]],
    ["return yield* a", ["effect"]],
    ["yield* a", ["statement"]],
    ["return a.pipe(b(), c())", ["stage", "stage"]],
    ["return Effect.zipRight(a, b)", ["stage", "arguments"]],
    ["return a.filter(b).sort()", ["method", "method"]],
    ["return a + 5", ["arithmetic", "number", "number"]],
    ["return { a, ...b, c: [true] }", ["property", "property", "property", "element", "boolean"]]
  ])("%s", (body, wanted) => {
    const made = generate("packages/domain/src/Example.ts", `function* f() { ${body} }`)
    const kinds = made.map(({ kind }) => kind)
    // Conditions are changed in two ways or three, which are not counted here.
    const counted = wanted.includes("condition") ? [...new Set(kinds)] : kinds
    const expected = wanted.includes("condition") ? [...new Set(wanted)] : wanted
    expect(counted.toSorted()).toEqual(expected.toSorted())
  })

  it("of SQL keep the number of parameters", () => {
    const sql =
      "SELECT a FROM t WHERE b = ? AND c BETWEEN ? AND ? AND d IS NULL ORDER BY a DESC, ${more} LIMIT ?"
    const made = generate("packages/store-sqlite/src/Example.ts", `const q = \`${sql}\``)
    expect(made.map(({ change, kind }) => `${kind} ${change}`)).toEqual([
      "sql-term [-b = ?-]{+(b = ? OR TRUE)+}",
      "sql-term [-c BETWEEN ? AND ?-]{+(c BETWEEN ? AND ? OR TRUE)+}",
      "sql-term [-d IS NULL-]{+(d IS NULL OR TRUE)+}",
      "sql-operator [-=-]{+<>+}",
      "sql-operator [-AND-]{+OR+}",
      "sql-operator [-AND-]{+OR+}",
      "sql-operator [-IS-]{+IS NOT+}",
      "sql-order [-a DESC, -]{++}",
      "sql-order [-, ${more}-]{++}",
      "sql-order [-DESC-]{+ASC+}",
      "sql-limit [-?-]{+-1 + 0 * ?+}"
    ])
  })
})

describe("a sample", () => {
  const all: ReadonlyArray<Mutant> = modules.flatMap((file) => generate(file, MutatedSources.textOf(file)))

  const countByStratum = (mutants: ReadonlyArray<Mutant>): ReadonlyMap<string, number> => {
    const counts = new Map<string, number>()
    for (const { kind, package: name } of mutants)
      counts.set(`${name} ${kind}`, (counts.get(`${name} ${kind}`) ?? 0) + 1)
    return counts
  }

  it("is the same for the same seed, and another for another", () => {
    const ids = (seed: number) => sample(all, 100, seed).map(({ id }) => id)
    expect(ids(1)).toHaveLength(100)
    expect(ids(1)).toEqual(ids(1))
    expect(ids(1)).not.toEqual(ids(2))
    expect(sample(all, all.length + 1, 1)).toEqual(all)
  })

  it("has of each package and kind its share, to one mutant", () => {
    const whole = countByStratum(all)
    const part = countByStratum(sample(all, 100, 3))
    for (const [name, n] of whole) {
      const share = (100 * n) / all.length
      expect([name, Math.abs((part.get(name) ?? 0) - share) < 1]).toEqual([name, true])
    }
  })

  it("hardly changes when a module does", () => {
    const before = new Set(sample(all, 100, 1).map(({ id }) => id))
    const after = sample(
      all.filter((_, i) => i % 50 !== 0),
      100,
      1
    )
    expect(after.filter(({ id }) => before.has(id)).length).toBeGreaterThan(80)
  })
})

it("the marks of equivalent mutants are of mutants that there are", () => {
  const marks = readEquivalents()
  const files = allModules.filter((file) =>
    marks.some(({ id }) => `packages/${id.split(":")[0]!.replace("/", "/src/")}.ts` === file)
  )
  const made = files.flatMap((file) => generate(file, MutatedSources.textOf(file)))
  expect(staleMarks(made, marks)).toEqual([])
  expect(marks.filter(({ reason }) => reason.length < 20)).toEqual([])
  expect(new Set(marks.map(({ id }) => id)).size).toBe(marks.length)
})

describe("code outside of the simulator's program", () => {
  it.runIf(isThorough)("is there, and each reason is of some of it", () => {
    const ids = allModules.flatMap((file) => generate(file, MutatedSources.textOf(file)).map(({ id }) => id))
    const stale = outside.filter(([pattern]) => !ids.some((id) => pattern.test(id)))
    expect(stale.map(([pattern]) => pattern.source)).toEqual([])
    // Most of what is mutated can be come to.
    expect(ids.filter((id) => outsideReason(id) !== null).length / ids.length).toBeLessThan(0.15)
  })

  const mutant = (id: string): Mutant => ({ ...generate("packages/http/src/A.ts", "f(1)")[0]!, id })

  it("is counted on the page, and so are mutants with a mark of equivalence", () => {
    const known = { equivalent: null, simulator: null, tests: null, isOfFairPart: true } as const
    const page = mutantsTable(
      [
        { ...known, mutant: mutant("http/A:f:number:1"), equivalent: "It is only slower." },
        { ...known, mutant: mutant("http/BodyPace:f:number:1") },
        { ...known, mutant: mutant("http/BodyPace:f:number:2") },
        { ...known, mutant: mutant("http/BodyPace:f:number:3"), equivalent: "It is only slower." }
      ],
      { day: "2026-01-05", command: "simulate mutants", population: 9, testFiles: 1 }
    )
    expect(page).toContain("`simulations/mutants-equivalent.json` marks 2 of these.")
    expect(page).toContain(
      "leaves out 2 that `simulations/src/mutants/Outside.ts` puts outside of its program."
    )
  })

  it("counts for the tests alone", () => {
    const killed = { by: "simulator", outcome: "oracle", detail: "", seeds: 1, seconds: 1 } as const
    const passed = { ...killed, outcome: "survived" } as const
    const tested = { by: "tests", outcome: "failed", detail: "", files: 3, seconds: 1 } as const
    const known = { equivalent: null, simulator: null, tests: null, isOfFairPart: true } as const
    const tally = tallyOf([
      { ...known, mutant: mutant("http/A:f:number:1"), simulator: killed },
      { ...known, mutant: mutant("http/A:f:number:2"), simulator: passed, tests: tested },
      { ...known, mutant: mutant("http/BodyPace:f:number:1"), tests: tested },
      { ...known, mutant: mutant("http/BodyPace:f:number:2"), tests: { ...tested, outcome: "survived" } },
      { ...known, mutant: mutant("http/A:f:number:3"), simulator: passed, isOfFairPart: false }
    ])
    expect(tally.fates).toEqual({ rule: 1, crash: 0, tests: 2, neither: 1, equivalent: 0, open: 1 })
    expect(tally.bySimulator).toBe(1 / 3)
    expect(tally.byEither).toBe(3 / 4)
  })
})
