/**
 * `npm run pack-libraries [-- FOLDER] [--keep]`: builds every library from nothing (`--keep`: as far as it has changed) and packs
 * it, by default into `.packs`, with its sizes. The
 * workspace itself runs from sources; only what is packed has `dist` in its exports (`publishConfig`, which pnpm alone
 * knows: what `npm pack` makes is of no use outside).
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { withPackedReadme } from "./packed-readme.mjs"
import { runPnpm } from "./pnpm.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const words = process.argv.slice(2)
const target = resolve(words.find((word) => !word.startsWith("--")) ?? join(root, ".packs"))
const manifest = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

const libraries = [
  ...readdirSync(join(root, "packages")).map((name) => join(root, "packages", name)),
  join(root, "simulations")
].filter((folder) => manifest(folder).publishConfig !== undefined)

const run = (command, args) => {
  const { status, stdout } = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    shell: process.platform === "win32"
  })
  if (status !== 0) {
    process.stdout.write(stdout ?? "")
    process.exit(status ?? 1)
  }
}

if (!words.includes("--keep")) {
  for (const folder of libraries) rmSync(join(folder, "dist"), { recursive: true, force: true })
}
run(process.execPath, [join(root, "node_modules", "typescript", "bin", "tsc"), "-b", ...libraries])

// tsc rewrites `./x.ts` in what runs and not in declarations, where TypeScript takes it for `./x.d.ts`. Other readers don't.

for (const folder of libraries) {
  const dist = join(folder, "dist")
  for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".d.ts")) continue
    const text = readFileSync(join(dist, name), "utf8")
    const rewritten = text.replace(/((?:from |import\()"\.{1,2}\/[^"]*)\.ts"/g, '$1.js"')
    if (rewritten !== text) writeFileSync(join(dist, name), rewritten)
  }
}

rmSync(target, { recursive: true, force: true })
mkdirSync(target, { recursive: true })
const filters = libraries.flatMap((folder) => ["--filter", manifest(folder).name])
const { output, status } = await runPnpm(root, root, [...filters, "pack", "--pack-destination", target])
if (status !== 0) {
  process.stderr.write(`${output}\n`)
  process.exit(1)
}

for (const name of readdirSync(target)) {
  const file = join(target, name)
  writeFileSync(file, withPackedReadme(readFileSync(file)))
}

const kilobytes = (bytes) => `${(bytes / 1000).toFixed(0)} kB`.padStart(8)
/** What of the built code runs, less types and maps. */
const runs = (folder) =>
  readdirSync(join(folder, "dist"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".js"))
    .reduce((sum, name) => sum + statSync(join(folder, "dist", name)).size, 0)
process.stdout.write(`${"package".padEnd(36)}${"packed".padStart(8)}${"code".padStart(8)}\n`)
for (const folder of libraries) {
  const { name, version } = manifest(folder)
  const file = join(target, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`)
  process.stdout.write(`${name.padEnd(36)}${kilobytes(statSync(file).size)}${kilobytes(runs(folder))}\n`)
}
process.stdout.write(
  `\nThe packages need each other: install them together. In the folder of your project:\n  npm install ${join(target, "*.tgz")}\n`
)
