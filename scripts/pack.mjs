/**
 * `npm run pack-libraries [-- FOLDER]`: builds every library from nothing and packs it, by default into `.packs`. The
 * workspace itself runs from sources; only what is packed has `dist` in its exports (`publishConfig`, which pnpm alone
 * knows: what `npm pack` makes is of no use outside).
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const target = resolve(process.argv[2] ?? join(root, ".packs"))
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

for (const folder of libraries) rmSync(join(folder, "dist"), { recursive: true, force: true })
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
run(process.platform === "win32" ? "npx.cmd" : "npx", [
  "--yes",
  manifest(root).packageManager,
  ...filters,
  "pack",
  "--pack-destination",
  target
])
for (const file of readdirSync(target)) process.stdout.write(`${join(target, file)}\n`)
