/**
 * The walks of docs/extending.md and their patches. A walk is a section; `path`: reason stands before the diff of each file.
 *
 *   node scripts/walks.mjs show "Add a filter"              prints the patch, for git apply
 *   node scripts/walks.mjs update "Add a filter" [COMMIT]   takes the diffs from the commit [HEAD]
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const document = join(root, "docs/extending.md")

const steps = /^`([^`]+)`: ([^`](?:(?!^```).|\n)*?)^```diff\n([^]*?)^```$/gm

const isOfTests = (path) => /^(test|simulations|packages\/store-contract)\//.test(path)

const walkOf = (section) => {
  const title = section.slice(0, section.indexOf("\n"))
  const files = Array.from(section.matchAll(steps), ([, path, reason, diff]) => ({ path, reason, diff }))
  const stated = /touches (\d+) files? of the product and (\d+) of the tests/.exec(section)
  return {
    title,
    files,
    patch: files.map(({ diff }) => diff).join(""),
    touched: [
      files.filter(({ path }) => !isOfTests(path)).length,
      files.filter(({ path }) => isOfTests(path)).length
    ],
    stated: stated === null ? null : [Number(stated[1]), Number(stated[2])]
  }
}

const sectionsOf = (text) => text.split(/^## (?=Add )/m)

export const walks = () => sectionsOf(readFileSync(document, "utf8")).slice(1).map(walkOf)

const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" })

/** Two lines of context, so that a change nearby rarely touches a walk. */
const diffOf = (commit, path) => {
  const text = git("diff", "-U2", "--no-color", "--no-ext-diff", `${commit}~1`, commit, "--", path)
  return text.slice(text.indexOf("--- "))
}

const update = (title, commit) => {
  const changed = git("diff", "--name-only", `${commit}~1`, commit).trim().split("\n")
  const sections = sectionsOf(readFileSync(document, "utf8"))
  const at = sections.findIndex((section) => section.startsWith(`${title}\n`))
  if (at < 1) throw new Error(`There is no walk “${title}”.`)
  const paths = new Set(walkOf(sections[at]).files.map(({ path }) => path))
  const unexplained = changed.filter((path) => !paths.has(path))
  if (unexplained.length > 0)
    throw new Error(`The walk does not say why it touches ${unexplained.join(", ")}.`)
  sections[at] = sections[at].replace(
    steps,
    (_, path, reason) => `\`${path}\`: ${reason}\`\`\`diff\n${diffOf(commit, path)}\`\`\``
  )
  writeFileSync(document, sections.join("## "))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [command, title, commit = "HEAD"] = process.argv.slice(2)
  const walk = walks().find((each) => each.title === title)
  if (walk === undefined || !["show", "update"].includes(command)) {
    const titles = walks().map((each) => `“${each.title}”`)
    console.error(
      `Usage: node scripts/walks.mjs show|update TITLE [COMMIT], with a title of ${titles.join(", ")}`
    )
    process.exit(2)
  }
  if (command === "show") process.stdout.write(walk.patch)
  else update(title, commit)
}
