/**
 * The packages of this repository as a few files of JavaScript. `npm test` loads these: each of its processes would load a thousand
 * modules, which takes it several times as long. `npm run test:only` loads the sources, whose lines a failure then names.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { bundleThread, startThread } from "./bundle.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))

/** The source file of each entry point of a package, by the name that it is imported by. */
const entryPoints = () =>
  [
    ...readdirSync(join(root, "packages")).map((name) => join(root, "packages", name)),
    join(root, "simulations")
  ]
    .map((folder) => ({ folder, manifestFile: join(folder, "package.json") }))
    .filter(({ manifestFile }) => existsSync(manifestFile))
    .flatMap(({ folder, manifestFile }) => {
      const { exports = {}, name } = JSON.parse(readFileSync(manifestFile, "utf8"))
      return Object.entries(exports).map(([entry, file]) => [`${name}${entry.slice(1)}`, join(folder, file)])
    })

/** Lets a module that looks for files beside it find those of its source. */
const inPlace = {
  name: "in-place",
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const place = JSON.stringify(pathToFileURL(path).href)
      if (startThread.test(path))
        return {
          contents: (await bundleThread([], [])).replace("bundle: import.meta.url", () => `bundle: ${place}`),
          loader: "js"
        }
      const text = readFileSync(path, "utf8")
      return text.includes("import.meta.url")
        ? { contents: text.replaceAll("import.meta.url", () => place), loader: "ts" }
        : null
    })
  }
}

/** Leaves what is installed outside, each module at the path where its importer finds it: tests import the same. */
const installedOutside = {
  name: "installed-outside",
  setup: ({ onResolve, resolve }) => {
    onResolve({ filter: /^[^./]/ }, async ({ importer, kind, path, pluginData, resolveDir }) => {
      if (pluginData === installedOutside || kind === "entry-point" || path.startsWith("@lead-signals/"))
        return null
      if (isBuiltin(path)) return { path, external: true }
      const found = await resolve(path, { importer, kind, resolveDir, pluginData: installedOutside })
      return { path: found.errors.length > 0 ? path : pathToFileURL(found.path).href, external: true }
    })
  }
}

/** Bundles all packages into the folder. Answers the file of each entry point by its name. */
export const bundlePackages = async (folder) => {
  const { build } = await import("esbuild")
  const entries = entryPoints().map(([name, file]) => ({ name, in: file, out: name.replaceAll("/", "+") }))
  await build({
    entryPoints: entries.map(({ in: file, out }) => ({ in: file, out })),
    absWorkingDir: root,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22",
    plugins: [inPlace, installedOutside],
    logLevel: "warning"
  })
  return new Map(entries.map(({ name, out }) => [name, join(folder, `${out}.mjs`)]))
}
