/** Plants a bug into the simulator: bundles its program with one module of production code a little wrong. */
import { build, type Plugin } from "esbuild"
import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { Bug, SourceChange } from "./Bug.ts"
import { syntaxEditor } from "./SyntaxEdit.ts"

/** The folder `src` of the simulator. */
export const source = fileURLToPath(new URL("..", import.meta.url))

/** The root of the repository. */
export const root = dirname(dirname(source.replace(/[\\/]$/, "")))

/** A module of production code as it is bundled. */
export interface PlantedModule {
  /** Names the bundle. */
  readonly name: string
  /** From the root of the repository. */
  readonly file: string
  readonly text: string
}

/** The file of the changed module, from the root of the repository. Fails unless its package has one of that name. */
export const fileOf = ({ module, name }: SourceChange): string => {
  const folder = join("packages", module.package, "src")
  const found = readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name === `${module.name}.ts`
  )
  if (found.length !== 1)
    throw new Error(`${name}: ${folder} has ${found.length} modules named ${module.name}`)
  return join(found[0]!.parentPath, found[0]!.name).slice(root.length + 1)
}

/** The text of the module as it is. Throws where no module, or more than one, has its name in the package. */
export const sourceOf = (change: SourceChange): string => readFileSync(join(root, fileOf(change)), "utf8")

/**
 * The module's text as it is changed. Fails when an anchor of the change is not there, or there more than once. The compiler
 * is loaded only here: it is large, and only those who plant bugs have it.
 */
export const planted = async (change: SourceChange, text: string): Promise<string> => {
  const { default: ts } = await import("typescript")
  try {
    return syntaxEditor(ts).apply(text, change.edits)
  } catch (error) {
    throw new Error(`${change.name} can't be planted in ${fileOf(change)}: ${(error as Error).message}.`, {
      cause: error
    })
  }
}

/** For esbuild: bundles the module as it is changed. */
export const changing = (change: SourceChange): Plugin => ({
  name: "changing",
  setup: ({ onLoad }) => {
    const file = join(root, fileOf(change))
    onLoad({ filter: /\.ts$/ }, async ({ path }) =>
      path === file ? { contents: await planted(change, sourceOf(change)), loader: "ts" } : undefined
    )
  }
})

/** The expression for a module's own URL, spelled so that it is not replaced here. */
export const ownUrl = ["import", "meta", "url"].join(".")

/** A package with a binary can't be bundled, the compiler need not be. */
export const elsewhereNames = ["better-sqlite3", "esbuild", "typescript"]

/** For esbuild: leaves these packages where they are; only their users know where that is. */
export const elsewhere: Plugin = {
  name: "elsewhere",
  setup: ({ onResolve, resolve }) => {
    onResolve(
      { filter: new RegExp(`^(?:${elsewhereNames.join("|")})$`) },
      async ({ kind, path: name, pluginData, resolveDir }) => {
        if (pluginData === "found") return undefined
        const { path } = await resolve(name, { kind, resolveDir, pluginData: "found" })
        return { path: pathToFileURL(path).href, external: true }
      }
    )
  }
}

const planting = (module: PlantedModule | null): Plugin => ({
  name: "planting",
  setup: ({ onLoad }) => {
    const file = module === null ? null : join(root, module.file)
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (module !== null && path === file) return { contents: module.text, loader: "ts" }
      // Files are found as if nothing had been moved.
      if (!path.startsWith(source)) return undefined
      const text = readFileSync(path, "utf8")
      return {
        contents: text.replaceAll(ownUrl, JSON.stringify(pathToFileURL(path).href)),
        loader: "ts"
      }
    })
  }
})

/** How long a bundle may be needed: those of commands that were killed stay behind. */
const neededMillis = 7 * 24 * 3_600_000

const removeLeftIn = (folder: string): void => {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    const left = statSync(file, { throwIfNoEntry: false })
    if (left !== undefined && left.mtimeMs < Date.now() - neededMillis) rmSync(file, { force: true })
  }
}

/**
 * Bundles a program of the simulator, by its path from `src`, with one module as it is given; answers the path of the
 * bundle. Fails where the module does not parse, and with the code of the system where its folder can't be written.
 */
export const bundleWith = async (program: string, module: PlantedModule | null): Promise<string> => {
  const folder = join(dirname(source.replace(/[\\/]$/, "")), "node_modules", ".cache", "planted")
  mkdirSync(folder, { recursive: true })
  accessSync(folder, constants.W_OK)
  removeLeftIn(folder)
  const programName = basename(program, ".ts")
  const outfile = join(folder, `${module?.name ?? "clean"}-${programName}-${process.pid}.mjs`)
  await build({
    entryPoints: [join(source, program)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    banner: {
      js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(process.cwd() + "/");'
    },
    plugins: [planting(module), elsewhere],
    logLevel: "silent"
  })
  return outfile
}

/** Bundles a program of the simulator with a bug; answers the path of the bundle. */
export const bundle = async (program: string, bug: Bug | null): Promise<string> =>
  bundleWith(
    program,
    bug === null ? null : { name: bug.name, file: fileOf(bug), text: await planted(bug, sourceOf(bug)) }
  )
