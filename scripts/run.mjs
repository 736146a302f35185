/**
 * `node scripts/run.mjs PROGRAM [ARGUMENT…]`: what every root script in package.json runs. PROGRAM is a file of this
 * repository (`.mjs` or `.ts`) or the name of a command in `node_modules/.bin`.
 *
 * Where the running Node is older than `engines` allows, it runs itself under the pinned Node instead. It installs the
 * packages when the lockfile has changed. A program ends with the npm or pnpm that started it. Plain JavaScript without
 * dependencies: it runs before anything is installed, on any Node since 18.12.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { installPackages } from "./install.mjs"
import { isSupported, minimumNode, pinnedNode, runUnder } from "./pinnedNode.mjs"
import { endWithParent, handleSignals } from "./signals.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [program, ...args] = process.argv.slice(2)

/** The JavaScript file behind a command of `node_modules/.bin`. */
const commandFile = (name) => {
  const require = createRequire(join(root, "package.json"))
  const packageName = { tsc: "typescript-native" }[name] ?? name
  const manifestFile = join(root, "node_modules", packageName, "package.json")
  const { bin } = JSON.parse(readFileSync(manifestFile, "utf8"))
  return require.resolve(join(dirname(manifestFile), typeof bin === "string" ? bin : bin[name]))
}

const stop = (message) => {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

if (program === undefined) stop("Usage: node scripts/run.mjs PROGRAM [ARGUMENT…]")

if (!isSupported(process.versions.node)) {
  const node = await pinnedNode(root).catch(({ message }) => stop(message))
  process.stderr.write(
    `Node ${process.versions.node} is too old (${minimumNode} or newer is needed): running under Node ${node.version}.\n`
  )
  endWithParent()
  process.exit(await runUnder(node, [fileURLToPath(import.meta.url), program, ...args]))
}

endWithParent()
handleSignals()
await installPackages(root).catch(({ message }) => stop(message))

const file = /\.(mjs|ts)$/.test(program) ? join(root, program) : commandFile(program)
process.argv.splice(1, 2, file)
if (file.endsWith(".ts")) await import("tsx")
await import(pathToFileURL(file).href)
