/** Puts the server into one file: what `pnpm build` makes, and what the tests and the benchmark of processes start. */
import { build } from "esbuild"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** better-sqlite3, which is native code, stays beside it, to be found from the file by its name. */
export const bundleServer = async (outfile) => {
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
}
