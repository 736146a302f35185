/** The documentation names modules and links to files that exist, and its indexes and records have their form. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { ablations } from "../bench/Ablations.ts"

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

const readmes = [...readdirSync(join(root, "packages")).map((name) => `packages/${name}`), "simulations"]
  .map((folder) => `${folder}/README.md`)
  .filter((path) => existsSync(join(root, path)))
const atRoot = readdirSync(root).filter((name) => name.endsWith(".md"))
const documents = [...atRoot, ...markdownIn("docs"), ...readmes]
const decisions = markdownIn("docs/decisions").filter((path) => !path.endsWith("/README.md"))
const textOf = (document: string): string => readFileSync(join(root, document), "utf8")

const { scripts } = JSON.parse(textOf("package.json")) as {
  readonly scripts: Readonly<Record<string, string>>
}

/** https://keepachangelog.com */
const changelogKinds = new Set(["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"])

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

/** The files that a text names: alone in a code span, or in a Mermaid picture. */
const filesNamedIn = (text: string): ReadonlyArray<string> => {
  const pictures = Array.from(text.matchAll(/^```mermaid\n([\s\S]*?)^```$/gm), ([block]) => block).join("")
  const named = [
    ...withoutBlocks(text).matchAll(/`(\w[\w./-]*\.(?:ts|mts|mjs|sql))`/g),
    ...pictures.matchAll(/\b(\w[\w-]*\/[\w./-]+\.(?:ts|mts|mjs|sql))\b/g)
  ]
  return named.map(([, name]) => name!)
}

/** Pages about the code: here a name without its package would be ambiguous. */
const isAboutCode = (document: string): boolean =>
  /^docs\/(?:(?:architecture|data-model|glossary|performance|scale)\.md|decisions\/)/.test(document)

/** Files that a page shows how to create, as docs/extending.md does. */
const createdIn = (text: string): ReadonlySet<string> =>
  new Set(Array.from(text.matchAll(/^--- \/dev\/null\n\+\+\+ b\/(.+)$/gm), ([, path]) => path!))

/** Elsewhere a page may name files of the reader's own project, and files that a build makes. */
const isReaders = (name: string): boolean =>
  !name.includes("/") || sourcesOf(name.split("/")[0]!) === null || name.includes("/dist/")

describe("the documentation", () => {
  it.each(documents)("names modules that exist: %s", (document) => {
    const text = textOf(document)
    const created = createdIn(text)
    const missing = filesNamedIn(text)
      .filter((name) => isAboutCode(document) || !isReaders(name))
      .filter((name) => !created.has(name) && !moduleExists(name))
    expect(missing).toEqual([])
  })

  it.each(documents)("has each row of a table below the head of one: %s", (document) => {
    const lines = withoutBlocks(textOf(document)).split("\n")
    const isRow = (line: string | undefined): boolean => line?.startsWith("|") === true
    const outside = lines.filter((line, i) => {
      if (!isRow(line) || isRow(lines[i - 1])) return false
      // The first row is a head, and the second one the rule below it with as many columns.
      const columns = (row: string): number => row.replaceAll(/\\\||`[^`]*`/g, "").split("|").length
      const below = lines[i + 1] ?? ""
      return !/^\|(?: *:?-+:? *\|)+$/.test(below) || columns(below) !== columns(line)
    })
    expect(outside).toEqual([])
  })

  it("draws the packages as they depend on each other", () => {
    const drawing = /^```mermaid\n([\s\S]*?)^```$/m.exec(textOf("docs/architecture.md"))![1]!
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

  it("names the ablation of each mechanism that the benchmark can turn off", () => {
    const named = Array.from(
      textOf("docs/performance.md").matchAll(/`--ablate=([a-z-]+)`/g),
      ([, name]) => name!
    )
    expect([...new Set(named)].sort()).toEqual(ablations.map(({ name }) => name).sort())
  })

  it.each(documents)("has no mark of an unsolved merge in %s", (document) => {
    expect(textOf(document)).not.toMatch(/^(?:<{7}|={7}$|>{7})/m)
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

  it.each(decisions)("keeps the form of a decision record, in at most 80 lines: %s", (record) => {
    const text = textOf(record)
    expect(text.split("\n").length).toBeLessThanOrEqual(80)
    const parts = Array.from(text.matchAll(/^\*\*(Context|Decision|Alternatives rejected|Consequences)\b/gm))
    expect([...new Set(parts.map(([, part]) => part))]).toEqual([
      "Context",
      "Decision",
      "Alternatives rejected",
      "Consequences"
    ])
  })

  it("lists every decision record in their index, by number and title", () => {
    const rows = Array.from(
      textOf("docs/decisions/README.md").matchAll(
        /^\| \[(\d{4})\]\(([^)]+)\) +\| ([^|]+?) +\| [^|]*\w[^|]* \|$/gm
      ),
      ([, number, file, title]) => [`docs/decisions/${file}`, `# ${number}: ${title}`]
    )
    expect(rows).toEqual([...decisions].sort().map((record) => [record, textOf(record).split("\n")[0]]))
  })

  it("names npm scripts that exist", () => {
    const unknown = documents.flatMap((document) =>
      Array.from(
        textOf(document).matchAll(/\bnpm run (?:-s |--silent )?([a-z][a-z:-]*)/g),
        ([, script]) => script!
      )
        .filter((script) => !(script in scripts))
        .map((script) => `${document}: ${script}`)
    )
    expect(unknown).toEqual([])
  })

  it("names every npm script in CONTRIBUTING.md", () => {
    const text = textOf("CONTRIBUTING.md")
    const commandOf = (script: string) =>
      ["start", "test"].includes(script) ? `npm ${script}` : `npm run ${script}`
    expect(Object.keys(scripts).filter((script) => !text.includes(commandOf(script)))).toEqual([])
  })

  it("keeps the form of a changelog", () => {
    const headings = Array.from(textOf("CHANGELOG.md").matchAll(/^(##+) (.+)$/gm), ([, level, text]) => [
      level,
      text
    ])
    const versions = headings.filter(([level]) => level === "##").map(([, text]) => text!)
    expect(versions[0]).toBe("Unreleased")
    for (const version of versions.slice(1))
      expect(version).toMatch(/^\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}$/)
    const kinds = headings.filter(([level]) => level === "###").map(([, text]) => text!)
    expect(kinds.filter((kind) => !changelogKinds.has(kind))).toEqual([])
  })

  it("lists every page of docs in the index", () => {
    const index = textOf("docs/README.md")
    const pages = markdownIn("docs").filter((path) => !/^docs\/(?:README\.md$|decisions\/)/.test(path))
    const listed = Array.from(index.matchAll(/^\| \[[^\]]+\]\(([^)#]+\.md)\)/gm), ([, to]) => `docs/${to}`)
    expect(pages.filter((page) => !listed.includes(page))).toEqual([])
    expect(listed).toContain("docs/decisions/README.md")
  })
})
