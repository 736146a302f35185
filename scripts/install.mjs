/**
 * Installs the packages of pnpm-lock.yaml, with nothing but Node and npm there. The installed packages serve every supported Node, so
 * that Node can be changed without installing again.
 */
import { createRequire } from "node:module"
import { join } from "node:path"
import { installLocked } from "./pnpm.mjs"

/** Why better-sqlite3, the one package with native code, can't be loaded; null when it can. */
const sqliteProblem = (root) => {
  try {
    const require = createRequire(join(root, "packages", "store-sqlite", "package.json"))
    const Database = require("better-sqlite3")
    new Database(":memory:").close()
    return null
  } catch ({ message }) {
    return (
      `better-sqlite3 can't be loaded on ${process.platform} ${process.arch}: ${message}\n` +
      "It ships binaries for Linux (glibc and musl), macOS and Windows on x64 and arm64, where deleting node_modules and " +
      "running this again can help. On other platforms only the libraries without the SQLite store run."
    )
  }
}

/** Rejects with why the packages could not be installed, and what to do. */
export const installPackages = (root) =>
  installLocked(root, root, {
    what: "the packages",
    failure:
      "The packages could not be installed; the lines above say why. Correct that and run the command again.",
    problem: () => sqliteProblem(root)
  })
