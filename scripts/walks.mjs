/**
 * The walks of docs/extending.md and their patches. A walk is a section; `path`: reason stands before the diff of each file.
 *
 *   node scripts/walks.mjs show "Add a filter"              prints the patch, for git apply
 *   node scripts/walks.mjs update "Add a filter" [COMMIT]   takes the diffs from the commit [HEAD]
 *
 * A patch raises `apiVersion` from the version that the folder has, whatever version the page shows. So a raised version, or a walk that
 * was made and kept, leaves the other walks as they are.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const page = "docs/extending.md"
const versionFile = "packages/http/src/endpoints/Api.ts"

const steps = /^`([^`]+)`: ([^`](?:(?!^```).|\n)*?)^```diff\n([^]*?)^```$/gm

const isOfTests = (path) => /^(test|simulations|packages\/store-contract)\//.test(path)

/* The version of the API */

const declaration = "export const apiVersion = "

const versionIn = (folder) => {
  const [, version] = /^export const apiVersion = "([^"]+)"$/m.exec(
    readFileSync(join(folder, versionFile), "utf8")
  )
  return version.split(".").map(Number)
}

/** The diff with `before` and `after` in its lines of the version. */
const withVersions = (diff, [before, after]) =>
  diff
    .replace(/^-export const apiVersion = .*$/m, `-${declaration}"${before}"`)
    .replace(/^\+export const apiVersion = .*$/m, `+${declaration}"${after}"`)

/* Walks */

const walkOf = (section, [major, minor]) => {
  const title = section.slice(0, section.indexOf("\n"))
  const files = Array.from(section.matchAll(steps), ([, path, reason, diff]) => ({ path, reason, diff }))
  const patchFrom = (from) => {
    const versions = [`${major}.${from}.0`, `${major}.${from + 1}.0`]
    return files.map(({ diff }) => withVersions(diff, versions)).join("")
  }
  const stated = /touches (\d+) files? of the product and (\d+) of the tests/.exec(section)
  return {
    title,
    files,
    patch: patchFrom(minor),
    madePatch: patchFrom(minor - 1),
    touched: [
      files.filter(({ path }) => !isOfTests(path)).length,
      files.filter(({ path }) => isOfTests(path)).length
    ],
    stated: stated === null ? null : [Number(stated[1]), Number(stated[2])]
  }
}

const sectionsOf = (text) => text.split(/^## (?=Add )/m)

export const walks = (folder = root) => {
  const version = versionIn(folder)
  const [, ...sections] = sectionsOf(readFileSync(join(folder, page), "utf8"))
  return sections.map((section) => walkOf(section, version))
}

const git = (folder, ...args) => execFileSync("git", args, { cwd: folder, encoding: "utf8" })

/** Two lines of context, so that a change nearby rarely touches a walk. Formatting removes the blank of an empty line, and git accepts that. */
const diffOf = (folder, commit, path) => {
  const text = git(folder, "diff", "-U2", "--no-color", "--no-ext-diff", `${commit}~1`, commit, "--", path)
  return text.slice(text.indexOf("--- ")).replace(/^ $/gm, "")
}

/** Whether a commit of a walk may have the file and the page need not: a rejected part of a patch, what a command wrote, the page. */
const isLeftOut = (path) =>
  path.endsWith(".rej") || path.startsWith("docs/openapi/") || [page, "docs/specification.md"].includes(path)

/** Writes the commit's diffs into the page. Throws when the page does not say why a file is touched. */
export const updateWalk = (title, commit, folder = root) => {
  const changed = git(folder, "diff", "--name-only", `${commit}~1`, commit).trim().split("\n")
  const sections = sectionsOf(readFileSync(join(folder, page), "utf8"))
  const at = sections.findIndex((section) => section.startsWith(`${title}\n`))
  const paths = new Set(walkOf(sections[at], versionIn(folder)).files.map(({ path }) => path))
  const unexplained = changed.filter((path) => !paths.has(path) && !isLeftOut(path))
  if (unexplained.length > 0)
    throw new Error(
      `The walk does not say why it touches ${unexplained.join(", ")}. Write "\`PATH\`: the reason" for each into its section of ${page}, with an empty diff block below.`
    )
  sections[at] = sections[at].replace(
    steps,
    (_, path, reason) => `\`${path}\`: ${reason}\`\`\`diff\n${diffOf(folder, commit, path)}\`\`\``
  )
  writeFileSync(join(folder, page), sections.join("## "))
}

/* The command */

const main = ([command, title, commit = "HEAD"]) => {
  const walk = walks().find((each) => each.title === title)
  if (walk === undefined || !["show", "update"].includes(command)) {
    const titles = walks().map((each) => `“${each.title}”`)
    console.error(
      `Usage: node scripts/walks.mjs show|update TITLE [COMMIT], with a title of ${titles.join(", ")}`
    )
    return 2
  }
  try {
    if (command === "show") process.stdout.write(walk.patch)
    else updateWalk(title, commit)
    return 0
  } catch ({ message }) {
    console.error(message)
    return 1
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  process.exitCode = main(process.argv.slice(2))
