/** A program of the simulator as modules that are linked when they are loaded, so that one of them can be exchanged. */
import { build, type Metafile, transform } from "esbuild"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { elsewhere, elsewhereNames, ownUrl, root, source } from "../bugs/PlantedModules.ts"

/** A module of this repository, compiled. */
interface LinkedModule {
  /** The body of a function of `exports`, `require` and `module`. */
  readonly code: string
  /** What each specifier in it means: a key of `modules`, or what Node imports. */
  readonly requires: Readonly<Record<string, string>>
}

/** Plain data, so that a file can keep it and processes can share it. */
export interface LinkedProgram {
  /** The key of the program's own module. */
  readonly entry: string
  /** By path from the root of the repository. */
  readonly modules: Readonly<Record<string, LinkedModule>>
  /** What Node imports: URLs of files, and its own modules. */
  readonly imports: ReadonlyArray<string>
}

/** esbuild copies what passes between modules, for the sake of modules that are not its own: that makes reading them slow. */
const withoutCopies = (code: string): string =>
  code
    .replace(/^module\.exports = __toCommonJS\((\w+)\);$/m, "module.exports = $1;")
    .replaceAll(/__toESM\((require\("[^"]+"\))\)/g, "$1")

/** Compiles the text of a module. Fails where it does not parse. */
export const compiled = async (file: string, text: string): Promise<string> => {
  const { code } = await transform(text, {
    loader: "ts",
    format: "cjs",
    target: "node22",
    sourcefile: file,
    define: { [ownUrl]: JSON.stringify(pathToFileURL(join(root, file)).href) },
    logLevel: "silent"
  })
  return withoutCopies(code)
}

const isOwn = (path: string): boolean => !path.includes("node_modules/")

/** The text that a module imports another by; esbuild does not report it for those that `elsewhere` found. */
const specifierOf = ({ original, path }: Metafile["inputs"][string]["imports"][number]): string =>
  original ?? elsewhereNames.find((name) => path.includes(`/node_modules/${name}/`)) ?? path

const targetOf = ({ external, path }: Metafile["inputs"][string]["imports"][number]): string =>
  external === true || isOwn(path) ? path : pathToFileURL(join(root, path)).href

/** Links a program, by its path from `src`. */
export const linkedProgram = async (program: string): Promise<LinkedProgram> => {
  const entry = join(source, program)
  const { metafile } = await build({
    entryPoints: [entry],
    absWorkingDir: root,
    bundle: true,
    write: false,
    outdir: root,
    metafile: true,
    platform: "node",
    format: "esm",
    target: "node22",
    plugins: [elsewhere],
    logLevel: "silent"
  })
  const own = Object.entries(metafile.inputs).filter(([path]) => isOwn(path))
  const modules = await Promise.all(
    own.map(async ([path, { imports }]): Promise<readonly [string, LinkedModule]> => {
      const text = readFileSync(join(root, path), "utf8")
      const requires = Object.fromEntries(imports.map((each) => [specifierOf(each), targetOf(each)]))
      return path.endsWith(".json")
        ? [path, { code: `exports.default = ${text}; exports.__esModule = true`, requires }]
        : [path, { code: await compiled(path, text), requires }]
    })
  )
  const keys = new Set(own.map(([path]) => path))
  const imports = new Set(
    modules.flatMap(([, { requires }]) => Object.values(requires)).filter((to) => !keys.has(to))
  )
  return { entry: entry.slice(root.length + 1), modules: Object.fromEntries(modules), imports: [...imports] }
}
