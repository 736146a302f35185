/** Series as the command line prints them, and what is held about a person. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, describe, expect, it } from "vitest"
import { runCommand } from "../harness/CommandRun.ts"

const hostile = "t\u202e\u009b5m"
const starts = ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"]
const series = (...groups: ReadonlyArray<string | null>) => ({
  starts,
  series: groups.map((group, at) => ({ group, counts: [at * 10 + 1, at * 10 + 2] })),
  rest: [8, 9]
})
const person = { lead: { name: "\u200fAda\u2028\u0085" }, engagements: [] }

const server = createServer(({ url = "" }, response) => {
  const data = url.includes("/export")
    ? person
    : url.includes("by=signal")
      ? series("12", "7", null)
      : series("start", "__proto__", hostile)
  response.end(JSON.stringify({ data }))
}).listen(0, "127.0.0.1")
await once(server, "listening")
afterAll(() => server.close())
const at = ["--brand", "1", "--url", `http://127.0.0.1:${(server.address() as AddressInfo).port}`]

const grouped = async (group: string, output: string): Promise<string> => {
  const counted = group === "signal" ? "leads" : "engagements"
  const { code, out } = await runCommand(["series", counted, "--group", group, "--output", output, ...at])
  expect(code).toBe(0)
  return out
}

describe("a series by groups", () => {
  it("has its intervals first and each group in its place, in every form [CLI-10]", async () => {
    const table = (await grouped("signal", "table")).split("\n").map((line) => line.split(/ {2,}/))
    expect(table.slice(0, 2)).toEqual([
      ["start", "12", "7", "none", "rest"],
      [starts[0], "1", "11", "21", "8"]
    ])
    expect(await grouped("signal", "csv")).toBe(
      `start,12,7,none,rest\r\n${starts[0]},1,11,21,8\r\n${starts[1]},2,12,22,9\r\n`
    )
    expect(
      (await grouped("signal", "jsonl"))
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    ).toEqual([
      { start: starts[0], 12: 1, 7: 11, none: 21, rest: 8 },
      { start: starts[1], 12: 2, 7: 12, none: 22, rest: 9 }
    ])
  })

  it("has a column for a type of any name, of which none steers a terminal [CLI-9]", async () => {
    const [head, first] = (await grouped("type", "table")).split("\n").map((line) => line.split(/ {2,}/))
    expect(head).toEqual(["start", "start", "__proto__", "t 5m", "rest"])
    expect(first).toEqual([starts[0], "1", "11", "21", "8"])
  })
})

describe("what is held about a person", () => {
  it("is the same as JSON in lines, with every character of it [CLI-9]", async () => {
    const { out } = await runCommand(["leads", "data", "1", ...at])
    expect(out).toContain('\n  "lead": {\n')
    expect(out).not.toMatch(/[\u200f\u2028\u0085]/)
    expect(JSON.parse(out)).toEqual(person)
  })
})
