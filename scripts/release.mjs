/**
 * `npm run release -- VERSION [FOLDER]`: gives everything in the repository the version, and the changes under "Unreleased" in the changelog
 * its heading. All packages have one version. It commits and publishes nothing; CONTRIBUTING.md says what comes before and after.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const [version = "", folder = dirname(dirname(fileURLToPath(import.meta.url)))] = process.argv.slice(2)

const stop = (message) => {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

const numbersOf = (text) => /^(\d+)\.(\d+)\.(\d+)$/.exec(text)?.slice(1).map(Number)

const isAfter = (a, b) => {
  const i = a.findIndex((number, at) => number !== b[at])
  return i >= 0 && a[i] > b[i]
}

const textOf = (path) => readFileSync(join(folder, path), "utf8")
const current = JSON.parse(textOf("package.json")).version
if (numbersOf(version) === undefined || !isAfter(numbersOf(version), numbersOf(current))) {
  stop(`Usage: npm run release -- VERSION; it takes a version above ${current}, such as 1.2.3.`)
}

const manifests = ["packages", "examples"]
  .flatMap((name) =>
    existsSync(join(folder, name)) ? readdirSync(join(folder, name)).map((each) => join(name, each)) : []
  )
  .concat("", "simulations", "test")
  .map((name) => join(name, "package.json"))
  .filter((path) => existsSync(join(folder, path)) && JSON.parse(textOf(path)).version !== undefined)

/** Where the version stands beside the manifests, each time after one of these. */
const named = [
  ["packages/server/src/cli/CommandLine.ts", 'version: "'],
  ["simulations/src/cli/CommandLine.ts", 'version: "'],
  ["docs/operations.md", "lead-signals:"],
  ["docs/command-line.md", "lead-signals-"],
  ...readdirSync(join(folder, "deploy"))
    .filter((name) => textOf(`deploy/${name}`).includes("lead-signals:"))
    .map((name) => [`deploy/${name}`, "lead-signals:"])
]

const changelog = textOf("CHANGELOG.md")
const heading = "## Unreleased\n"
const unreleased = changelog.split(heading)[1]?.split(/^## /m)[0].trim()
if (!unreleased) stop('CHANGELOG.md has nothing under "Unreleased".')

const edits = [...manifests.map((path) => [path, '"version": "']), ...named].map(([path, before]) => {
  const text = textOf(path)
  if (!text.includes(before + current))
    stop(`${relative(folder, join(folder, path))} does not have the version ${current} after ${before}`)
  return [path, text.replaceAll(before + current, before + version)]
})
const date = new Date().toISOString().slice(0, 10)
edits.push(["CHANGELOG.md", changelog.replace(heading, `${heading}\n## [${version}] - ${date}\n`)])
for (const [path, text] of edits) writeFileSync(join(folder, path), text)
process.stdout.write(
  `${edits.length} files have version ${version}. Next: npm test, a commit "Release ${version}", and a tag v${version}.\n`
)
