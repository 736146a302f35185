/** `pnpm release-openapi`: keeps the OpenAPI document of the present version under docs/openapi. [VER-1] */
import { existsSync, writeFileSync } from "node:fs"

await import("tsx")
const { apiVersion, openApi } = await import("../packages/http/src/index.ts")

const file = new URL(`../docs/openapi/${apiVersion}.json`, import.meta.url)
const isNew = !existsSync(file)
writeFileSync(file, `${JSON.stringify(openApi(), null, 2)}\n`)
process.stdout.write(`${isNew ? "Wrote" : "Replaced"} docs/openapi/${apiVersion}.json\n`)
