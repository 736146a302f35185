/** Builds the site: `scripts/docs.mjs` says how. */
import { spawn } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, posix } from "node:path"
import { writeApi } from "./api.mjs"
import { deadLinks } from "./check.mjs"
import { groups } from "./sidebar.mjs"
import { stage } from "./stage.mjs"

const folder = import.meta.dirname
const root = join(folder, "..", "..")
const staged = join(folder, ".site")
const site = join(root, ".site")

/** Runs a tool of this folder; answers its exit code and what it wrote. */
const run = (name, args) =>
  new Promise((resolve) => {
    const child = spawn(join(folder, "node_modules", ".bin", name), args, {
      cwd: folder,
      shell: process.platform === "win32",
      env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" }
    })
    let output = ""
    child.stdout.on("data", (chunk) => (output += chunk))
    child.stderr.on("data", (chunk) => (output += chunk))
    child.on("error", ({ message }) => resolve({ status: 1, output: message }))
    child.on("close", (status) => resolve({ status, output }))
  })

/** Ends the build with what is wrong. */
const fail = (what, lines) => {
  process.stderr.write(`${lines.join("\n")}\n\n${what}\n`)
  process.exit(1)
}

const step = async (name, work) => {
  const startedAt = performance.now()
  const result = await work()
  process.stdout.write(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`)
  return result
}

const spelling = () =>
  step("spelling", async () => {
    const files = ["*.md", "docs/**/*.md", "packages/*/README.md", "simulations/*.md", "test/bench/*.md"]
    const args = [
      "lint",
      "--no-progress",
      "--no-summary",
      "--config",
      join(folder, "cspell.json"),
      "--root",
      root,
      // Its excerpts of code are cut within words.
      "--exclude",
      "simulations/MUTANTS.md"
    ]
    const { output, status } = await run("cspell", [...args, ...files])
    if (status !== 0) {
      fail("Unknown words. Correct them, or add technical terms to scripts/docs/words.txt.", [
        output.trimEnd()
      ])
    }
  })

const link = (sitePath) => `/${sitePath.replace(/(^|\/)index\.md$/, "$1").replace(/\.md$/, "")}`

/** The decision records with their titles, such as `0015: Node 22.14 to 26`. */
const decisions = () =>
  readdirSync(join(root, "docs", "decisions"))
    .filter((name) => /^[0-9]{4}-.*\.md$/.test(name))
    .map((name) => `docs/decisions/${name}`)
    .map((path) => [path, /^# (.*)$/m.exec(readFileSync(join(root, path), "utf8"))[1]])

const pages = async () => {
  for (const each of [staged, site]) rmSync(each, { recursive: true, force: true })
  mkdirSync(join(staged, "pages"), { recursive: true })
  const { packages, problems, sitePathOf } = stage(root, join(staged, "pages"))
  if (problems.length > 0) fail(`${problems.length} problems in pages.`, problems)
  cpSync(join(folder, "home.md"), join(staged, "pages", "index.md"))
  const api = await step("public API", () => writeApi(root, staged, join(staged, "pages", "api")))
  const itemOf = ([path, title]) =>
    path === "docs/decisions/README.md"
      ? { text: title, link: link(sitePathOf(path)), collapsed: true, items: decisions().map(itemOf) }
      : { text: title, link: link(sitePathOf(path)) }
  const nameOf = (readme) =>
    JSON.parse(readFileSync(join(root, posix.dirname(readme), "package.json"), "utf8")).name
  const sidebar = [
    ...groups.map(([text, items]) => ({ text, items: items.map(itemOf) })),
    { text: "Packages", collapsed: true, items: packages.map((readme) => itemOf([readme, nameOf(readme)])) },
    {
      text: "Public API",
      collapsed: true,
      items: api.map(({ page, title }) => ({ text: title, link: link(page) }))
    }
  ]
  writeFileSync(join(staged, "sidebar.json"), JSON.stringify(sidebar))
}

/** VitePress ends by itself on a dead link between pages; on a warning it does not. */
const html = () =>
  step("pages", async () => {
    const { output, status } = await run("vitepress", ["build", "."])
    const warned = /warn|\(!\)|deprecat/i.test(output)
    if (status !== 0 || warned) fail("VitePress failed or warned.", [output.trimEnd()])
    const dead = deadLinks(site)
    if (dead.length > 0) fail(`${dead.length} dead links.`, dead)
  })

await spelling()
await pages()
await html()
process.stdout.write("The site is in .site.\n")

if (process.argv.includes("--serve")) {
  const args = ["preview", ".", "--port", "4173"]
  const child = spawn(join(folder, "node_modules", ".bin", "vitepress"), args, {
    cwd: folder,
    stdio: "inherit"
  })
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => child.kill(signal))
  child.on("exit", (code) => process.exit(code ?? 0))
}
