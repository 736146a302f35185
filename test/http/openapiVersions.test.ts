/** The OpenAPI document beside those of released minor versions. */
import { apiVersion, openApi } from "@lead-signals/http"
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import {
  type Baseline,
  baselineOf,
  format,
  incompatibilities,
  minorOf
} from "../../scripts/openapi-baseline.mjs"

type Json = Record<string, any>

const baselines = new URL("../../docs/openapi/", import.meta.url)

describe("versions", () => {
  const files = readdirSync(baselines)
  const read = (file: string) => readFileSync(new URL(file, baselines), "utf8")
  const now = () => baselineOf(openApi())

  it("keeps the baseline of every released minor version, the present one too, without wording [VER-1]", () => {
    expect(files).toContain(`${minorOf(apiVersion)}.json`)
    expect(read(`${minorOf(apiVersion)}.json`), "npm run openapi -- --baseline writes it").toBe(format(now()))
    for (const file of files) expect(read(file)).not.toMatch(/"(summary|examples?|title)":/)
  })

  it.each(files)("only adds to %s [VER-1]", (file) => {
    expect(incompatibilities(JSON.parse(read(file)) as Baseline, now())).toEqual([])
  })

  const brands = "/operator/brands"
  const bodyOf = (operation: Json): Json => operation["requestBody"].content["application/json"]
  const listParameter = (document: Json, name: string): Json =>
    document["paths"]["/signals/leads"].get.parameters.find((each: Json) => each["name"] === name)

  it.each<readonly [string, (document: Json) => void, ReadonlyArray<string>]>([
    [
      "a path that goes",
      ({ paths }) => delete paths["/campaign/{id}/metrics"],
      ["/operations/GET /campaign/{id}/metrics is gone"]
    ],
    ["a method that goes", ({ paths }) => delete paths[brands].post, [`/operations/POST ${brands} is gone`]],
    [
      "a field that goes",
      ({ components }) => delete components.schemas.Lead.properties.headline,
      ["/schemas/Lead/properties/headline is gone"]
    ],
    [
      "a field that may be left out of an answer",
      ({ components }) => components.schemas.Lead.required.shift(),
      ['/schemas/Lead/required lost "id"']
    ],
    [
      "a field of another type",
      ({ components }) => (components.schemas.Lead.properties.id.type = "string"),
      ["/schemas/Lead/properties/id/type changed"]
    ],
    [
      "a schema that goes",
      ({ components }) => delete components.schemas.Metrics,
      ["/schemas/Metrics is gone"]
    ],
    [
      "an answer of another form",
      ({ paths }) =>
        (paths["/signals/leads"].get.responses[200].content["application/json"].schema.$ref =
          "#/components/schemas/Lead"),
      ["/operations/GET /signals/leads/responses/200/content/application/json changed"]
    ],
    [
      "a parameter that goes",
      ({ paths }) => paths["/signals/leads"].get.parameters.shift(),
      [expect.stringMatching(/^\/operations\/GET \/signals\/leads\/parameters lost \{"name":"page"/)]
    ],
    [
      "a parameter that is narrowed",
      (document) => (listParameter(document, "search")["schema"].maxLength = 100),
      [expect.stringMatching(/^\/operations\/GET \/signals\/leads\/parameters lost \{"name":"search"/)]
    ],
    [
      "a value that a parameter no longer takes",
      ({ paths }) =>
        paths["/operator/brands/{brandId}/webhooks/{id}/deliveries"].get.parameters
          .find(({ name }: Json) => name === "state")
          .schema.enum.shift(),
      [expect.stringContaining('parameters lost {"name":"state"')]
    ],
    [
      "a response that goes",
      ({ paths }) => delete paths["/signals/leads/{id}"].get.responses[404],
      ["/operations/GET /signals/leads/{id}/responses/404 is gone"]
    ],
    [
      "a response header that goes",
      ({ paths }) => delete paths["/signals/leads"].get.responses[429].headers["Retry-After"],
      ['/operations/GET /signals/leads/responses/429/headers lost "Retry-After"']
    ],
    [
      "a media type that goes",
      ({ paths }) =>
        delete paths["/operator/brands/{brandId}/observations"].post.responses[200].content[
          "application/x-ndjson"
        ],
      [
        "/operations/POST /operator/brands/{brandId}/observations/responses/200/content/application/x-ndjson is gone"
      ]
    ],
    [
      "another kind of access",
      ({ paths }) => (paths["/signals/leads"].get.security = [{ operatorToken: [] }]),
      [
        '/operations/GET /signals/leads/security lost {"apiKey":[]}',
        '/operations/GET /signals/leads/security lost {"session":[]}'
      ]
    ],
    [
      "a parameter that is demanded",
      ({ paths }) =>
        paths["/signals/leads"].get.parameters.push({
          name: "brandId",
          in: "query",
          required: true,
          schema: { type: "string" }
        }),
      ["GET /signals/leads now needs brandId"]
    ],
    [
      "a field of a body that is demanded",
      ({ paths }) => bodyOf(paths[brands].post)["schema"].required.push("owner"),
      [`POST ${brands} now needs owner`]
    ],
    [
      "a field within a body that is demanded",
      ({ components }) => components.schemas.Observation.properties.person.required.push("headline"),
      ["POST /operator/brands/{brandId}/observations now needs observations[].person.headline"]
    ],
    [
      "a body that is demanded where there was none",
      ({ paths }) =>
        (paths["/operator/brands/{brandId}/webhooks/{id}/test"].post.requestBody = {
          content: {
            "application/json": { schema: { type: "object", required: ["event"], properties: { event: {} } } }
          }
        }),
      ["POST /operator/brands/{brandId}/webhooks/{id}/test now needs event"]
    ]
  ])("notices %s [VER-1]", (_what, breakIt, found) => {
    const broken = JSON.parse(JSON.stringify(openApi())) as Json
    breakIt(broken)
    expect(incompatibilities(now(), baselineOf(broken))).toEqual(found)
  })

  it("lets an operation, a field, a parameter and wording come or change [VER-1]", () => {
    const more = JSON.parse(JSON.stringify(openApi())) as Json
    more["paths"]["/signals/people"] = structuredClone(more["paths"]["/signals/leads"])
    more["components"].schemas.Lead.properties.pronouns = { type: "string" }
    more["components"].schemas.Lead.description = "Somebody"
    more["paths"]["/signals/leads"].get.parameters.push({
      name: "city",
      in: "query",
      schema: { type: "string" }
    })
    expect(incompatibilities(now(), baselineOf(more))).toEqual([])
  })
})
