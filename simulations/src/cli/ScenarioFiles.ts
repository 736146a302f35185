/** Scenario files: read, shown and begun. Left: what is wrong, for the terminal. */
import { didYouMean } from "@lead-signals/suggestions"
import { Either } from "effect"
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import type { Scenario } from "../Scenario.ts"
import { scenarioJsonSchema } from "../scenario-file/FieldReference.ts"
import { readScenario } from "../scenario-file/ScenarioFile.ts"
import { scenarioNames, scenarioSource } from "../Scenarios.ts"

/** A word that names a file, and no scenario of the project. */
export const isScenarioFile = (word: string): boolean => /\.json$|[/\\]/i.test(word)

/** A scenario has a few kilobytes, a counterexample some more. */
const maxBytes = 4_000_000

const schemaFile = fileURLToPath(new URL("../../scenario.schema.json", import.meta.url))

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "unknown"

/** The text of a file of at most a few megabytes. */
export const readText = (path: string): Either.Either<string, string> =>
  Either.try({
    try: () => {
      const { size } = statSync(path)
      return size > maxBytes ? null : readFileSync(path, "utf8")
    },
    catch: (error) =>
      codeOf(error) === "ENOENT" ? `There is no file ${path}.` : `${path} can't be read: ${codeOf(error)}.`
  }).pipe(
    Either.filterOrLeft(
      (text) => text !== null,
      () => `${path} has more than ${maxBytes / 1_000_000} MB.`
    )
  )

/** The scenario in a file. */
export const loadScenario = (path: string): Either.Either<Scenario, string> =>
  readText(path).pipe(
    Either.flatMap((text) =>
      Either.mapLeft(readScenario(text), (problems) =>
        [`${path} is not a scenario.`, ...problems].join("\n  ")
      )
    )
  )

/** The JSON Schema as the file in the repository has it. */
export const schemaText = (): string => `${JSON.stringify(scenarioJsonSchema(), null, 2)}\n`

/** The path of the JSON Schema from a folder, as `$schema` takes it. */
const schemaFrom = (folder: string): string => {
  const path = relative(folder, schemaFile).split(sep).join("/")
  return path.startsWith(".") ? path : `./${path}`
}

const scenarioText = (source: object, folder: string, name?: string): string => {
  const { $schema: _, ...fields } = source as Record<string, unknown>
  const renamed = name === undefined ? fields : { ...fields, name }
  return `${JSON.stringify({ $schema: schemaFrom(folder), ...renamed }, null, 2)}\n`
}

const named = (name: string): Either.Either<object, string> => {
  const source = scenarioSource(name)
  if (source !== undefined) return Either.right(source as object)
  const suggestion = didYouMean(name, scenarioNames()) ?? `There are ${scenarioNames().join(", ")}.`
  return Either.left(`There is no scenario "${name}". ${suggestion}`)
}

/** The scenario that a counterexample carries; null in any other file. */
const carried = (text: string): object | null => {
  try {
    const { counterexample, definition } = JSON.parse(text)
    return counterexample === 1 && typeof definition === "object" ? definition : null
  } catch {
    return null
  }
}

/** The text of a scenario: by its name, in a file, or in the counterexample of one. */
export const renderedScenario = (called: string): Either.Either<string, string> => {
  const here = process.cwd()
  if (!isScenarioFile(called)) return Either.map(named(called), (source) => scenarioText(source, here))
  return Either.flatMap(readText(called), (text) => {
    const definition = carried(text)
    return definition === null
      ? Either.map(loadScenario(called), (scenario) => scenarioText(scenario, here))
      : Either.right(scenarioText(definition, here))
  })
}

/** Writes a copy of a scenario of the project, and says how to run it. */
export const newScenarioFile = (path: string, from: string): Either.Either<string, string> => {
  if (!path.endsWith(".json")) return Either.left(`${path} must end in .json.`)
  return Either.flatMap(named(from), (source) => {
    if (existsSync(path)) return Either.left(`${path} exists, and is not written over.`)
    const folder = dirname(path)
    return Either.try({
      try: () => {
        mkdirSync(folder, { recursive: true })
        writeFileSync(path, scenarioText(source, folder, basename(path, ".json")), { flag: "wx" })
        const rendered = /[/\\]/.test(path) ? path : `./${path}`
        return [
          `${path} is a copy of ${from}. To change it see "Write a scenario" in docs/simulator.md; to run it:`,
          "",
          `  ./lead-signals simulate ${rendered}`,
          ""
        ].join("\n")
      },
      catch: (error) => `${path} can't be written: ${codeOf(error)}.`
    })
  })
}

/** A name for the files of a run: `swarm`, or of `./load/fair.json` `fair`. */
export const fileNameOf = (called: string): string => basename(called, ".json")
