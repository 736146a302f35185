/** Planted bugs: each is anchored to syntax, which neither formatting nor the names of locals change. */
import { type Bug, bugs, PlantedModules, syntaxEditor } from "@lead-signals/simulations/bugs"
import { existsSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import ts from "typescript"
import { describe, expect, it } from "vitest"
import { nextTick } from "../harness/EventLoop.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { renameLocals, unresolvedNames } from "./LocalNames.ts"

const printer = ts.createPrinter({ removeComments: true })

/** The same program without its formatting and comments. */
const printed = (text: string): string =>
  printer.printFile(ts.createSourceFile("module.ts", text, ts.ScriptTarget.Latest, true))

const editor = syntaxEditor(ts)
const plant = (bug: Bug, text: string): string => editor.apply(text, bug.edits)

/** Computed once for each module. */
const ofModule = <A>(compute: (text: string) => A): ((text: string) => A) => {
  const known = new Map<string, A>()
  return (text) => {
    if (!known.has(text)) known.set(text, compute(text))
    return known.get(text)!
  }
}
const renamedModule = ofModule(renameLocals)
const namesOfModule = ofModule(unresolvedNames)

/** What runs everywhere, beside the language's own names. */
const globals = new Set([
  "Array",
  "Map",
  "Math",
  "Number",
  "String",
  "TextDecoder",
  "parseInt",
  "performance",
  "undefined"
])

/** Every fifth; all of them in thorough runs. */
const sampled = bugs.filter((_, i) => isThorough || i % 5 === 0)

/** Modules of constants alone. */
const withoutLocals = new Set(["0001_leads", "LeadChange"])

describe("planted bugs", () => {
  it("are at least forty, in every layer, and each changes what is there", async () => {
    expect(bugs.length).toBeGreaterThanOrEqual(40)
    expect(new Set(bugs.map(({ name }) => name)).size).toBe(bugs.length)
    for (const bug of bugs) {
      const text = PlantedModules.sourceOf(bug)
      expect([bug.name, (await PlantedModules.planted(bug, text)) === text]).toEqual([bug.name, false])
    }
    const files = bugs.map(PlantedModules.fileOf)
    for (const place of ["domain", "store-memory", "store-sqlite", "http", "webhook"]) {
      expect([place, files.some((file) => file.startsWith(`packages/${place}/`))]).toEqual([place, true])
    }
  })

  it("are the same in a module that is formatted otherwise and has no comments", async () => {
    for (const bug of sampled) {
      await nextTick()
      const text = PlantedModules.sourceOf(bug)
      expect([bug.name, printed(plant(bug, printed(text)))]).toEqual([bug.name, printed(plant(bug, text))])
    }
  })

  it("are the same in a module whose locals have other names", async () => {
    for (const bug of sampled) {
      const text = PlantedModules.sourceOf(bug)
      await nextTick()
      const renamed = renamedModule(text)
      expect([bug.name, renamed === text && !withoutLocals.has(bug.module.name)]).toEqual([bug.name, false])
      expect([bug.name, printed(renameLocals(plant(bug, renamed)))]).toEqual([
        bug.name,
        printed(renameLocals(plant(bug, text)))
      ])
    }
  })

  it("name nothing that the module does not know", async () => {
    for (const bug of sampled) {
      const text = PlantedModules.sourceOf(bug)
      await nextTick()
      const known = namesOfModule(text)
      const strange = [...unresolvedNames(plant(bug, text))].filter(
        (name) => !known.has(name) && !globals.has(name)
      )
      expect([bug.name, strange]).toEqual([bug.name, []])
    }
  })
})

describe("a bundle", () => {
  it("removes those that commands which were killed left a week ago", async () => {
    const bundled = await PlantedModules.bundle("worker.ts", null)
    const [left, recent] = ["left", "recent"].map((name) =>
      join(dirname(bundled), `${name}-${process.pid}.mjs`)
    )
    writeFileSync(left!, "")
    writeFileSync(recent!, "")
    const eightDaysAgo = new Date(Date.now() - 8 * 24 * 3_600_000)
    utimesSync(left!, eightDaysAgo, eightDaysAgo)
    try {
      await PlantedModules.bundle("worker.ts", null)
      expect([bundled, left!, recent!].map((file) => existsSync(file))).toEqual([true, false, true])
    } finally {
      for (const file of [bundled, left!, recent!]) rmSync(file, { force: true })
    }
  })
})

describe("an edit", () => {
  const text = `
/** Adds. */
export const sum = (a: number, b: number): number => a + b
export const store = {
  put: (key: string, value = { key }) => { log(\`SELECT 1
   FROM it\`); return value },
  flags: { first: 1, second: 2 }
}
const twice = (a: number) => [a * 2, a * 2]
`

  it("takes over what its pattern's names stand for", () => {
    expect(editor.apply(text, [{ in: "sum", find: "$a + $b", put: "$b - $a" }])).toContain("=> b - a\n")
    expect(
      editor.apply(text, [{ in: "store.put", find: "key: $key", put: "key: $key, more: $key" }])
    ).toContain("{ key: key, more: key }")
    expect(
      editor.apply(text, [{ in: "sum", given: ["($first, $$rest) => $sum"], find: "$sum", put: "f($$rest)" }])
    ).toContain("f(b: number)")
  })

  it("drops a statement or a property, inserts before a comment, and changes text within a string", () => {
    expect(editor.apply(text, [{ in: "store.put", drop: "$log($text)" }])).toContain("{  return value }")
    expect(editor.apply(text, [{ in: "store", drop: "first: 1" }])).toContain("flags: {  second: 2 }")
    expect(editor.apply(text, [{ in: "sum", insert: "const one = 1" }])).toContain(
      "const one = 1\n/** Adds. */\nexport const sum"
    )
    expect(editor.apply(text, [{ in: "store.put", text: "1 FROM it", put: "2" }])).toContain(
      "log(`SELECT 2`)"
    )
  })

  it.each([
    [{ in: "sum", find: "$a - $b", put: "" }, '"$a - $b" in sum is there 0 times'],
    [{ in: "twice", find: "$a * 2", put: "" }, '"$a * 2" in twice is there 2 times'],
    [{ in: "total", find: "$a + $b", put: "" }, 'The declaration of "total" is there 0 times'],
    [{ in: "store.get", find: "$a + $b", put: "" }, '"get" of store.get is there 0 times'],
    [{ in: "sum", find: "$a +", put: "" }, "This is not a pattern: $a +"],
    [{ in: "sum", find: "$a + $b", put: "$c" }, "$c stands for nothing in an edit of sum"],
    [{ in: "store", text: "3", put: "" }, 'The text "3" in store is there 0 times']
  ])("that does not apply says what it looked for (%#)", (edit, message) => {
    expect(() => editor.apply(text, [edit])).toThrow(message)
  })
})
