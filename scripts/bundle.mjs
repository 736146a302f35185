/** Puts the server into one file: what `npm run build` makes, what `npm start` runs, and what tests and benchmarks start. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { builtConsole } from "./console.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = join(root, "packages", "server", "dist")

/**
 * better-sqlite3 has native code and stays outside: it is looked for beside the file when the first database is opened. So
 * the file alone serves from memory, and says what is missing when it is to open a database.
 */
const driverBeside = {
  name: "driver-beside",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^better-sqlite3$/ }, ({ path }) => ({ path, namespace: "driver-beside" }))
    onLoad({ filter: /.*/, namespace: "driver-beside" }, () => ({
      contents:
        "export default function Database(...args) { return new (requireFrom(import.meta.url)('better-sqlite3'))(...args) }"
    }))
  }
}

/**
 * Requires Node's own modules. A module that imports one has Node read all of its exports first, and some of those load WebSocket
 * and streams that nothing uses: a tenth of a short command's time.
 */
const requiredBuiltins = {
  name: "required-builtins",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^[a-z_:/0-9]+$/ }, ({ kind, path }) =>
      isBuiltin(path) && kind === "import-statement" ? { path, namespace: "required-builtins" } : null
    )
    onLoad({ filter: /.*/, namespace: "required-builtins" }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`
    }))
  }
}

const target = "node22"

const minified = { minifyWhitespace: true, minifySyntax: true, lineLimit: 160 }

/** Resolves the driver beside the file whose thread it is. */
const driverOfThread = {
  name: "driver-of-thread",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^better-sqlite3$/ }, ({ path }) => ({ path, namespace: "driver-of-thread" }))
    onLoad({ filter: /.*/, namespace: "driver-of-thread" }, () => ({
      contents: `import { createRequire } from "node:module"
        import { workerData } from "node:worker_threads"
        export default createRequire(workerData.bundle)("better-sqlite3")`
    }))
  }
}

/** The optional driver that encrypts is looked for beside the file whose thread it is, too. */
const cipherDriverOfThread = {
  name: "cipher-driver-of-thread",
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]store-sqlite[\\/]src[\\/]connection[\\/]CipherDriver\.ts$/ }, () => ({
      loader: "js",
      contents: `import { createRequire } from "node:module"
        import { workerData } from "node:worker_threads"
        export const cipherDriver = () => createRequire(workerData.bundle)("better-sqlite3-multiple-ciphers")`
    }))
  }
}

/** The module that `bundleThread` replaces. */
export const startThread = /[\\/]store-sqlite[\\/]src[\\/]worker[\\/]startThread\.ts$/

/**
 * The module that replaces the SQLite store's `startThread.ts`: it starts threads with their program, which it has in one text,
 * instead of files. `inputs` gains the files that the program is made of.
 */
export const bundleThread = async (plugins, inputs) => {
  const { build } = await import("esbuild")
  const { metafile, outputFiles } = await build({
    entryPoints: [join(root, "packages", "store-sqlite", "src", "worker", "thread.ts")],
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    format: "cjs",
    target,
    plugins: [...plugins, driverOfThread, cipherDriverOfThread],
    write: false,
    metafile: true,
    ...minified
  })
  inputs.push(...Object.keys(metafile.inputs))
  return `import { Worker } from "node:worker_threads"
    export const isThreadAvailable = () => true
    export const startThread = (workerData) => new Worker(
      ${JSON.stringify(outputFiles[0].text)},
      { eval: true, workerData: { ...workerData, bundle: import.meta.url } }
    )`
}

/** Puts the program of threads into the one file, bundled with the same `plugins`. */
const threadsWithin = (plugins, inputs = []) => ({
  name: "threads-within",
  setup: ({ onLoad }) => {
    onLoad({ filter: startThread }, async () => ({
      loader: "js",
      contents: await bundleThread(plugins, inputs)
    }))
  }
})

/** Puts the files of the console into the one file. */
const consoleWithin = {
  name: "console-within",
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]server[\\/]src[\\/]ConsoleFiles\.ts$/ }, async () => {
      const files = (await builtConsole()).map(({ gzipped, ...file }) => ({
        ...file,
        base64: gzipped.toString("base64")
      }))
      return {
        contents: `const files = ${JSON.stringify(files)}
          export const loadConsole = async () => files.map(({ base64, ...file }) => ({ ...file, gzipped: Buffer.from(base64, "base64") }))`
      }
    })
  }
}

/** Puts the specification into the one file, which assistants can read. */
const specificationWithin = {
  name: "specification-within",
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]server[\\/]src[\\/]Specification\.ts$/ }, () => ({
      contents: `const specification = ${JSON.stringify(readFileSync(join(root, "docs", "specification.md"), "utf8"))}
        export const loadSpecification = async () => specification`
    }))
  }
}

/** The same as a plugin of Vite. */
export const bundledThreads = () => {
  let bundled
  return {
    name: "bundled-threads",
    enforce: "pre",
    load: (id) => (startThread.test(id) ? (bundled ??= bundleThread([], [])) : null)
  }
}

const options = {
  entryPoints: [join(root, "packages", "server", "src", "main.ts")],
  bundle: true,
  platform: "node",
  format: "esm",
  target,
  // Some packages in it are written for `require`.
  banner: {
    js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);'
  },
  logLevel: "warning"
}

/**
 * Leaves Effect outside, for a program below a folder where it is installed: bundling that takes two thirds of the time, and a program
 * that starts once does not gain it.
 */
export const effectOutside = {
  name: "effect-outside",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^(@effect|effect)(\/|$)/ }, ({ path }) => ({ path, external: true }))
}

export const builtServer = join(folder, "lead-signals.mjs")

/**
 * Puts a module of this repository and all that it imports into one file, as the server's. `plugins` are esbuild's and come first. The map
 * takes longer than the rest.
 */
export const bundleModule = async (entry, outfile, plugins = [], sourcemap = true) => {
  const { build } = await import("esbuild")
  await build({
    ...options,
    entryPoints: [entry],
    plugins: [...plugins, requiredBuiltins, driverBeside, threadsWithin(plugins)],
    outfile,
    sourcemap,
    ...minified
  })
}

/**
 * Small, since reading the file is a tenth of a start. Names stay, lines are short enough to be shown, and `node
 * --enable-source-maps` shows those of the sources by the map beside it.
 */
export const bundleServer = (outfile, plugins = [], sourcemap) =>
  bundleModule(options.entryPoints[0], outfile, [...plugins, consoleWithin, specificationWithin], sourcemap)

/** The server as the sources stand now. The map of a bundle takes longer than the bundle: it has none. */
export const sourceServer = join(folder, "from-source.mjs")

/** Each file that the bundle was made of, with what changes when the file does. */
const stampFile = `${sourceServer}.made-of.json`

const stateOf = (file) => {
  const { mtimeMs, size } = statSync(join(root, file))
  return [mtimeMs, size]
}

const isFresh = () => {
  try {
    statSync(sourceServer)
    const madeOf = Object.entries(JSON.parse(readFileSync(stampFile, "utf8")))
    return madeOf.every(([file, state]) => String(stateOf(file)) === String(state))
  } catch {
    // One of them is missing, or was never there.
    return false
  }
}

/** Others may read it, or make it, at this moment. */
const replace = (file, content) => {
  const part = `${file}.${process.pid}.part`
  try {
    writeFileSync(part, content)
    renameSync(part, file)
  } finally {
    rmSync(part, { force: true })
  }
}

/** What is installed, as pnpm notes it. */
const installed = "node_modules/.pnpm/lock.yaml"

const manifests = () => [
  "tsconfig.base.json",
  "simulations/package.json",
  ...readdirSync(join(root, "packages")).flatMap((name) => [
    `packages/${name}/package.json`,
    `packages/${name}/tsconfig.json`
  ])
]

const bundleInMemory = async () => {
  const { build, stop } = await import("esbuild")
  const inputsOfThread = []
  try {
    const { metafile, outputFiles } = await build({
      ...options,
      plugins: [requiredBuiltins, driverBeside, threadsWithin([], inputsOfThread)],
      absWorkingDir: root,
      outfile: sourceServer,
      metafile: true,
      write: false
    })
    return { inputs: [...new Set([...Object.keys(metafile.inputs), ...inputsOfThread])], outputFiles }
  } finally {
    // A process of its own, which would stay beside the server for as long as that runs.
    await stop()
  }
}

/** Makes `sourceServer` unless it is there already: a second at first, and after a change; nothing else. */
export const bundleSource = async () => {
  if (isFresh()) return
  const startedAt = Date.now()
  const { inputs, outputFiles } = await bundleInMemory()
  const own = inputs.filter(
    (file) => !/(^|\/)node_modules\/|^(?:driver-(?:beside|of-thread)|required-builtins):/.test(file)
  )
  const madeOf = [...own, ...manifests(), installed, relative(root, fileURLToPath(import.meta.url))]
  mkdirSync(folder, { recursive: true })
  rmSync(stampFile, { force: true })
  const states = madeOf.map((file) => [file, stateOf(file)])
  replace(sourceServer, outputFiles[0].contents)
  // What was changed meanwhile may be in it or not: the next start makes it again.
  const isCertain = states.every(([, [mtimeMs]]) => mtimeMs < startedAt)
  if (isCertain) replace(stampFile, JSON.stringify(Object.fromEntries(states)))
}
