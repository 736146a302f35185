/**
 * `pnpm build`: the server as one file, which starts in a fraction of the time and needs no loader. better-sqlite3, which is
 * native code, stays beside it.
 */
import { build } from "esbuild"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const outfile = join(root, "packages", "server", "dist", "lead-signals.mjs")

await build({
  entryPoints: [join(root, "packages", "server", "src", "main.ts")],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  sourcemap: true,
  external: ["better-sqlite3"],
  // Some packages in it are written for `require`.
  banner: {
    js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);'
  },
  logLevel: "warning"
})
process.stdout.write(`Built ${relative(process.cwd(), outfile)}; run it with node.\n`)
