/**
 * `npm run specification`: writes the lines of tests and the table of areas of docs/specification.md from the titles of the tests.
 *
 *   npm run specification -- --check           writes nothing; lists what is wrong, and ends with 1 where something is
 *   npm run specification -- --tests PAGE-4    prints the titles that prove a clause, by file; ends with 1 where there is no such clause
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"

const root = fileURLToPath(new URL("..", import.meta.url))

export const specificationPath = "docs/specification.md"

/** Names of standards that have the form of a clause's id. Any other name has to be an area of the specification. */
const standards = new Set(["AES", "CRC", "CVE", "ES", "ISO", "RFC", "SHA", "SSH", "UAX", "UTF"])

/** A clause that is not built yet says so with this paragraph. */
const notImplemented = "**Not implemented.**"

const idPattern = /(?<![\w-])([A-Z]{2,})-([1-9]\d*)(?![\w-])/g

/* Sources */

const isText = (name) =>
  /\.(?:[cm]?[jt]sx?|jsonc?|md|sql|ya?ml|html|sh|py|go|php|rb)$/.test(name) && name !== "pnpm-lock.yaml"

const isSkipped = (name) => name.startsWith(".") || name === "node_modules" || name === "dist"

const pathsIn = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !isSkipped(name))
    .flatMap((entry) => {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`
      return entry.isDirectory() ? pathsIn(path) : isText(entry.name) ? [path] : []
    })

/** Every text file of the repository, with its path from the root. */
export const repositorySources = () =>
  pathsIn("")
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))

/* Titles of tests */

const caseFolder = "packages/store-contract/src/cases/"

const isTestFile = (path) => /\.test\.[cm]?tsx?$/.test(path) || path.startsWith(caseFolder)

const testFunctions = new Set(["it", "test", "caseOf"])
const unrun = new Set(["skip", "todo"])

/** Whether the callee is a function that runs a test, as in `it.skipIf(isSlow).each(rows)`. */
const runsTest = (callee) => {
  if (ts.isIdentifier(callee)) return testFunctions.has(callee.text)
  if (ts.isPropertyAccessExpression(callee))
    return !unrun.has(callee.name.text) && runsTest(callee.expression)
  return ts.isCallExpression(callee) && runsTest(callee.expression)
}

/** The text of a string; `…` stands for what a template inserts. Null for any other expression. */
const textOf = (expression) => {
  if (expression === undefined) return null
  if (ts.isStringLiteralLike(expression)) return expression.text
  return ts.isTemplateExpression(expression)
    ? [expression.head.text, ...expression.templateSpans.map(({ literal }) => literal.text)].join("…")
    : null
}

const titleOf = (node, path) => {
  if (ts.isCallExpression(node) && runsTest(node.expression)) return textOf(node.arguments[0])
  const isCaseTitle =
    path.startsWith(caseFolder) && ts.isPropertyAssignment(node) && node.name.getText() === "title"
  return isCaseTitle ? textOf(node.initializer) : null
}

/** The titles of the tests of a file, in its order. */
export const titlesOf = ({ path, text }) => {
  const titles = []
  const visit = (node) => {
    const title = titleOf(node, path)
    if (title !== null) titles.push(title)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
  return titles
}

/** The ids that a title names in square brackets: `[PAGE-4, ENG-5]`. */
const idsIn = (title) =>
  Array.from(title.matchAll(/\[([A-Z]{2,}-\d+(?:, [A-Z]{2,}-\d+)*)\]/g), ([, ids]) => ids.split(", ")).flat()

/** Parsing takes most of the time, and a test compares many variants of the same sources. */
const titlesBySource = new WeakMap()

const cachedTitlesOf = (source) => {
  const titles = titlesBySource.get(source) ?? titlesOf(source)
  titlesBySource.set(source, titles)
  return titles
}

/** By clause: the titles that prove it, by file. */
const proofsOf = (sources) => {
  const proofs = new Map()
  for (const source of sources.filter(({ path }) => isTestFile(path))) {
    for (const title of cachedTitlesOf(source)) {
      for (const id of idsIn(title)) {
        const files = proofs.get(id) ?? proofs.set(id, new Map()).get(id)
        files.set(source.path, [...(files.get(source.path) ?? []), title])
      }
    }
  }
  return proofs
}

/* The specification */

/** Its sections, each with its heading: the introduction, areas, and clauses. */
const sectionsOf = (text) => text.split(/^(?=#{2,3} )/m)

const headingOf = (section) => /^#* *(.*)/.exec(section)[1]
const clauseIn = (section) => /^### ([A-Z]{2,})-(\d+)\n/.exec(section)
const areaIn = (section) => /^## ([A-Z]{2,}): (.*)\n/.exec(section)

/** The clauses in order, each with the area whose section it is in. */
const clausesOf = (text) => {
  let section = null
  return sectionsOf(text).flatMap((each) => {
    section = areaIn(each)?.[1] ?? section
    const found = clauseIn(each)
    if (found === null) return []
    const [, area, number] = found
    return [{ id: `${area}-${number}`, area, section, isImplemented: !each.includes(`\n${notImplemented}`) }]
  })
}

/** As GitHub and VitePress make them of headings of words, colons and hyphens. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, "")
    .replaceAll(" ", "-")

/** Files of one folder are listed one by one up to this number; above it, and where a line is long, the folder stands for them. */
const maxListedOfFolder = 2
const maxListed = 8

const linkTo = (path, label) => `[${label}](../${path})`

const labelOf = (path) =>
  path
    .replace(/^test\//, "")
    .replace(/\.test\.[cm]?tsx?$|\.ts$/, "")
    .replace("packages/store-contract/src/cases/", "store-contract/")

const folderOf = (path) => path.slice(0, path.lastIndexOf("/"))

/** The line of a clause's tests. */
const lineOfTests = (paths) => {
  if (paths.length === 0) return "Tests: none"
  const byFolder = Map.groupBy(paths, folderOf)
  const links = Array.from(byFolder, ([folder, files]) =>
    paths.length > maxListed && files.length > maxListedOfFolder
      ? [`${linkTo(folder, labelOf(folder))} (${files.length} files)`]
      : files.map((path) => linkTo(path, labelOf(path)))
  )
  return `Tests: ${links.flat().join(", ")}`
}

const withTests = (section, proofs) => {
  const [, area, number] = clauseIn(section)
  const paths = [...(proofs.get(`${area}-${number}`)?.keys() ?? [])].sort()
  // Also an empty line of tests, as somebody writes for a new clause.
  const own = section.replace(/^Tests:.*\n/gm, "").trimEnd()
  return `${own}\n\n${lineOfTests(paths)}\n\n`
}

const tableOf = (rows) => {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(" | ")} |`)
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`
  return [lines[0], rule, ...lines.slice(1)].join("\n")
}

const tableOfAreas = (text) => {
  const clauses = clausesOf(text)
  const rows = sectionsOf(text).flatMap((section) => {
    const found = areaIn(section)
    if (found === null) return []
    const [, area, subject] = found
    const count = clauses.filter((clause) => clause.section === area).length
    return [[`[${area}](#${anchorOf(`${area}: ${subject}`)})`, subject, String(count)]]
  })
  return tableOf([["Area", "Subject", "Clauses"], ...rows])
}

const textIn = (sources) => sources.find(({ path }) => path === specificationPath).text

/** The specification with the lines of tests and the table of areas as the sources give them. */
export const regenerated = (sources) => {
  const text = textIn(sources)
  const proofs = proofsOf(sources)
  const sections = sectionsOf(text).map((section) =>
    clauseIn(section) === null ? section : withTests(section, proofs)
  )
  const table = tableOfAreas(text)
  return `${sections.join("").trimEnd()}\n`.replace(/^\| Area .*\n(?:\|.*\n)*/m, () => `${table}\n`)
}

/* Problems */

/** Every id that a source cites, with its line; a clause's own heading is no citation. */
const citationsIn = ({ path, text }) =>
  text
    .split("\n")
    .flatMap((line, i) =>
      path === specificationPath && clauseIn(`${line}\n`) !== null
        ? []
        : Array.from(line.matchAll(idPattern), ([id, area]) => ({ id, area, place: `${path}:${i + 1}` }))
    )

/** Links to the specification's anchors, its own among them. */
const linksIn = ({ path, text }) => {
  if (!path.endsWith(".md")) return []
  const pattern =
    path === specificationPath ? /\]\(#([^)\s]+)\)/g : /\]\([^)\s]*specification\.md#([^)\s]+)\)/g
  return Array.from(text.matchAll(pattern), ([, anchor]) => ({ path, anchor }))
}

const duplicatesIn = (ids) => [...new Set(ids.filter((id, i) => ids.indexOf(id) !== i))]

/** What is wrong with the specification, with what cites it and with what proves it, a line each; empty when nothing is. */
export const problemsOf = (sources) => {
  const text = textIn(sources)
  const clauses = clausesOf(text)
  const areas = new Set(clauses.map(({ section }) => section))
  const known = new Map(clauses.map((clause) => [clause.id, clause]))
  const proofs = proofsOf(sources)
  const filesOf = (id) => [...(proofs.get(id)?.keys() ?? [])]
  const citations = sources.flatMap(citationsIn)
  const sections = sectionsOf(text)
  const anchors = new Set(sections.map((section) => anchorOf(headingOf(section))))
  const current = new Set(sectionsOf(regenerated(sources)))
  return [
    ...duplicatesIn(clauses.map(({ id }) => id)).map((id) => `${id} is defined twice`),
    ...clauses
      .filter(({ area, section }) => area !== section)
      .map(({ id, section }) => `${id} stands in the area ${section}`),
    ...citations.flatMap(({ area, id, place }) => {
      if (known.has(id) || (standards.has(area) && !areas.has(area))) return []
      return areas.has(area)
        ? [`${place}: ${id} is not defined`]
        : [
            `${place}: ${id}: ${area} is not an area (a standard of that name belongs in scripts/specification.mjs)`
          ]
    }),
    ...clauses
      .filter(({ id, isImplemented }) => isImplemented && filesOf(id).length === 0)
      .map(({ id }) => `${id} is in no test's title`),
    ...clauses
      .filter(({ isImplemented }) => !isImplemented)
      .flatMap(({ id }) => [
        ...filesOf(id).map((path) => `${id} is not implemented, and a test in ${path} proves it`),
        ...citations
          .filter(({ place, ...citation }) => citation.id === id && !/\.md:\d+$/.test(place))
          .map(({ place }) => `${place}: ${id} is cited, and not implemented`)
      ]),
    ...sources
      .flatMap(linksIn)
      .filter(({ anchor }) => !anchors.has(anchor))
      .map(({ anchor, path }) => `${path} links to #${anchor}, which the specification does not have`),
    ...sections
      .filter((section) => !current.has(section))
      .map((section) => `${headingOf(section)}: out of date; npm run specification updates it`)
  ]
}

/* The command */

/** How many clauses the specification defines. */
const countOf = (sources) => clausesOf(textIn(sources)).length

const titlesProving = (sources, id) =>
  Array.from(proofsOf(sources).get(id) ?? [], ([path, titles]) =>
    [path, ...titles.map((title) => `  ${title}`), ""].join("\n")
  ).join("\n")

/** Runs the command and answers its exit code. */
export const main = ([option, id], sources = repositorySources()) => {
  if (option === "--check") {
    const problems = problemsOf(sources)
    for (const problem of problems) process.stderr.write(`${problem}\n`)
    if (problems.length === 0) process.stdout.write(`${countOf(sources)} clauses, nothing wrong.\n`)
    return problems.length === 0 ? 0 : 1
  }
  if (option === "--tests" && id !== undefined) {
    if (!clausesOf(textIn(sources)).some((clause) => clause.id === id)) {
      process.stderr.write(`There is no clause ${id}. ${specificationPath} has all of them.\n`)
      return 1
    }
    process.stdout.write(titlesProving(sources, id))
    return 0
  }
  if (option !== undefined) {
    process.stderr.write("Usage: npm run specification [-- --check | --tests ID]\n")
    return 2
  }
  writeFileSync(join(root, specificationPath), regenerated(sources))
  return 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.slice(2))
