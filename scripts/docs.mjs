/**
 * `npm run docs [-- --serve]` builds the documentation site into `.site`: the pages of `docs`, the README of each package, and the
 * public API from the docstrings. It fails on a misspelt word, a dead link or anchor, a page that the sidebar lacks, and on any
 * warning. `--serve` then serves the site on http://127.0.0.1:4173.
 *
 * The tools are big, so they are a pnpm project of their own, in `scripts/docs`, which only this command installs.
 */
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { pinnedNode, runUnder } from "./pinnedNode.mjs"
import { installLocked, ownProject } from "./pnpm.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = join(root, "scripts", "docs")

const stop = (message) => {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

const installTools = () =>
  installLocked(root, folder, {
    what: "the tools of the documentation into scripts/docs",
    options: ownProject,
    failure: "The tools of the documentation could not be installed; the lines above say why."
  })

/** The spelling checker needs Node 22.18; an older one runs the build under the pinned Node. */
const canBuild = () => {
  const [major, minor] = process.versions.node.split(".").map(Number)
  return major > 22 || (major === 22 && minor >= 18)
}

const words = process.argv.slice(2)
if (words.some((word) => word !== "--serve")) stop("Usage: npm run docs [-- --serve]")

try {
  await installTools()
  const node = canBuild() ? { binary: process.execPath } : await pinnedNode(root)
  process.exitCode = await runUnder(node, [join(folder, "build.mjs"), ...words])
} catch ({ message }) {
  stop(message)
}
