/** Every operator endpoint, with its parameters and fields, is reached by a command; and every such command is tried here. */
import type { Node } from "@lead-signals/command-line"
import { openApi } from "@lead-signals/http"
import { program, typedNames } from "@lead-signals/server/internal"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { runCommand, startCommand, startOperatedServer } from "../harness/CommandRun.ts"
import { recordingProxy, type RecordingProxy } from "../harness/RecordingProxy.ts"
import { endServersAfterTests } from "../harness/ServerProcess.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const folder = temporaryFolder()
let proxy: RecordingProxy

endServersAfterTests()
beforeAll(async () => {
  const server = await startOperatedServer(join(folder, "reach.sqlite"))
  proxy = await recordingProxy(() => server.url)
})

/** Groups whose calls are no operator's, each with the reason why no command makes them. */
const otherGroups: Readonly<Record<string, string>> = {
  session: "a browser's sign-in; a command bears its token",
  "Leads and metrics":
    "calls of a brand's key: `leads` and `campaigns` have the same by the operator's token",
  Health: "for load balancers, without a token"
}

/** Calls, parameters and fields of operators that no command sends, each with the reason. */
const unreached: Readonly<Record<string, string>> = {
  "listAudit ?cursor": "`audit` sends it by itself, for entries past the first hundred"
}

/** Fields that no refusal of a command names by an option, each with the reason. */
const untyped: Readonly<Record<string, string>> = {
  url: "`webhooks create` and `edit` give their own name",
  observations: "a line of the file that `import` sends",
  unknownFields: "`import` sends what the service takes, by --strict"
}

interface Operation {
  readonly group: string
  readonly name: string
  readonly method: string
  readonly path: RegExp
  readonly query: ReadonlyArray<string>
  readonly fields: ReadonlyArray<string>
}

const document: any = openApi()
const resolved = (schema: any): any =>
  schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split("/").at(-1)]

/** The fields of a body, those of objects in it with a dot; of a company and other free parts only their own name. */
const fieldsOf = (schema: any, at = ""): ReadonlyArray<string> => {
  const properties = resolved(schema)?.properties
  if (properties === undefined) return []
  return Object.entries(properties).flatMap(([name, field]) => {
    const own = `${at}${name}`
    return name === "source" ? fieldsOf(field, `${own}.`) : [own]
  })
}

const operations: ReadonlyArray<Operation> = Object.entries<any>(document.paths).flatMap(([path, methods]) =>
  Object.entries<any>(methods).map(([method, operation]) => ({
    group: operation.operationId.includes(".") ? operation.operationId.split(".")[0] : operation.tags[0],
    name: operation.operationId.split(".").at(-1),
    method: method.toUpperCase(),
    path: new RegExp(`^${path.replace(/\{[^}]+\}/g, "[^/]+")}$`),
    query: (operation.parameters ?? [])
      .filter((each: any) => each.in === "query")
      .map(({ name }: any) => name),
    fields: fieldsOf(operation.requestBody?.content?.["application/json"]?.schema)
  }))
)
const ofOperators = operations.filter(({ group }) => ["operator", "webhooks"].includes(group))

const has = (body: any, field: string): boolean =>
  field.split(".").reduce((value, name) => (value === null ? undefined : value?.[name]), body) !== undefined

/** The leaves that call a server, by their words. */
const callingLeaves = (node: Node, path: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  if (node.children.length > 0)
    return node.children.flatMap((child) => callingLeaves(child, [...path, child.name]))
  return JSON.stringify(node.command.descriptor).includes('"name":"token"') ? [path.join(" ")] : []
}

describe("the commands", () => {
  it("reach every operator endpoint with each of its parameters and fields [CLI-15]", async () => {
    const tried = new Set<string>()
    const leaves = callingLeaves(program.root)
    const run = async (...args: ReadonlyArray<string>): Promise<any> => {
      tried.add(leaves.find((leaf) => `${args.join(" ")} `.startsWith(`${leaf} `))!)
      const isFile = args.includes("--out")
      const { code, err, out } = await runCommand([
        ...args,
        ...(isFile ? [] : ["--json"]),
        "--url",
        proxy.url
      ])
      if (code !== 0) throw new Error(`${args.join(" ")}: ${code} ${err}${out}`)
      return isFile ? null : JSON.parse(out)
    }
    const { brand, signal } = await run(
      "brands",
      "create",
      "Mine",
      "--key",
      "crm",
      "--watch",
      "https://network.example/c"
    )
    const of = ["--brand", brand.id]
    const span = ["--start", "2026-01-01", "--end", "2026-01-02", "--by", "day"]
    await run("brands", "rename", brand.id, "Ours")
    await run("brands", "list")
    const limits = [
      "--requests-per-minute",
      "9",
      "--scopes",
      "leads",
      "--expires",
      "2100-01-01",
      "--allow",
      "::1"
    ]
    const key = await run("keys", "create", "erp", ...of, ...limits)
    await run("keys", "list", ...of)
    await run("keys", "revoke", key.id, ...of)
    const mention = ["--type", "li-company-mention", "--value", "rival", "--company-id", "7"]
    const other = await run(
      "signals",
      "create",
      "M",
      ...mention,
      "--company",
      '{"id":12,"name":"N"}',
      "--signal-type",
      "t",
      ...of
    )
    expect(other.source).toMatchObject({ liCompanyId: "7", company: { name: "N" } })
    await run("signals", "rename", other.id, "R", ...of)
    await run("signals", "list", ...of)
    await run("signals", "delete", other.id, ...of)
    const file = join(folder, "one.jsonl")
    const seen = { signalId: signal.id, person: { extId: "p", name: "Ada" }, engagement: { id: "e" } }
    writeFileSync(file, `${JSON.stringify(seen)}\n`)
    await run("import", file, ...of)
    const settings = [
      "--description",
      "To the CRM",
      "--enabled",
      "true",
      "--ordering",
      "lead",
      "--max-delay",
      "60",
      "--format",
      "cloudevents",
      "--max-batch",
      "5",
      "--max-wait",
      "1"
    ]
    const webhook = await run(
      "webhooks",
      "create",
      "http://127.0.0.1:9/",
      ...of,
      "--events",
      "lead2.created, activity.detected",
      ...settings
    )
    await run("webhooks", "list", ...of)
    await run("webhooks", "show", webhook.id, ...of)
    await run(
      "webhooks",
      "edit",
      webhook.id,
      "--to",
      "http://127.0.0.1:9/x",
      "--events",
      "lead2.created",
      ...settings,
      ...of
    )
    const longest = await run("webhooks", "edit", webhook.id, "--max-delay", "none", ...of)
    expect(longest).toMatchObject({ ordering: "lead", maxDelay: null, format: "cloudevents", maxBatch: 5 })
    await run("webhooks", "disable", webhook.id, ...of)
    await run("webhooks", "enable", webhook.id, ...of)
    const { leadId } = await run("trigger", "lead2.created", ...of)
    const { deliveryId } = await run("webhooks", "test", webhook.id, ...of)
    await run("webhooks", "show", webhook.id, deliveryId, ...of)
    await run(
      "webhooks",
      "deliveries",
      webhook.id,
      ...of,
      "--state",
      "pending",
      "--page",
      "1",
      "--page-size",
      "5"
    )
    await run("webhooks", "resend", webhook.id, deliveryId, ...of)
    await run("webhooks", "recover", webhook.id, "--since", "2026-01-01", ...of)
    await run("webhooks", "rotate-secret", webhook.id, ...of)
    const lead = String(leadId)
    await run("leads", "resend", lead, "--webhook", webhook.id, "--event", "lead2.created", ...of)
    await run("webhooks", "delete", webhook.id, ...of)
    const times = ["created-after", "created-before", "updated-after", "updated-before"]
    const filter = [
      "--search",
      "a",
      "--signal",
      signal.id,
      "--qualified",
      "false",
      "--exported",
      "false",
      "--employee",
      "false",
      "--engagements",
      "--engagement-detail",
      ...times.flatMap((name) => [`--${name}`, name.endsWith("after") ? "2000-01-01" : "2100-01-01"])
    ]
    const listed = await run(
      "leads",
      "list",
      ...of,
      ...filter,
      "--sort",
      "score1:desc",
      "--page",
      "1",
      "--page-size",
      "5"
    )
    expect(listed.data.map(({ name }: any) => name)).toContain("Ada")
    await run("leads", "show", lead, ...of)
    const detail = ["--engagements", "--engagement-detail"]
    const changes = await run("leads", "changes", ...of, "--page-size", "1", ...detail)
    expect(changes.data[0]).toMatchObject({ type: "lead", lead: { name: "Ada" } })
    expect(changes.meta.hasMore).toBe(true)
    await run("leads", "changes", ...of, "--cursor", changes.meta.cursor)
    const amended = await run(
      "leads",
      "set",
      lead,
      "--qualified",
      "true",
      "--exported",
      "true",
      "--employee",
      "true",
      "--score",
      "-1.5",
      ...of
    )
    expect(amended).toMatchObject({ qualified: true, exported: true, isEmployee: true, score1: -1.5 })
    await run("leads", "export", ...of, "--out", join(folder, "leads.csv"))
    await run("leads", "data", lead, ...of)
    await run("leads", "erase", lead, "--confirm", lead, ...of)
    for (const [series, group] of [
      ["leads", "signal"],
      ["engagements", "type"]
    ] as const)
      await run("series", series, ...span, "--group", group, ...of)
    await run("series", "deliveries", ...span, ...of)
    await run("attention", ...of)
    const campaign = await run("campaigns", "create", "C", ...of)
    await run("campaigns", "list", ...of)
    await run("campaigns", "rename", campaign.id, "D", ...of)
    const figures = ["impressions", "reactions", "comments", "reposts"].flatMap((name) => [`--${name}`, "3"])
    await run("campaigns", "record", campaign.id, "post-1", "2026-01-01", ...figures, ...of)
    await run("campaigns", "posts", campaign.id, ...of)
    const totals = await run("campaigns", "metrics", campaign.id, ...span.slice(0, 4), ...of)
    expect(totals).toMatchObject({ campaignId: campaign.id, impressions: 3, snapshotDate: "2026-01-01" })
    const series = await run("campaigns", "series", campaign.id, ...span, "--post", "post-1", ...of)
    expect(series.points.at(-1)).toMatchObject({ impressions: 3 })
    await run("campaigns", "delete", campaign.id, ...of)
    const token = await run(
      "operators",
      "create",
      "t",
      "--scopes",
      "read",
      "--brands",
      brand.id,
      "--expires",
      "2100-01-01"
    )
    await run("operators", "list")
    await run("operators", "revoke", token.id)
    await run("audit", ...of, "--since", "2026-01-01", "--limit", "150")
    await run("metrics")
    for (const [words, connected] of [
      [["events", ...of], /Connected/],
      [["listen", ...of], /Listening/]
    ] as const) {
      tried.add(words[0])
      await new Promise<void>((resolve, reject) => {
        const { ended, interrupt } = startCommand([...words, "--url", proxy.url], {}, (text) => {
          if (connected.test(text)) interrupt()
        })
        ended.then(() => resolve(), reject)
      })
    }
    await run("brands", "delete", brand.id, "--confirm", "Ours")

    expect([...leaves].sort()).toEqual([...tried].sort())
    const missing = ofOperators.flatMap(({ fields, method, name, path, query }) => {
      const requests = proxy.requests.filter((each) => each.method === method && path.test(each.path))
      if (requests.length === 0) return [name]
      return [
        ...query
          .filter((each) => !requests.some((request) => request.query.includes(each)))
          .map((each) => `${name} ?${each}`),
        ...fields
          .filter((each) => !requests.some(({ body }) => has(body, each)))
          .map((each) => `${name} body.${each}`)
      ]
    })
    expect(
      missing.filter((each) => unreached[each] === undefined),
      "each needs a command or an option in packages/server/src/cli that this test runs, or its reason in `unreached`"
    ).toEqual([])
    const unnamed = ofOperators
      .flatMap(({ fields, query }) => [...fields, ...query])
      .filter((each) => typedNames[each] === undefined && untyped[each] === undefined)
    expect(
      unnamed,
      "each needs its option in TypedNames.ts, so that refusals name what people type [CLI-20]"
    ).toEqual([])
    // A reason for what is reached is out of date.
    expect(Object.keys(unreached).filter((each) => !missing.includes(each))).toEqual([])
    const groups = new Set(operations.map(({ group }) => group))
    expect([...groups].filter((group) => !["operator", "webhooks"].includes(group)).sort()).toEqual(
      Object.keys(otherGroups).sort()
    )
    expect(ofOperators.length).toBeGreaterThan(40)
  })
})
