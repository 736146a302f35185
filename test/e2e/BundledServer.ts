/** The server as one file: it starts in a third of the time, which a test that starts it often is glad of. */
import { build } from "esbuild"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))

let number = 0

/** Below the tests, where the native module is found by its name. Answers the path; gone after the tests of the file. */
export const bundleServer = async (): Promise<string> => {
  const outfile = join(root, "test", ".bundle", `server-${process.pid}-${++number}.mjs`)
  afterAll(() => rmSync(outfile, { force: true }))
  await build({
    entryPoints: [join(root, "packages/server/src/main.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["better-sqlite3"],
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);'
    },
    logLevel: "silent"
  })
  return outfile
}
