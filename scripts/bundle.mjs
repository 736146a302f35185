/** Puts the server into one file: what `pnpm build` makes, what `npm start` runs, and what tests and benchmarks start. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

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

const options = {
  entryPoints: [join(root, "packages", "server", "src", "main.ts")],
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node22",
  plugins: [driverBeside],
  // Some packages in it are written for `require`.
  banner: {
    js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);'
  },
  logLevel: "warning"
}

export const builtServer = join(folder, "lead-signals.mjs")

/**
 * Small, since reading the file is a tenth of a start. Names stay, lines are short enough to be shown, and `node
 * --enable-source-maps` tells those of the sources by the map beside it. `plugins` are esbuild's, asked first.
 */
export const bundleServer = async (outfile, plugins = []) => {
  const { build } = await import("esbuild")
  await build({
    ...options,
    plugins: [...plugins, ...options.plugins],
    outfile,
    sourcemap: true,
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160
  })
}

/** The server as the sources stand now. The map of a bundle takes longer than the bundle: it has none. */
export const sourceServer = join(folder, "from-source.mjs")

/** Each file that the bundle was made of, with what tells whether it is still the same. */
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
  try {
    return await build({
      ...options,
      absWorkingDir: root,
      outfile: sourceServer,
      metafile: true,
      write: false
    })
  } finally {
    // A process of its own, which would stay beside the server for as long as that runs.
    await stop()
  }
}

/** Makes `sourceServer` unless it is there already: a second at first, and after a change; nothing else. */
export const bundleSource = async () => {
  if (isFresh()) return
  const startedAt = Date.now()
  const { metafile, outputFiles } = await bundleInMemory()
  const own = Object.keys(metafile.inputs).filter(
    (file) => !/(^|\/)node_modules\/|^driver-beside:/.test(file)
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
