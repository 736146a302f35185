/** The modules of this repository that are mutated, and all their mutants. */
import { readdirSync, readFileSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { root } from "../bugs/PlantedModules.ts"
import { moduleOf, mutantGenerator } from "./Generation.ts"
import { type Mutant, packages } from "./Mutant.ts"

/** Paths from the root, in an order that is the same everywhere. */
export const mutatedModules = (): ReadonlyArray<string> =>
  packages.flatMap((name) =>
    readdirSync(join(root, "packages", name, "src"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, "/"))
      .sort()
  )

/** The text of a module. */
export const textOf = (file: string): string => readFileSync(join(root, file), "utf8")

/** The compiler, which is large, is loaded only here. */
const mutantsOf = async (files: ReadonlyArray<string>): Promise<ReadonlyArray<Mutant>> => {
  const { default: ts } = await import("typescript")
  const { generate } = mutantGenerator(ts)
  return files.flatMap((file) => generate(file, textOf(file)))
}

/** Every mutant. */
export const allMutants = (): Promise<ReadonlyArray<Mutant>> => mutantsOf(mutatedModules())

/** Every mutant of the modules of these ids. */
export const mutantsBeside = (ids: ReadonlyArray<string>): Promise<ReadonlyArray<Mutant>> => {
  const modules = new Set(ids.map((id) => id.slice(0, id.indexOf(":"))))
  return mutantsOf(mutatedModules().filter((file) => modules.has(moduleOf(file))))
}
