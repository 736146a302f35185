/**
 * Builds the console into `packages/console/dist`, unless what it is made of has not changed since. `node scripts/console.mjs` is the
 * build itself, in a process of its own: it needs a hundred megabytes, which a server would keep.
 */
import { execFile } from "node:child_process"
import {
  accessSync,
  constants,
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
const stampFile = join(folder, "made-of.json")

const filesIn = (path) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name))

/** Each file that the console is made of, with what changes when the file does. */
const state = () => {
  const own = ["index.html", "package.json", "vite.config.mjs"].map((name) => join(project, name))
  // What is installed, as pnpm notes it.
  const installed = join(root, "node_modules", ".pnpm", "lock.yaml")
  return JSON.stringify(
    [...own, ...filesIn(join(project, "src")), installed, fileURLToPath(import.meta.url)]
      .sort()
      .map((path) => {
        const { mtimeMs, size } = statSync(path)
        return [path, mtimeMs, size]
      })
  )
}

const isFresh = () => {
  try {
    return readFileSync(stampFile, "utf8") === state()
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

/** The build of Vite writes each file compressed with gzip, as it is served. */
const readBuilt = () =>
  filesIn(folder)
    .filter((path) => path.endsWith(".gz"))
    .map((path) => {
      const name = path.slice(folder.length + 1, -".gz".length).replaceAll("\\", "/")
      return { path: name, contentType: contentTypes[extname(name)], gzipped: readFileSync(path) }
    })

let making

/** The files of the console, built first if need be. Calls of one process share a build. */
export const builtConsole = () => (making ??= makeConsole().finally(() => (making = undefined)))

const makeConsole = async () => {
  if (!isFresh()) {
    // React has another build for other values, and test runners set one.
    const env = { ...process.env, NODE_ENV: "production" }
    await promisify(execFile)(process.execPath, [fileURLToPath(import.meta.url)], { cwd: root, env }).catch(
      ({ stderr }) => {
        throw new Error(`The console could not be built:\n${stderr}`)
      }
    )
  }
  return readBuilt()
}

/** Writes the files beside, and then puts them in place: others may read them, or make them, at this moment. */
const buildConsole = async () => {
  const { createRequire } = await import("node:module")
  const { pathToFileURL } = await import("node:url")
  const { gzipSync } = await import("node:zlib")
  const require = createRequire(join(project, "package.json"))
  const { build } = await import(pathToFileURL(require.resolve("vite")).href)
  const madeOf = state()
  const part = `${folder}.${process.pid}.part`
  try {
    await build({ root: project, logLevel: "warn", build: { outDir: part, emptyOutDir: true } })
    for (const path of filesIn(part)) writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }))
    writeFileSync(join(part, "made-of.json"), madeOf)
    rmSync(folder, { recursive: true, force: true })
    try {
      renameSync(part, folder)
    } catch (failure) {
      // Another process has put the same files there.
      if (!isFresh()) throw failure
    }
  } finally {
    rmSync(part, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildConsole().catch(({ message }) => {
    process.stderr.write(`${message}\n`)
    process.exit(1)
  })
}
