/**
 * Builds the console into `packages/console/dist`, unless what it is made of has not changed since. `node scripts/console.mjs` is the
 * build itself, of one part or of all, in a process of its own: it needs a hundred megabytes, which a server would keep.
 */
import { execFile } from "node:child_process"
import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const project = join(root, "packages", "console")

const isWritable = () => {
  try {
    accessSync(project, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Where the built files are; a folder of the system where nothing may be written beside the sources. */
const folder = isWritable() ? join(project, "dist") : join(tmpdir(), "lead-signals-console")

const filesIn = (path) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name))

// What is installed, as pnpm notes it.
const installed = join(root, "node_modules", ".pnpm", "lock.yaml")

/** What the console is built of, in two parts: pages, and the simulator's worker, which holds the service itself. */
const parts = [
  {
    name: "pages",
    sources: () => [
      ...["index.html", "package.json", "vite.config.mjs"].map((name) => join(project, name)),
      ...filesIn(join(project, "src"))
    ],
    write: async (out) => {
      const { createRequire } = await import("node:module")
      const { pathToFileURL } = await import("node:url")
      const require = createRequire(join(project, "package.json"))
      const { build } = await import(pathToFileURL(require.resolve("vite")).href)
      await build({ root: project, logLevel: "warn", build: { outDir: out, emptyOutDir: true } })
    }
  },
  {
    name: "simulator",
    sources: () => [
      ...[
        "client",
        "domain",
        "http",
        "simulation-kernel",
        "store-contract",
        "store-memory",
        "webhook"
      ].flatMap((name) => filesIn(join(root, "packages", name, "src"))),
      ...filesIn(join(root, "simulations", "src"))
    ],
    write: async (out) => {
      await import("tsx")
      // By a URL: what bundles this script leaves it alone.
      const program = new URL("../simulations/src/bugs/BrowserBundle.ts", import.meta.url).href
      const { bundleForBrowser } = await import(program)
      mkdirSync(out, { recursive: true })
      writeFileSync(join(out, "simulator.js"), await bundleForBrowser())
    }
  }
]

/** Each file that the part is made of, with what changes when the file does. */
const state = ({ sources }) =>
  JSON.stringify(
    [...sources(), installed, fileURLToPath(import.meta.url)].sort().map((path) => {
      const { mtimeMs, size } = statSync(path)
      return [path, mtimeMs, size]
    })
  )

/** The judge of mutants changes code that no test looks at in the console, and would build it anew for each of them. */
const isKept = process.env.LEAD_SIGNALS_KEEP_CONSOLE === "true"

const isFresh = (part) => {
  try {
    if (isKept) return statSync(join(folder, part.name, "made-of.json")).isFile()
    return readFileSync(join(folder, part.name, "made-of.json"), "utf8") === state(part)
  } catch {
    return false
  }
}

const contentTypes = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2"
}

/** A build writes each file compressed with gzip, as it is served. */
const readBuilt = () =>
  parts.flatMap(({ name: part }) =>
    filesIn(join(folder, part))
      .filter((path) => path.endsWith(".gz"))
      .map((path) => {
        const name = path.slice(join(folder, part).length + 1, -".gz".length).replaceAll("\\", "/")
        return { path: name, contentType: contentTypes[extname(name)], gzipped: readFileSync(path) }
      })
  )

let making

/** The files of the console, built first if need be. Calls of one process share a build. */
export const builtConsole = () => (making ??= makeConsole().finally(() => (making = undefined)))

const makeConsole = async () => {
  // React has another build for other values, and test runners set one.
  const env = { ...process.env, NODE_ENV: "production" }
  const program = fileURLToPath(import.meta.url)
  const stale = parts.filter((part) => !isFresh(part))
  await Promise.all(
    stale.map(({ name }) =>
      promisify(execFile)(process.execPath, [program, name], { cwd: root, env }).catch(({ stderr }) => {
        throw new Error(`The console could not be built:\n${stderr}`)
      })
    )
  )
  return readBuilt()
}

/** Writes the files beside, and then puts them in place: others may read them, or make them, at this moment. */
const buildPart = async (part) => {
  const { gzipSync } = await import("node:zlib")
  const madeOf = state(part)
  const place = join(folder, part.name)
  const beside = `${place}.${process.pid}.part`
  try {
    await part.write(beside)
    for (const path of filesIn(beside))
      writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }))
    writeFileSync(join(beside, "made-of.json"), madeOf)
    rmSync(place, { recursive: true, force: true })
    try {
      renameSync(beside, place)
    } catch (failure) {
      // Another process has put the same files there.
      if (!isFresh(part)) throw failure
    }
  } finally {
    rmSync(beside, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const named = process.argv[2]
  try {
    for (const part of parts) if (named === undefined || named === part.name) await buildPart(part)
  } catch ({ message }) {
    process.stderr.write(`${message}\n`)
    process.exit(1)
  }
}
