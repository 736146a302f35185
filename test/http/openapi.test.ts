import { eventDocuments, openApi } from "@lead-signals/http"
import { request } from "node:http"
import { beforeAll, describe, expect, it } from "vitest"
import { type Api, startApi } from "../harness/HttpServers.ts"

type Json = Record<string, any>

const schemas = openApi().components.schemas as Json

let api: Api

beforeAll(async () => {
  api = await startApi()
})

describe("the OpenAPI document", () => {
  it("is 3.1, served to everyone, and names every operation [DOC-1]", async () => {
    const { body, status } = await api.call("/openapi.json")
    expect([status, body.openapi]).toEqual([200, "3.1.0"])
    expect(Object.keys(body.paths)).toEqual(
      expect.arrayContaining([
        "/signals/leads",
        "/signals/leads/{id}",
        "/signal-leads",
        "/campaign/{id}/metrics",
        "/health",
        "/operator/brands"
      ])
    )
    expect(body.components.securitySchemes.apiKey).toMatchObject({
      type: "http",
      scheme: "bearer",
      bearerFormat: "API Key"
    })
  })

  it("names its schemas as OpenAPI allows, and leaves none of the library's own in [DOC-1]", () => {
    for (const name of Object.keys(schemas)) expect(name).toMatch(/^[A-Za-z0-9._-]+$/)
    expect(JSON.stringify(openApi())).not.toContain("HttpApiDecodeError")
  })

  it("has no empty description, and a code as the example of each error [DOC-1]", () => {
    const empty: Array<string> = []
    const look = (path: string, value: unknown): void => {
      if (typeof value !== "object" || value === null) return
      for (const [key, inner] of Object.entries(value)) {
        if (key === "description" && inner === "") empty.push(`${path}/${key}`)
        look(`${path}/${key}`, inner)
      }
    }
    look("", openApi())
    expect(empty).toEqual([])
    const codes = Object.entries(schemas).flatMap(([name, { properties }]: readonly [string, Json]) => {
      const code = properties?.["error"]?.properties?.code
      return code?.examples === undefined ? [] : code.examples.map((example: string) => [name, example])
    })
    expect(codes.length).toBeGreaterThan(0)
    for (const [name, code] of codes) expect([name, code]).toEqual([name, expect.stringMatching(/^[a-z_]+$/)])
  })

  it("marks every field that holds personal data, and the flags, ids and times not [PII-1]", () => {
    const marked = (schema: string): Array<string> =>
      Object.entries(schemas[schema].properties as Json)
        .filter(([, field]) => field["x-pii"] === true)
        .map(([name]) => name)
    const ofPerson = ["extId", "name", "headline", "username", "title1", "liProfileUrl", "profileImgUrl"]
    expect(marked("Lead")).toEqual(ofPerson)
    expect(marked("LeadDetail")).toEqual(ofPerson)
    expect(marked("LeadCompany")).toEqual(["id", "name", "domain"])
    expect(marked("Company")).toEqual(Object.keys(schemas["Company"].properties))
    expect(marked("PostAuthorDetail")).toEqual([
      "name",
      "firstName",
      "lastName",
      "headline",
      "username",
      "linkedinProfileUrl",
      "profileImageUrl"
    ])
    expect(marked("Engagement")).toEqual(["commentText", "postUrl", "postContent", "postAuthor"])
    expect(marked("Source")).toEqual(["value"])
    const { engagement, person } = schemas["Observation"].properties
    const markedIn = ({ properties }: Json): Array<string> =>
      Object.entries<Json>(properties)
        .filter(([, field]) => field["x-pii"] === true)
        .map(([name]) => name)
    expect(markedIn(person)).toEqual(ofPerson)
    const [company] = person.properties.company.anyOf
    expect(markedIn(company)).toEqual(Object.keys(company.properties))
    expect(markedIn(engagement)).toEqual(["commentText", "postUrl", "postContent", "postAuthor"])
    expect(markedIn(engagement.properties.postAuthorDetail.anyOf[0])).toContain("linkedinProfileUrl")
    const { parameters } = (openApi().paths as Json)["/signals/leads"].get
    const ofSearch = parameters.find(({ name }: Json) => name === "search")
    expect(ofSearch.schema["x-pii"]).toBe(true)
  })

  it("says of each answer which headers it has [RATE-2, ERR-4]", () => {
    const { responses } = (openApi().paths as Json)["/signals/leads"].get
    expect(Object.keys(responses).sort()).toEqual([
      "200",
      "400",
      "401",
      "403",
      "405",
      "429",
      "431",
      "500",
      "503"
    ])
    expect(Object.keys(responses[200].headers)).toEqual([
      "X-Request-Id",
      "X-RateLimit-Limit",
      "X-RateLimit-Remaining",
      "X-RateLimit-Reset"
    ])
    expect(Object.keys(responses[429].headers)).toContain("Retry-After")
  })

  it("has no example on an optional parameter, which a page would fill in, and is about where it is served [DOC-2]", () => {
    const document = JSON.parse(JSON.stringify(openApi())) as Json
    expect(
      document["servers"].map(({ url }: Json) => new URL(url, "https://a.example/b/openapi.json").href)
    ).toEqual(["https://a.example/b/"])
    const filled = Object.entries<Json>(document["paths"]).flatMap(([path, item]) =>
      Object.values<Json>(item).flatMap(({ parameters = [] }) =>
        parameters
          .filter(
            (each: Json) =>
              each["in"] === "query" &&
              ("example" in each || "examples" in each || "examples" in each["schema"])
          )
          .map(({ name }: Json) => `${path} ${name}`)
      )
    )
    expect(filled).toEqual([])
  })

  it("calls the older paths deprecated, and no other [LIST-9]", () => {
    const deprecated = Object.entries<Json>(openApi().paths as Json)
      .filter(([, item]) => item["get"]?.deprecated === true)
      .map(([path]) => path)
    expect(deprecated).toEqual(["/signal-leads", "/signal-leads/{id}"])
  })

  it("lists the code of every error with its status, the operator's too [ERR-2]", () => {
    const { description } = openApi().info
    const listed = [...description!.matchAll(/([a-z_]+) \((\d{3})\)/g)].map(([, code, status]) => [
      status,
      code
    ])
    expect(listed).toEqual([
      ["400", "invalid_parameter"],
      ["401", "invalid_api_key"],
      ["401", "invalid_credential"],
      ["401", "invalid_operator_token"],
      ["403", "forbidden"],
      ["404", "not_found"],
      ["405", "method_not_allowed"],
      ["408", "request_timeout"],
      ["409", "idempotency_answer_lost"],
      ["409", "idempotency_key_in_use"],
      ["410", "cursor_expired"],
      ["413", "payload_too_large"],
      ["415", "unsupported_media_type"],
      ["422", "idempotency_key_reused"],
      ["429", "rate_limit_exceeded"],
      ["429", "too_many_idempotency_keys"],
      ["431", "too_many_headers"],
      ["500", "internal_error"],
      ["503", "unavailable"]
    ])
    const { responses } = (openApi().paths as Json)["/operator/brands/{brandId}/observations"].post
    expect(Object.keys(responses)).toContain("408")
  })

  it("is shown at /docs by a page that loads nothing from elsewhere, in any folder [DOC-1]", async () => {
    const { headers, status, text } = await api.call("/docs")
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
    const policy = headers.get("content-security-policy")!
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).not.toMatch(/https?:|unsafe-eval|\*/)
    expect(text).not.toMatch(/<script>|\son[a-z]+=/)
    const linked = Array.from(text.matchAll(/\b(?:src|href)="([^"]*)"/g), ([, url]) => url!)
    expect(linked.map((url) => url.replace(/\?.*/, "")).sort()).toEqual([
      "docs/swagger-ui.css",
      "docs/swagger-ui.js",
      "favicon.ico",
      "openapi.json"
    ])
    const types: Record<string, string> = {
      css: "text/css",
      js: "text/javascript",
      ico: "image/svg+xml",
      json: "application/json"
    }
    for (const url of linked) {
      const answer = await api.call(`/${url}`)
      const type = types[/\.([a-z]+)(?:\?|$)/.exec(url)![1]!]!
      expect([url, answer.status, answer.headers.get("content-type")]).toEqual([
        url,
        200,
        expect.stringContaining(type)
      ])
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
    }
    const script = (await api.call("/docs/swagger-ui.js")).text
    expect(
      script
        .trimEnd()
        .endsWith('SwaggerUIBundle({ url: "openapi.json", dom_id: "#swagger-ui", validatorUrl: null })')
    ).toBe(true)
  })

  it("is kept by caches as long as it is the same, and sent compressed to who takes that [DOC-3]", async () => {
    const sizeOf = async (path: string, encoding: string, etag?: string) => {
      const headers = {
        "accept-encoding": encoding,
        ...(etag === undefined ? {} : { "if-none-match": etag })
      }
      return new Promise<{ status: number; headers: Json; bytes: number }>((resolve, reject) => {
        request(`${api.url}${path}`, { headers }, (response) => {
          let bytes = 0
          response.on("data", (chunk: Buffer) => (bytes += chunk.length))
          response.on("end", () =>
            resolve({ status: response.statusCode!, headers: response.headers, bytes })
          )
        })
          .on("error", reject)
          .end()
      })
    }
    for (const [path, caching] of [
      ["/docs", "no-cache"],
      ["/openapi.json", "no-cache"],
      ["/events/lead2.created.data.json", "no-cache"],
      ["/favicon.ico", "no-cache"],
      ["/docs/swagger-ui.css", "public, max-age=31536000, immutable"],
      ["/docs/swagger-ui.js", "public, max-age=31536000, immutable"]
    ] as const) {
      const plain = await sizeOf(path, "identity")
      const small = await sizeOf(path, "br, gzip;q=0.8")
      const refused = await sizeOf(path, "gzip;q=0")
      expect([path, plain.headers["cache-control"], plain.headers["vary"]]).toEqual([
        path,
        caching,
        "Accept-Encoding"
      ])
      expect([refused.bytes, refused.headers["content-encoding"]]).toEqual([plain.bytes, undefined])
      expect(small.headers["content-encoding"]).toBe("gzip")
      if (plain.bytes > 10_000) expect(small.bytes).toBeLessThan(plain.bytes / 2)
      expect(small.headers["etag"]).not.toBe(plain.headers["etag"])
      for (const { headers } of [plain, small]) {
        const encoding = String(headers["content-encoding"] ?? "identity")
        const again = await sizeOf(path, encoding, `"other", W/${headers["etag"]}`)
        expect([path, again.status, again.bytes]).toEqual([path, 304, 0])
        expect((await sizeOf(path, encoding, "*")).status).toBe(304)
        expect((await sizeOf(path, encoding, '"other"')).status).toBe(200)
      }
    }
    // No cache may keep personal data, as ever.
    expect((await api.call("/signals/leads")).headers.get("cache-control")).toBe("no-store")
  })

  it("has the schemas of events beside it, each as a document of its own [FMT-4]", async () => {
    for (const [name, document] of Object.entries(eventDocuments(openApi()))) {
      const { headers, status, text } = await api.call(`/events/${name}`)
      expect([name, status, headers.get("content-type")]).toEqual([name, 200, "application/schema+json"])
      expect(JSON.parse(text)).toEqual(document)
    }
    expect((await api.call("/events/lead3.created.json")).status).toBe(404)
    expect((await api.call("/events/lead2.created.json", { method: "POST" })).status).toBe(405)
  })

  it("is where / leads [DOC-1]", async () => {
    const answer = await fetch(`${api.url}/`, { redirect: "manual" })
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "docs"])
    expect(await answer.text()).toContain("openapi.json")
    expect((await fetch(`${api.url}/`)).url).toBe(`${api.url}/docs`)
  })
})
