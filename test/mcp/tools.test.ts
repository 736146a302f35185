/** The tools: that their words, arguments and answers are those of the API, and how a call is made of arguments. */
import { openApi } from "@lead-signals/http"
import { type BoundTool, boundTools, definitionOf, tools } from "@lead-signals/mcp"
import {
  callOf,
  inShort,
  InvalidArgument,
  maxAnswerLength,
  resultOf,
  visibleJson
} from "@lead-signals/mcp/internal"
import Ajv2020 from "ajv/dist/2020.js"
import * as fc from "fast-check"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { root } from "../harness/ServerProcess.ts"

const byName = (name: string, kind: BoundTool["kind"]): BoundTool =>
  boundTools().find((bound) => bound.tool.name === name && bound.kind === kind)!

const search = byName("search_leads", "key")

describe("each tool", () => {
  it("has every operation that the table names, and says what it does, costs, needs and fails with [MCP-4]", () => {
    expect(boundTools().length).toBe(
      tools.reduce((n, { asKey, asOperator }) => n + Number(asKey !== null) + Number(asOperator !== null), 0)
    )
    for (const bound of boundTools()) {
      const { annotations, description } = definitionOf(bound)
      expect(description).toContain(bound.tool.does)
      expect(description).toContain(bound.tool.limits)
      expect(description).toContain(
        bound.kind === "key" ? "one request of the key's rate window" : "no request of any key"
      )
      expect(description).toContain(`with the scope ${bound.scope}`)
      expect(bound.errorCodes).toContain(
        bound.kind === "key" ? "rate_limit_exceeded" : "invalid_operator_token"
      )
      for (const code of bound.errorCodes) expect(description).toContain(code)
      expect(annotations?.readOnlyHint).toBe(bound.method === "GET")
      expect(annotations?.destructiveHint).toBe(bound.method === "GET" ? undefined : false)
    }
  })

  it("takes the parameters of its operation, with the same words and schemas [MCP-4]", () => {
    const declared = openApi().paths["/signals/leads"]!.get!.parameters!
    const { properties, required } = definitionOf(search).inputSchema as unknown as {
      properties: Record<string, { description: string; type: string }>
      required: ReadonlyArray<string>
    }
    expect(Object.keys(properties)).toEqual(declared.map(({ name }) => name))
    for (const { description, name, schema } of declared as ReadonlyArray<any>) {
      const { maximum, ...rest } = schema
      expect([undefined, Number.MAX_SAFE_INTEGER]).toContain(maximum)
      // The forms of a time are said once.
      const words = /^(createdBefore|updated)/.test(name)
        ? `${description.split(". ")[0]}; written as createdAfter`
        : description
      expect(properties[name]).toEqual({ ...rest, description: words })
    }
    expect(required).toEqual([])
    const changes = definitionOf(byName("list_changes", "key")).inputSchema.properties as any
    expect([Object.keys(changes), changes.pageSize.default]).toEqual([
      ["cursor", "pageSize", "includeEngagements", "includeEngagementDetail"],
      25
    ])
    const mark = definitionOf(byName("mark_lead", "operator")).inputSchema
    expect([Object.keys(mark.properties!), mark.required]).toEqual([
      ["brandId", "id", "qualified", "exported"],
      ["brandId", "id"]
    ])
    const resend = definitionOf(byName("resend_lead", "operator")).inputSchema
    expect([Object.keys(resend.properties!), resend.required]).toEqual([
      ["brandId", "id", "idempotencyKey", "webhookId", "event"],
      ["brandId", "id", "webhookId", "event"]
    ])
  })

  it("has schemas that stand alone, without examples, and mark personal data where the API does [MCP-7]", () => {
    const ajv = new Ajv2020.default({ strict: false, validateFormats: false })
    for (const bound of boundTools()) {
      const { _meta, inputSchema, outputSchema } = definitionOf(bound)
      expect(() => [ajv.compile(inputSchema as object), ajv.compile(outputSchema as object)]).not.toThrow()
      const text = JSON.stringify(outputSchema)
      expect(text).not.toMatch(/"examples"|"required"|"additionalProperties"|"pattern"|#\/components/)
      for (const name of Object.keys((outputSchema as any).$defs ?? {}))
        expect(text).toContain(`{"$ref":"#/$defs/${name}"}`)
      expect(_meta?.["lead-signals/personal-data"]).toBe(text.includes('"x-pii":true'))
    }
    const personal = boundTools().filter(({ holdsPersonalData }) => holdsPersonalData)
    expect([...new Set(personal.map(({ tool }) => tool.name))]).toEqual([
      "search_leads",
      "get_lead",
      "leads_changed_since",
      "list_changes",
      "list_signals",
      "get_campaign_series",
      "mark_lead"
    ])
  })

  it("takes little of a model's context: all of a credential's tools are a few kilobytes [MCP-13]", () => {
    const sizeOf = (kind: BoundTool["kind"], scopes: ReadonlyArray<string>): number =>
      JSON.stringify(
        boundTools()
          .filter((bound) => bound.kind === kind && scopes.includes(bound.scope!))
          .map(definitionOf)
      ).length
    expect(sizeOf("key", ["leads", "metrics"])).toBeLessThan(20_000)
    expect(sizeOf("operator", ["read"])).toBeLessThan(24_000)
    expect(sizeOf("operator", ["read", "ingest", "webhooks"])).toBeLessThan(28_000)
  })

  it("shows each schema of an answer in one of the tools, and elsewhere by that tool's name [MCP-13, MCP-7]", () => {
    const { data } = definitionOf(byName("leads_changed_since", "key")).outputSchema!.properties as any
    expect(data.items).toEqual({ type: "object", "x-pii": true, description: "As in search_leads" })
    const { Lead } = definitionOf(search).outputSchema!["$defs"] as any
    expect(Lead.properties.name).toEqual({ type: "string", "x-pii": true })
    expect(Lead.properties.engagements.items.description).toBe("As in get_lead")
    const detail = definitionOf(byName("get_lead", "key")).outputSchema!["$defs"] as any
    expect(detail.Engagement.properties.commentText).toEqual({ type: ["string", "null"], "x-pii": true })
    // A company has a field of that name.
    expect(detail.Company.properties.description).toEqual({ type: ["string", "null"], "x-pii": true })
    for (const { name, describedBy } of tools) {
      for (const [schema, other] of Object.entries(describedBy ?? {})) {
        const shower = definitionOf(boundTools().find(({ tool }) => tool.name === other)!)
        expect([name, (shower.outputSchema!["$defs"] as any)[schema]?.type]).toEqual([name, "object"])
      }
    }
  })

  it("is shortened with the marks of what it refers to, also where schemas refer to each other [MCP-13, MCP-7]", () => {
    const post = { type: "object", properties: { author: { $ref: "#/$defs/Author" } } }
    const author = {
      type: "object",
      properties: { posts: { $ref: "#/$defs/Post" }, name: { "x-pii": true } }
    }
    const schema = { $ref: "#/$defs/Post", $defs: { Post: post, Author: author } }
    expect(inShort(schema, {})).toEqual(schema)
    expect(inShort(schema, { Post: "other" })).toEqual({
      type: "object",
      "x-pii": true,
      description: "As in other"
    })
    const plain = { ...author, properties: { posts: { $ref: "#/$defs/Post" } } }
    expect(inShort({ ...schema, $defs: { Post: post, Author: plain } }, { Post: "other" })).toEqual({
      type: "object",
      description: "As in other"
    })
  })

  it("is in the table of the guide, with the credential that it needs [MCP-4]", () => {
    const guide = readFileSync(join(root, "docs/mcp.md"), "utf8")
    const rows = Array.from(
      guide.matchAll(/^\| `([a-z_]+)` +\| ([^|]*?) +\| ([^|]*?) +\|/gm),
      ([, ...cells]) => cells
    )
    const scopeOf = (name: string, kind: BoundTool["kind"]) => {
      const found = byName(name, kind)
      return found === undefined ? "–" : `\`${found.scope}\``
    }
    expect(rows).toEqual(tools.map(({ name }) => [name, scopeOf(name, "key"), scopeOf(name, "operator")]))
  })
})

describe("the call that arguments make", () => {
  it("goes to the operation's path and nowhere else, whatever they are [MCP-5]", () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom(".", "..", "../..", "a/b", "%2e%2e", "?x", "#", "é", "\ud800")
    )
    const leadsTo = ({ path }: BoundTool, target: string): ReadonlyArray<string> | undefined => {
      const { hash, origin, pathname } = new URL(`http://localhost${target}`)
      if (origin !== "http://localhost" || hash !== "") return undefined
      const pattern = new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "([^/]+)")}$`)
      return pattern.exec(pathname)?.slice(1).map(decodeURIComponent)
    }
    const operators = ["search_leads", "get_lead", "mark_lead", "resend_lead"].map((name) =>
      byName(name, "operator")
    )
    let sent = 0
    fc.assert(
      fc.property(text, text, text, fc.constantFrom(...operators), (brandId, id, value, bound) => {
        const given = Object.fromEntries(
          bound.arguments.map((each) => [each.name, { brandId, id }[each.name] ?? value])
        )
        try {
          const { target } = callOf(bound, given)
          sent++
          return (
            JSON.stringify(leadsTo(bound, target)) ===
            JSON.stringify(bound.path.includes("{id}") ? [brandId, id] : [brandId])
          )
        } catch (failure) {
          return failure instanceof InvalidArgument
        }
      })
    )
    expect(sent).toBeGreaterThan(10)
  })

  it("leaves out what is null, and has what the tool sets [MCP-5]", () => {
    const changed = byName("leads_changed_since", "key")
    expect(callOf(changed, { updatedAfter: "2026-01-01", page: null, pageSize: 2 })).toEqual({
      method: "GET",
      target: "/signals/leads?pageSize=2&updatedAfter=2026-01-01&sort=updatedAt%3Aasc",
      headers: {}
    })
    expect(() => callOf(changed, { updatedAfter: "2026-01-01", sort: "name:asc" })).toThrow(
      '"sort" is unknown'
    )
    const { target } = callOf(byName("list_changes", "key"), { cursor: "c" })
    expect(target).toBe("/signals/changes?pageSize=25&cursor=c")
    expect(callOf(byName("list_changes", "key"), { pageSize: 3 }).target).toBe("/signals/changes?pageSize=3")
    const idempotencyKey = "8e03978e-40d5-43dd-bc93-6894a57f9324"
    const resend = { brandId: 1, id: 41, webhookId: "1", event: "lead2.created", idempotencyKey }
    expect(callOf(byName("resend_lead", "operator"), resend)).toEqual({
      method: "POST",
      target: "/operator/brands/1/leads/41/resend",
      headers: { "idempotency-key": idempotencyKey },
      body: '{"webhookId":"1","event":"lead2.created"}'
    })
    expect(callOf(search, { search: "x".repeat(4096) }).target).toHaveLength(4096 + 22)
    expect(
      callOf(byName("resend_lead", "operator"), { ...resend, idempotencyKey: "k".repeat(255) }).headers
    ).toEqual({ "idempotency-key": "k".repeat(255) })
    expect(() =>
      callOf(byName("resend_lead", "operator"), { ...resend, idempotencyKey: "k".repeat(256) })
    ).toThrow("idempotencyKey takes 1 to 255")
    const hostile = { ...resend, idempotencyKey: "a\r\nauthorization: Bearer x" }
    expect(() => callOf(byName("resend_lead", "operator"), hostile)).toThrow("idempotencyKey takes 1 to 255")
  })
})

describe("the answer of a tool", () => {
  it("parses to what the API answered, and shows every character [MCP-6]", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = visibleJson(value)
        return (
          JSON.stringify(JSON.parse(text)) === JSON.stringify(value) && !/[\p{Cf}\p{Co}\p{Cn}]/u.test(text)
        )
      })
    )
    expect(visibleJson("a\u200b\u{e0041}\ue000")).toBe('"a\\u200b\\udb40\\udc41\\ue000"')
    // Selectors of variants can spell a whole text behind one character, and fillers are letters without a form.
    expect(visibleJson("a\u{e0158}\ufe0f\u3164\u034f")).toBe('"a\\udb40\\udd58\\ufe0f\\u3164\\u034f"')
  })

  it("has a bound, and is an error where the server is another [MCP-8]", () => {
    const codeOf = (status: number, body: string) => {
      const { content, isError } = resultOf(search, { status, retryAfterSeconds: null, body })
      return [isError, JSON.parse((content[0] as { text: string }).text).error?.code]
    }
    const ofLength = (length: number) => `{"data":"${"x".repeat(length - 11)}"}`
    expect(codeOf(200, ofLength(maxAnswerLength))).toEqual([undefined, undefined])
    expect(codeOf(200, ofLength(maxAnswerLength + 1))).toEqual([true, "answer_too_large"])
    expect(codeOf(200, "<html>")).toEqual([true, "unexpected_answer"])
    expect(codeOf(200, "[]")).toEqual([true, "unexpected_answer"])
    expect(codeOf(302, "")).toEqual([true, "unexpected_answer"])
    expect(codeOf(502, "<html>Bad gateway")).toEqual([true, "unexpected_answer"])
    expect(codeOf(404, '{"error":{"code":"not_found","message":"There is no such lead."}}')).toEqual([
      true,
      "not_found"
    ])
  })
})
