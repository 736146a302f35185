/**
 * Bundles the simulator's worker for browsers. Each module that has planted bugs is in it once as it is and once for each bug; the
 * name of the worker says which of them its importers get. Nothing in it makes code at run time.
 */
import { build, type Plugin } from "esbuild"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { OpenApiDocument } from "../index.ts"
import type { OfferedBug } from "../browser/Messages.ts"
import { ajvOf } from "../oracles/SchemaValidators.ts"
import { plantedChange } from "./BugChange.ts"
import { type Bug, bugs } from "./index.ts"
import { fileOf, planted, root, sourceOf } from "./PlantedModules.ts"

const source = fileURLToPath(new URL("..", import.meta.url))

/**
 * The bugs that a browser can show: it has no SQLite. One whose place in the code has changed is left out, so that the server can be
 * built; tests find it.
 */
const offeredBugs = async (): Promise<ReadonlyArray<Bug>> => {
  const offered: Array<Bug> = []
  for (const bug of bugs.filter(({ store }) => store === "memory")) {
    try {
      await planted(bug, sourceOf(bug))
      offered.push(bug)
    } catch (failure) {
      process.stderr.write(`${(failure as Error).message}\n`)
    }
  }
  return offered
}

/** The values that a module exports. */
const exportsOf = async (file: string): Promise<ReadonlyArray<string>> => {
  const { metafile } = await build({
    entryPoints: [file],
    bundle: false,
    write: false,
    metafile: true,
    format: "esm",
    logLevel: "silent"
  })
  return Object.values(metafile.outputs)[0]!.exports
}

/** Exports what the module with the worker's bug exports. */
const choosing = async (file: string, names: ReadonlyArray<string>): Promise<string> =>
  [
    `import * as own from ${JSON.stringify(`${file}?planted=`)}`,
    ...names.map((name, i) => `import * as bug${i} from ${JSON.stringify(`${file}?planted=${name}`)}`),
    `const byName = { ${names.map((name, i) => `${JSON.stringify(name)}: bug${i}`).join(", ")} }`,
    "const chosen = Object.hasOwn(byName, globalThis.name) ? byName[globalThis.name] : own",
    ...(await exportsOf(file)).map((name) => `export const ${name} = chosen.${name}`)
  ].join("\n")

const switching = (offered: ReadonlyArray<Bug>): Plugin => ({
  name: "switching",
  setup: ({ onLoad, onResolve }) => {
    const byFile = Map.groupBy(offered, (bug) => join(root, fileOf(bug)))
    onResolve({ filter: /\?planted=/ }, ({ path }) => {
      const [file, bug] = path.split("?planted=")
      return { path: file!, suffix: `?planted=${bug}`, namespace: "planted" }
    })
    onLoad({ filter: /\.ts$/, namespace: "planted" }, async ({ path, suffix }) => {
      const bug = byFile.get(path)!.find(({ name }) => suffix === `?planted=${name}`)
      const text = sourceOf(byFile.get(path)![0]!)
      const contents = bug === undefined ? text : await planted(bug, text)
      return { contents, loader: "ts", resolveDir: dirname(path) }
    })
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const own = byFile.get(path)
      return own === undefined
        ? undefined
        : {
            contents: await choosing(
              path,
              own.map(({ name }) => name)
            ),
            loader: "js",
            resolveDir: dirname(path)
          }
    })
  }
})

const annotations = new Set(["description", "title", "example", "examples", "default"])

/** What a schema demands: many say the same of answers in other words. */
const demandsOf = (pointer: string): string => {
  const path = pointer
    .split("/")
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"))
  const schema = path.reduce<any>((of, part) => of[part], OpenApiDocument.document)
  return JSON.stringify(schema, (key, value: unknown) =>
    annotations.has(key) && typeof value !== "object" ? undefined : value
  )
}

/** Judges values by the schemas as `SchemaValidators.ts` does, with functions that were compiled here. */
const compiledValidators = async (): Promise<string> => {
  const { default: standalone } = await import("ajv/dist/standalone/index.js")
  const ajv = ajvOf(OpenApiDocument.document, { inlineRefs: false, code: { source: true, esm: true } })
  const byDemands = new Map<string, string>()
  const table: Array<string> = []
  for (const pointer of OpenApiDocument.pointers()) {
    const demands = demandsOf(pointer)
    const known = byDemands.get(demands)
    const name = known ?? `judge${byDemands.size}`
    if (known === undefined) {
      byDemands.set(demands, name)
      ajv.addSchema({ $id: name, $ref: `openapi#${pointer}` })
    }
    table.push(`${JSON.stringify(pointer)}: ${name}`)
  }
  const names = Object.fromEntries([...byDemands.values()].map((name) => [name, name]))
  return `${standalone.default(ajv, names)}
const validators = { ${table.join(", ")} }
export const validatorsOf = () => (pointer) => validators[pointer]`
}

const compiled = (offered: ReadonlyArray<Bug>): Plugin => ({
  name: "compiled",
  setup: ({ onLoad, onResolve }) => {
    const require = createRequire(import.meta.url)
    onLoad({ filter: /[\\/]SchemaValidators\.ts$/ }, async () => ({
      contents: await compiledValidators(),
      loader: "js"
    }))
    // The page of documentation, which no simulation asks for.
    onLoad({ filter: /[\\/]httpApiSwagger\.js$/ }, () => ({
      contents: 'export const css = "", javascript = ""',
      loader: "js"
    }))
    // The compiled functions name parts of Ajv, wherever they are.
    onResolve({ filter: /^ajv\// }, ({ path }) => ({ path: require.resolve(path) }))
    onLoad({ filter: /[\\/]PlantedBugs\.ts$/ }, async () => {
      const offers: Array<OfferedBug> = []
      for (const bug of offered) offers.push({ ...(await plantedChange(bug)), scenario: bug.scenario })
      return { contents: `export const plantedBugs = ${JSON.stringify(offers)}`, loader: "js" }
    })
  }
})

/** The worker's program, as text. */
export const bundleForBrowser = async (): Promise<string> => {
  const offered = await offeredBugs()
  const { outputFiles } = await build({
    entryPoints: [join(source, "browser", "worker.ts")],
    bundle: true,
    write: false,
    platform: "browser",
    format: "esm",
    target: "es2022",
    minify: true,
    plugins: [compiled(offered), switching(offered)],
    logLevel: "error"
  })
  return outputFiles[0]!.text
}
