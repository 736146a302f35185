/** Puts a bug into the simulator: a bundle of its program in which one file of production code is a little wrong. */
import { build, type Plugin } from "esbuild"
import { mkdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { Bug } from "./Bug.ts"

const source = fileURLToPath(new URL("..", import.meta.url))
const root = dirname(dirname(source.replace(/[\\/]$/, "")))

/** The file's text with the bug in it. Fails when the text that it changes is not there, or there twice. */
export const planted = ({ edits, file, name }: Bug, text: string): string =>
  edits.reduce((changed, { by, replace }) => {
    const times = changed.split(replace).length - 1
    if (times !== 1)
      throw new Error(`${name} changes a text that stands ${times} times in ${file}: ${replace}`)
    return changed.replace(replace, () => by)
  }, text)

export const sourceOf = ({ file }: Bug): string => readFileSync(join(root, file), "utf8")

/** Spelled so that it is not replaced here. */
const ownUrl = ["import", "meta", "url"].join(".")

const planting = (bug: Bug | null): Plugin => ({
  name: "planting",
  setup: ({ onLoad, onResolve, resolve }) => {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (bug !== null && path === join(root, bug.file)) {
        return { contents: planted(bug, sourceOf(bug)), loader: "ts" }
      }
      // Files are found as if nothing had been moved.
      if (!path.startsWith(source)) return undefined
      const text = readFileSync(path, "utf8")
      return {
        contents: text.replaceAll(ownUrl, JSON.stringify(pathToFileURL(path).href)),
        loader: "ts"
      }
    })
    // What has a binary beside it can't be bundled, and only its user knows where it is.
    onResolve(
      { filter: /^(better-sqlite3|esbuild)$/ },
      async ({ kind, path: name, pluginData, resolveDir }) => {
        if (pluginData === "found") return undefined
        const { path } = await resolve(name, { kind, resolveDir, pluginData: "found" })
        return { path: pathToFileURL(path).href, external: true }
      }
    )
  }
})

/** Bundles a program of this folder, `simulate.ts` or `worker.ts`; answers the path of the bundle. */
export const bundle = async (program: string, bug: Bug | null): Promise<string> => {
  const folder = join(dirname(source.replace(/[\\/]$/, "")), "node_modules", ".cache", "planted")
  mkdirSync(folder, { recursive: true })
  const outfile = join(folder, `${bug?.name ?? "clean"}-${program.replace(/\.ts$/, "")}-${process.pid}.mjs`)
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
    plugins: [planting(bug)],
    logLevel: "silent"
  })
  return outfile
}
