/** What the documentation names exists: modules of the packages, and files that it links to. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Where the modules of a place lie: a package's name, or a folder at the root. */
const sourcesOf = (place: string): string | null =>
  [`packages/${place}/src`, `${place}/src`, place].find((folder) => existsSync(join(root, folder))) ?? null

const walk = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (!entry.isDirectory()) return [path]
    return entry.name === "node_modules" || entry.name.startsWith(".") ? [] : walk(path)
  })

const markdownIn = (folder: string): ReadonlyArray<string> =>
  walk(folder).filter((path) => path.endsWith(".md"))

const documents = ["README.md", "ARCHITECTURE.md", ...markdownIn("docs")]
const textOf = (document: string): string => readFileSync(join(root, document), "utf8")

const known = new Map<string, ReadonlyArray<string>>()
const filesIn = (folder: string): ReadonlyArray<string> => {
  const files = known.get(folder) ?? walk(folder)
  known.set(folder, files)
  return files
}

/** `place/Module.ts` is the file at that path below the place, or else the only one there whose path ends so. */
const moduleExists = (span: string): boolean => {
  if (existsSync(join(root, span))) return true
  const [place = "", ...rest] = span.split("/")
  const folder = rest.length === 0 ? null : sourcesOf(place)
  if (folder === null) return false
  const wanted = `/${rest.join("/")}`
  const files = filesIn(folder)
  return files.includes(folder + wanted) || files.filter((file) => file.endsWith(wanted)).length === 1
}

const withoutBlocks = (text: string): string => text.replace(/^```[\s\S]*?^```$/gm, "")

describe("the documentation", () => {
  it("names modules that exist", () => {
    const checked = [
      "ARCHITECTURE.md",
      "docs/glossary.md",
      "docs/performance.md",
      ...markdownIn("docs/decisions")
    ]
    const missing = checked.map((document) => {
      const spans = Array.from(
        withoutBlocks(textOf(document)).matchAll(/`(\w[\w./-]*\.(?:ts|mts|mjs|sql))`/g),
        ([, span]) => span!
      )
      return [document, spans.filter((span) => !moduleExists(span))]
    })
    expect(missing).toEqual(checked.map((document) => [document, []]))
  })

  it("draws the packages as they depend on each other", () => {
    const drawing = /^```mermaid\n([\s\S]*?)^```$/m.exec(textOf("ARCHITECTURE.md"))![1]!
    const edges = Array.from(drawing.matchAll(/^ +(.+) --> (.+)$/gm), ([, from, to]) =>
      from!
        .split(" & ")
        .flatMap((importer) => to!.split(" & ").map((imported) => [importer, imported] as const))
    ).flat()
    const reachedFrom = (name: string): ReadonlyArray<string> =>
      edges.filter(([from]) => from === name).flatMap(([, to]) => [to, ...reachedFrom(to)])
    const folders = [...readdirSync(join(root, "packages")).map((name) => `packages/${name}`), "simulations"]
    const dependencies = folders.flatMap((folder) => {
      const { name, ...manifest } = JSON.parse(textOf(`${folder}/package.json`))
      const wanted = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.peerDependencies }
      return Object.keys(wanted)
        .filter((each) => each.startsWith("@lead-signals/"))
        .map((each) => [name, each].map((long) => long.replace("@lead-signals/", "")) as [string, string])
    })
    const undrawn = dependencies.filter(([from, to]) => !reachedFrom(from).includes(to))
    const untrue = edges.filter(([from, to]) => !dependencies.some(([a, b]) => a === from && b === to))
    expect([undrawn, untrue]).toEqual([[], []])
  })

  it("names the module of each term of the glossary", () => {
    const terms = textOf("docs/glossary.md")
      .split(/^- /m)
      .slice(1)
      .filter((term) => !/\.(?:ts|mjs|sql)`|\]\(/.test(term))
    expect(terms).toEqual([])
  })

  it("lists the terms of each group of the glossary in alphabetical order", () => {
    for (const group of textOf("docs/glossary.md").split(/^## /m).slice(1)) {
      const terms = Array.from(group.matchAll(/^- \*\*([^*]+)\*\*/gm), ([, term]) => term!.toLowerCase())
      expect(terms).toEqual([...terms].sort((a, b) => (a < b ? -1 : 1)))
    }
  })

  it("links to files that exist", () => {
    const broken = documents.flatMap((document) =>
      Array.from(
        withoutBlocks(textOf(document)).matchAll(/\]\((?![a-z]+:)([^)#]+)(?:#[^)]*)?\)/g),
        ([, to]) => to!
      )
        .filter((to) => !existsSync(join(root, dirname(document), to)))
        .map((to) => `${document}: ${to}`)
    )
    expect(broken).toEqual([])
  })

  it("keeps decision records short", () => {
    const long = markdownIn("docs/decisions").filter((record) => textOf(record).split("\n").length > 80)
    expect(long).toEqual([])
  })
})
