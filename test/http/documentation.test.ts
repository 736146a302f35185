/** The API's document as its readers use it: nothing is left undescribed, it lints, and a client is generated from it. */
import { isThorough } from "../harness/Thoroughness.ts"
import { openApi } from "@lead-signals/http"
import { errorCodes } from "@lead-signals/http/internal"
import createClient from "openapi-fetch"
import { execFile } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import {
  type Api,
  observation,
  observe,
  operatorToken,
  setUpBrand,
  startApi
} from "../harness/HttpServers.ts"

// The document is looked into freely here.
type Json = any
const document = JSON.parse(JSON.stringify(openApi())) as Json
const require = createRequire(import.meta.url)

const target = (ref: string): Json =>
  ref
    .slice(2)
    .split("/")
    .reduce((part: Json, name) => part[name], document)

/** The schema, what it refers to, and what it is one or all of. */
const forms = (schema: Json, followed: ReadonlySet<string> = new Set()): Array<Json> => {
  if (followed.has(schema.$ref)) return []
  const referred =
    schema.$ref === undefined ? [] : forms(target(schema.$ref), new Set([...followed, schema.$ref]))
  const parts = [
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []).filter((part: Json) => part.type !== "null")
  ]
  return [schema, ...referred, ...parts.flatMap((part) => forms(part, followed))]
}

const hasExample = (schema: Json): boolean =>
  forms(schema).some(
    (form) =>
      form.properties !== undefined ||
      form.examples?.length > 0 ||
      form.enum !== undefined ||
      form.type === "boolean" ||
      (form.items !== undefined && hasExample(form.items))
  )

const gapsOf = (spec: Json): Array<string> => {
  const gaps: Array<string> = []
  const need = (isThere: unknown, what: string): void => {
    if (!isThere) gaps.push(what)
  }
  const fields = (schema: Json, place: string): void => {
    for (const [name, property] of Object.entries<Json>(schema.properties ?? {})) {
      need(property.description, `${place}.${name} has no description`)
      need(hasExample(property), `${place}.${name} has no example`)
      fields(property, `${place}.${name}`)
    }
    for (const part of [...(schema.anyOf ?? []), ...(schema.allOf ?? [])]) fields(part, place)
    if (schema.items !== undefined) fields(schema.items, `${place}[]`)
  }
  for (const { description, name } of spec.tags) need(description, `tag ${name} has no description`)
  for (const [path, item] of Object.entries<Json>({ ...spec.paths, ...spec.webhooks })) {
    for (const [method, operation] of Object.entries<Json>(item)) {
      const place = `${method} ${path}`
      for (const key of ["operationId", "summary", "description"])
        need(operation[key], `${place} has no ${key}`)
      for (const parameter of operation.parameters ?? []) {
        const its = `${place} ${parameter.name}`
        need(parameter.description, `${its} has no description`)
        if (parameter.required) {
          need("example" in parameter || hasExample(parameter.schema), `${its} has no example`)
        }
      }
      if (operation.requestBody !== undefined) {
        need(operation.requestBody.description, `${place}: its body has no description`)
        for (const [type, media] of Object.entries<Json>(operation.requestBody.content)) {
          need(media.example, `${place}: its body as ${type} has no example`)
          fields(media.schema, place)
        }
      }
      for (const [status, response] of Object.entries<Json>(operation.responses)) {
        const description = response.description
        need(
          description &&
            !["Success", "Error"].includes(description) &&
            !(description in spec.components.schemas),
          `${place} ${status} has no description`
        )
        for (const media of Object.values<Json>(response.content ?? {})) {
          need(media.example, `${place} ${status} has no example`)
          fields(media.schema, `${place} ${status}`)
        }
        for (const [name, header] of Object.entries<Json>(response.headers ?? {})) {
          need(
            header.description && header.example !== undefined,
            `${place} ${status}: ${name} is not described`
          )
        }
      }
    }
  }
  for (const [name, schema] of Object.entries<Json>(spec.components.schemas)) {
    need(schema.description, `${name} has no description`)
    fields(schema, name)
  }
  return gaps
}

let api: Api
let brand: Awaited<ReturnType<typeof setUpBrand>>
beforeAll(async () => {
  api = await startApi()
  brand = await setUpBrand(api)
  await observe(api, brand, observation(brand.signalId, "p1", "e1"), observation(brand.signalId, "p2", "e2"))
})

const run = (command: string, args: ReadonlyArray<string>): Promise<{ code: number; output: string }> =>
  new Promise((resolve) => {
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }
    execFile(process.execPath, [command, ...args], { env }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: out + err })
    )
  })

describe("the document's words", () => {
  it("describe every operation, parameter, field, answer and header, with an example [DOC-2]", () => {
    expect(gapsOf(document)).toEqual([])
    const lesser = structuredClone(document)
    delete lesser.components.schemas.Lead.properties.score1.description
    delete lesser.paths["/signals/leads"].get.parameters[0].description
    expect(gapsOf(lesser)).toHaveLength(2)
  })

  it("tell of each status an error of its own [ERR-1, DOC-2]", () => {
    const codes = new Map<string, Set<string>>()
    for (const item of Object.values<Json>(document.paths)) {
      for (const { responses } of Object.values<Json>(item)) {
        for (const [status, { content }] of Object.entries<Json>(responses)) {
          const code = content?.["application/json"]?.example?.error?.code
          if (code !== undefined) codes.set(status, (codes.get(status) ?? new Set()).add(code))
        }
      }
    }
    const documented = Array.from(codes, ([status, each]) => [status, [...each]]).sort()
    expect(documented).toContainEqual(["405", ["method_not_allowed"]])
    expect(documented).toContainEqual(["500", ["internal_error"]])
    expect(new Set(documented.map(([, each]) => String(each))).size).toBe(documented.length)
  })

  it("give no code of an error that there is not [ERR-2, DOC-2]", () => {
    const schemas = Object.values<Json>(document.components.schemas)
    const given = schemas.flatMap(({ properties }) => {
      const code = properties?.error?.properties?.code
      return code === undefined ? [] : [...(code.enum ?? []), ...(code.examples ?? [])]
    })
    const codes = new Set(errorCodes().map(({ code }) => code))
    expect(given).toEqual(given.filter((code) => codes.has(code)))
    expect(given.length).toBeGreaterThan(10)
  })

  it.runIf(isThorough)("lint clean [DOC-1]", async () => {
    const file = join(temporaryFolder(), "openapi.json")
    writeFileSync(file, JSON.stringify(document))
    const cli = join(require.resolve("@redocly/cli/package.json"), "../bin/cli.js")
    const { code, output } = await run(cli, ["lint", "--extends", "recommended-strict", file])
    expect([code, /You have \d+ (warning|error)/.exec(output)], output).toEqual([0, null])
  })

  it("give examples that the service takes as they stand [DOC-2]", async () => {
    const example = (path: string, method = "post"): Json =>
      document.paths[path][method].requestBody.content["application/json"].example
    const operator = "/operator/brands"
    const its = `${operator}/${brand.id}`
    const posted: ReadonlyArray<readonly [string, string, Json]> = [
      ["POST", operator, example(operator)],
      ["POST", `${its}/keys`, example(`${operator}/{brandId}/keys`)],
      ["POST", `${its}/signals`, example(`${operator}/{brandId}/signals`)],
      ["POST", `${its}/campaigns`, example(`${operator}/{brandId}/campaigns`)],
      ["PATCH", `${its}/leads/1`, example(`${operator}/{brandId}/leads/{id}`, "patch")],
      [
        "PUT",
        `${its}/campaigns/1/posts/post-1/snapshots/2026-01-31`,
        example(`${operator}/{brandId}/campaigns/{id}/posts/{postId}/snapshots/{day}`, "put")
      ]
    ]
    for (const [method, path, body] of posted) {
      const { status, text } = await api.operate(method, path, body)
      expect([path, status, text]).toEqual([
        path,
        expect.toSatisfy((code: number) => code === 200 || code === 201),
        text
      ])
    }
    const { observations } = example(`${operator}/{brandId}/observations`)
    const seen = observations.map((each: Json) => ({ ...each, signalId: brand.signalId }))
    const answer = await api.operate("POST", `${its}/observations`, { observations: seen })
    expect(answer.body.data).toMatchObject([{ outcome: "recorded" }])
  })
})

describe("a client generated from the document", () => {
  const folder = fileURLToPath(new URL("../.generated", import.meta.url))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.runIf(isThorough)("compiles under strict types, and lists leads [LIST-1, AUTH-2]", async () => {
    const { astToString, default: openapiTS } = await import("openapi-typescript")
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "api.ts"), astToString(await openapiTS(document)))
    writeFileSync(
      join(folder, "client.ts"),
      `import createClient from "openapi-fetch"
import type { paths } from "./api.ts"
const client = createClient<paths>({ baseUrl: "http://127.0.0.1", headers: { authorization: "Bearer k" } })
const { data, error } = await client.GET("/signals/leads", { params: { query: { qualified: true, sort: "name:asc", pageSize: 5 } } })
if (error !== undefined) throw new Error(error.error.message)
const total: number = data.meta.pagination.total
const names: Array<string> = data.data.map((lead) => lead.name)
const headline: string | null | undefined = data.data[0]?.headline
// @ts-expect-error -- it takes a number
await client.GET("/signals/leads", { params: { query: { pageSize: "five" } } })
// @ts-expect-error -- there is no such path
await client.GET("/signals/people")
export { headline, names, total }
`
    )
    const tsc = require.resolve("typescript/bin/tsc")
    const options = [
      "--strict",
      "--exactOptionalPropertyTypes",
      "--noUncheckedIndexedAccess",
      "--noEmit",
      "--skipLibCheck",
      "false"
    ]
    const modules = [
      "--module",
      "NodeNext",
      "--target",
      "ES2023",
      "--lib",
      "ES2023,DOM,DOM.Iterable",
      "--allowImportingTsExtensions"
    ]
    const { code, output } = await run(tsc, [...options, ...modules, join(folder, "client.ts")])
    expect([code, output]).toEqual([0, ""])

    const client = createClient<Json>({ baseUrl: api.url, headers: { authorization: `Bearer ${brand.key}` } })
    const { data } = await client.GET("/signals/leads", { params: { query: { search: "p1", pageSize: 5 } } })
    expect((data as Json).data.map(({ extId }: Json) => extId)).toEqual(["p1"])
    const refused = createClient<Json>({
      baseUrl: api.url,
      headers: { authorization: `Bearer ${operatorToken}` }
    })
    expect((await refused.GET("/signals/leads", {})).error).toMatchObject({
      error: { code: "invalid_api_key" }
    })
  })
})
