/** The scenarios that come with the project, read from their files. */
import { Either, Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Scenario } from "./Scenario.ts"

const folder = fileURLToPath(new URL("../scenarios", import.meta.url))

export const scenarioNames = (): ReadonlyArray<string> =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => name.slice(0, -".json".length))
    .sort()

/** Null when there is none of this name. A file that is no scenario is a defect. */
export const scenarioNamed = (name: string): Scenario | null =>
  scenarioNames().includes(name)
    ? Either.getOrThrow(
        Schema.decodeUnknownEither(Scenario, { onExcessProperty: "error" })(
          JSON.parse(readFileSync(`${folder}/${name}.json`, "utf8"))
        )
      )
    : null
