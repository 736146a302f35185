/**
 * The session in docs/mcp.md: a client of the official package against the demo, as the built server serves it. With
 * `UPDATE_TRANSCRIPT=true` the test writes the page instead.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { bundledServer } from "../harness/BundledServer.ts"
import { connectMcp, textOf } from "../harness/McpClients.ts"
import { endServersAfterTests, root, startServer } from "../harness/ServerProcess.ts"

endServersAfterTests()

const page = join(root, "docs/mcp.md")
const block = /(?<=<!-- transcript -->\n\n```text\n)[\s\S]*?(?=\n```\n)/

/** The demo ends today: its times differ from day to day. */
const withoutTimes = (text: string): string =>
  text.replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, "2026-…Z").replaceAll(/\d{4}-\d{2}-\d{2}/g, "2026-…")

const maxLength = 600

const shown = (value: unknown): string => {
  const text = withoutTimes(typeof value === "string" ? value : JSON.stringify(value))
  return text.length > maxLength ? `${text.slice(0, maxLength)} …` : text
}

it("is the one in the guide [MCP-1, MCP-6]", async () => {
  const server = await startServer({ LEAD_SIGNALS_DATABASE: "memory" }, bundledServer)
  const key = /^Demo key +(lsk_\S+)/m.exec(server.out())![1]!
  const lines: Array<string> = []
  const client = await connectMcp(server.url, key)
  const { name, version } = client.getServerVersion()
  lines.push("→ connect", `← ${name}, of API ${version}`)
  const { tools } = await client.listTools()
  lines.push("→ tools/list", `← ${tools.map((tool) => tool.name).join(", ")}`)
  const call = async (tool: string, args: Record<string, unknown>) => {
    const result = await client.callTool({ name: tool, arguments: args })
    lines.push(`→ tools/call ${tool} ${shown(args)}`, `← ${shown(result.content[0].text)}`)
    return textOf(result)
  }
  const [signal] = (await call("list_signals", {})).data
  const found = await call("search_leads", {
    signalId: Number(signal.id),
    qualified: true,
    sort: "score1:desc",
    pageSize: 1
  })
  await call("get_lead", { id: found.data[0].id })
  await call("list_changes", { pageSize: 1 })
  const [campaign] = (await call("list_campaigns", {})).data
  await call("get_campaign_metrics", { id: campaign.id })
  await call("search_leads", { sort: "score" })
  await call("search_leads", { seniority: "head" })
  const uri = "lead-signals://specification/PAGE"
  const { contents } = await client.readResource({ uri })
  lines.push(`→ resources/read ${uri}`, `← ${shown(contents[0].text.split("\n\n").slice(0, 3).join(" "))}`)
  await client.close()
  const transcript = lines.join("\n")
  const text = readFileSync(page, "utf8")
  if (process.env["UPDATE_TRANSCRIPT"] === "true")
    writeFileSync(
      page,
      text.replace(block, () => transcript)
    )
  else expect(block.exec(text)?.[0]).toBe(transcript)
  expect(await server.end("SIGTERM")).toBe(0)
})
