/** The types of the OpenAPI document, from which the console's client derives its calls. */
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"

export const consoleTypes = fileURLToPath(new URL("../packages/console/src/api/contract.ts", import.meta.url))

const isObject = (value) => typeof value === "object" && value !== null

const wording = new Set(["description", "summary", "example", "examples", "headers"])

/** A document without wording: its types take a tenth of the lines. `isMap`: the keys are names of fields or schemas. */
const withoutWording = (part, isMap = false) => {
  if (Array.isArray(part)) return part.map((each) => withoutWording(each))
  if (!isObject(part)) return part
  return Object.fromEntries(
    Object.entries(part)
      .filter(
        ([key, value]) => isMap || !(wording.has(key) || (key === "additionalProperties" && value === true))
      )
      .map(([key, value]) => [
        key,
        withoutWording(value, !isMap && (key === "properties" || key === "schemas"))
      ])
  )
}

/** Every error has one shape: one of them stands for all. */
const errorStatus = "400"

const withOneError = (document) => {
  for (const path of Object.values(document.paths)) {
    for (const operation of Object.values(path)) {
      operation.responses = Object.fromEntries(
        Object.entries(operation.responses)
          .filter(([status]) => status.startsWith("2") || status === errorStatus)
          // The generator takes only what is described.
          .map(([status, response]) => [status, { description: "", ...response }])
      )
    }
  }
  return document
}

/** Leaves out the names that have nothing in them, and says what the others are. */
const explained = (text) =>
  text
    .replaceAll(/^export type (?:webhooks|\$defs) = Record<string, never>;\n/gm, "")
    .replace(/^(?=export interface components )/m, "/** Schemas by their names in the document. */\n")
    .replace(
      /^(?=export interface operations )/m,
      "/** Operations by their ids: parameters, body and answers. */\n"
    )

/** The text of `consoleTypes` for a document. */
export const consoleTypesOf = async (document) => {
  const require = createRequire(new URL("../packages/console/package.json", import.meta.url))
  const generator = require("openapi-typescript")
  const { webhooks: _, ...calls } = withoutWording(document)
  const types = await generator.default(withOneError({ ...calls, info: document.info }))
  return `/** The types of the API, which \`npm run openapi -- --types\` writes. */\n${explained(generator.astToString(types))}`
}
