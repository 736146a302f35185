/**
 * `npm run pack-program [-- FOLDER]`: packs the program `lead-signals`, by default into `.packs`, as a package that `npx` runs outside the
 * repository. It holds the server as one file, the console within, and needs the driver of SQLite alone. Nothing is published.
 */
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { basename, dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { bundleServer } from "./bundle.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const target = resolve(process.argv[2] ?? join(root, ".packs"))
const { description, engines, license, name, version } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8")
)

const requireOfServer = createRequire(join(root, "packages", "server", "package.json"))

/** The version of a package that is installed here, which is the lockfile's and the one that is tested. */
const pinned = (needed) => requireOfServer(`${needed}/package.json`).version

const cipherDriver = "better-sqlite3-multiple-ciphers"

const manifest = {
  name,
  version,
  // Keeps `npm publish` from doing it.
  private: true,
  description,
  license,
  type: "module",
  engines,
  bin: { "lead-signals": "./bin.mjs" },
  files: ["bin.mjs", "lead-signals.mjs"],
  dependencies: { "better-sqlite3": pinned("better-sqlite3") },
  peerDependencies: { [cipherDriver]: pinned(cipherDriver) },
  peerDependenciesMeta: { [cipherDriver]: { optional: true } }
}

const readme = `# lead-signals

Lead Signals as one program: the server with its console, its command line, and the server of the Model Context Protocol for assistants.
It needs Node ${engines.node}. Install the file, and run the program in that folder:

\`\`\`sh
npm install ./${name}-${version}.tgz
npx lead-signals --version
npx lead-signals --help --tree
npx lead-signals mcp --help
npx lead-signals serve
\`\`\`

The first \`serve\` makes an invented demo brand, and prints its address, a key, and commands to try.

A supervisor starts \`node_modules/.bin/lead-signals\` of an installed package: npx does not pass its SIGTERM on.

For an encrypted database, install \`${cipherDriver}\` beside it.
`

const staging = mkdtempSync(join(tmpdir(), "lead-signals-pack-"))
try {
  await bundleServer(join(staging, "lead-signals.mjs"), [], false)
  writeFileSync(join(staging, "bin.mjs"), '#!/usr/bin/env node\nimport "./lead-signals.mjs"\n')
  chmodSync(join(staging, "bin.mjs"), 0o755)
  writeFileSync(join(staging, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
  writeFileSync(join(staging, "README.md"), readme)
  const { status, stdout } = spawnSync("npm", ["pack", "--ignore-scripts", "--silent"], {
    cwd: staging,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    shell: process.platform === "win32"
  })
  if (status !== 0) process.exit(status ?? 1)
  const tarball = stdout.trim().split("\n").at(-1)
  mkdirSync(target, { recursive: true })
  const file = join(target, tarball)
  copyFileSync(join(staging, tarball), file)
  const kilobytes = (statSync(file).size / 1000).toFixed(0)
  process.stdout.write(
    `Packed ${file}, ${kilobytes} kB. Run it in its folder: npx --yes ./${basename(file)} --version\n`
  )
} finally {
  rmSync(staging, { recursive: true, force: true })
}
