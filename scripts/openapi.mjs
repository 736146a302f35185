/**
 * `npm run openapi -- [FILE]` writes the OpenAPI document of this version, to standard output unless a file is named.
 * `npm run openapi -- --baseline` keeps its compatibility baseline under docs/openapi. [VER-1]
 * `npm run openapi -- --types` writes its types for the console.
 */
import { existsSync, writeFileSync } from "node:fs"
import { baselineOf, format, minorOf } from "./openapi-baseline.mjs"
import { consoleTypes, consoleTypesOf } from "./openapi-types.mjs"

await import("tsx")
const { apiVersion, openApi } = await import("../packages/http/src/index.ts")

const [argument] = process.argv.slice(2)
if (argument === "--baseline") {
  const name = `docs/openapi/${minorOf(apiVersion)}.json`
  const file = new URL(`../${name}`, import.meta.url)
  const isNew = !existsSync(file)
  writeFileSync(file, format(baselineOf(openApi())))
  process.stdout.write(`${isNew ? "Wrote" : "Replaced"} ${name}\n`)
} else if (argument === "--types") {
  writeFileSync(consoleTypes, await consoleTypesOf(openApi()))
} else if (argument?.startsWith("-")) {
  process.stderr.write("Usage: npm run openapi -- [FILE | --baseline | --types]\n")
  process.exitCode = 2
} else {
  const document = `${JSON.stringify(openApi(), null, 2)}\n`
  if (argument === undefined) process.stdout.write(document)
  else writeFileSync(argument, document)
}
