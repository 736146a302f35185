/** The tables of docs/simulator.md name everything that the simulator has, and nothing else. */
import { bugs } from "@lead-signals/simulations/bugs"
import { scenarioNamed, scenarioNames } from "@lead-signals/simulations"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const page = readFileSync(join(root, "docs/simulator.md"), "utf8")
const sources = join(root, "simulations/src")

/** The text of a section. */
const section = (title: string): string => {
  const from = page.indexOf(`\n## ${title}\n`)
  expect([title, from >= 0]).toEqual([title, true])
  return page.slice(from, page.indexOf("\n## ", from + 1))
}

/** The names in the first column of a section's table. */
const firstColumn = (title: string): ReadonlyArray<string> =>
  Array.from(section(title).matchAll(/^\| +(`.*?) +\|/gm), ([, cell]) =>
    Array.from(cell!.matchAll(/`([^`]+)`/g), ([, name]) => name!)
  ).flat()

/** Any scenario has all keys, those of what does not happen with 0. */
const example = scenarioNamed("quiet-day")!

describe("docs/simulator.md", () => {
  it("has each scenario, with its virtual time", () => {
    expect([...firstColumn("Scenarios")].sort()).toEqual(scenarioNames())
    for (const name of scenarioNames()) {
      const { hours } = scenarioNamed(name)!
      const rendered = hours > 48 ? `${hours / 24} days` : `${hours} h`
      expect(section("Scenarios")).toMatch(new RegExp(`^\\| \`${name}\` +\\| +${rendered} \\|`, "m"))
    }
  })

  it("has each fault", () => {
    const faults = [...Object.keys(example.rates), ...Object.keys(example.scheduledFaults)]
    expect([...firstColumn("Faults")].sort()).toEqual(faults.sort())
  })

  it("has each rule by its name", () => {
    const folder = join(sources, "oracles")
    const names = readdirSync(folder).flatMap(
      (file) => /^ {2}name: "([^"]+)"/m.exec(readFileSync(join(folder, file), "utf8"))?.[1] ?? []
    )
    expect(names.length).toBeGreaterThan(15)
    // Actors judge some rules themselves.
    const actors = readdirSync(join(sources, "actors")).flatMap((file) =>
      Array.from(
        readFileSync(join(sources, "actors", file), "utf8").matchAll(/violate\(\s*"([^"]+)"/g),
        ([, name]) => name!
      )
    )
    expect(actors).toContain("calls succeed")
    expect([...firstColumn("Rules")].sort()).toEqual(
      [...new Set([...names, ...actors, "files whole", "erased leave memory", "liveness"])].sort()
    )
  })

  it("has each exit code", () => {
    const text = readFileSync(join(sources, "cli/ExitCodes.ts"), "utf8")
    const codes = Array.from(text.matchAll(/: (\d)[,}\s]/g), ([, code]) => code)
    expect(firstColumn("Exit codes")).toEqual(codes.slice(0, 6))
  })

  it("has each receiver", () => {
    const source = readFileSync(join(sources, "Scenario.ts"), "utf8")
    const [, list] = /receiverBehaviours = \[([^\]]+)\]/.exec(source)!
    for (const [, behaviour] of list!.matchAll(/"(\w+)"/g)) {
      expect(section("Scenarios")).toContain(`\`${behaviour}\``)
    }
  })

  it("says how many bugs can be planted, as the table of them does", () => {
    expect(section("Planted bugs")).toContain(`${bugs.length} small bugs`)
    const [, of, found] = /has (\d+) of them[^:]*? (\d+) are found/.exec(section("Planted bugs"))!
    const table = readFileSync(join(root, "simulations/BUGS.md"), "utf8")
    expect(table).toContain(`${found} of ${of} found`)
  })
})
