/** The types from which the console's client derives its calls. */
import { openApi } from "@lead-signals/http"
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { consoleTypes, consoleTypesOf } from "../../scripts/openapi-types.mjs"

it("the console's types are those of the OpenAPI document: `npm run openapi -- --types` writes them", async () => {
  expect(readFileSync(consoleTypes, "utf8")).toBe(await consoleTypesOf(openApi()))
})
