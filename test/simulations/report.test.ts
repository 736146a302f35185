/** What reports say: the rule in a sentence, expected beside got, gaps in time, and what was planted. */
import { scenarioNamed, simulate, verdictPage, verifyStore } from "@lead-signals/simulations"
import { compareTexts, duration, explainedRules, Html, oracles } from "@lead-signals/simulations/internal"
import * as MemoryStore from "@lead-signals/store-memory"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const sources = fileURLToPath(new URL("../../simulations/src", import.meta.url))

const passed = simulate(scenarioNamed("erasure")!, 1, { hours: 0.1 })
const pageOf = (page: Partial<Html.Page>): string =>
  Html.page({ title: "A run", commands: [], report: passed, counterexample: null, planted: null, ...page })

describe("explanations of rules", () => {
  it("are there for each oracle, and for each rule that an actor judges", () => {
    const judgedByActors = readdirSync(sources, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .flatMap((name) =>
        Array.from(
          readFileSync(join(sources, name), "utf8").matchAll(/\bviolate\(\s*"([^"]+)"/g),
          ([, rule]) => rule!
        )
      )
    const rules = new Set([...oracles.map(({ name }) => name), ...judgedByActors, "liveness"])
    expect([...rules].sort()).toEqual([...explainedRules].sort())
  })
})

describe("a comparison", () => {
  it("sets the lines of JSON beside each other, and finds those that differ", () => {
    const rows = compareTexts('{"a":1,"b":[1,2],"c":3}', '{"a":1,"b":[1,3,2],"c":3}')
    expect(rows.filter(({ isEqual }) => !isEqual)).toEqual([
      { expected: null, actual: "    3,", isEqual: false }
    ])
    expect(rows.filter(({ isEqual }) => isEqual)).toHaveLength(8)
  })

  it("of texts that share nothing has all lines of both", () => {
    expect(compareTexts("a\nb", "c")).toEqual([
      { expected: "a", actual: "c", isEqual: false },
      { expected: "b", actual: null, isEqual: false }
    ])
    expect(compareTexts("same", "same")).toEqual([{ expected: "same", actual: "same", isEqual: true }])
  })
})

describe("a report", () => {
  const texts = {
    expected: '{"data":{"id":1,"first":false,"name":"<b>"}}',
    actual: '{"data":{"id":1,"first":true,"name":"<b>"}}'
  }
  const broken = pageOf({
    report: {
      ...passed,
      outcome: "violated",
      violation: { oracle: "reference", message: "an answer: …a… instead of …b…", texts }
    },
    commands: [{ what: "Repeat it", command: "./lead-signals simulate 'a & b.json' --seed 1" }],
    planted: {
      name: "one-off",
      about: "counts one too many",
      file: "packages/domain/src/Count.ts",
      changes: [{ line: 7, removed: ["    return n"], added: ["    return n + 1"] }]
    }
  })

  it("explains the rule that broke, and shows what was expected beside what came", () => {
    expect(broken).toContain("Broken rule: reference")
    expect(broken).toContain("must be, to the byte, what a simple model of the service says")
    expect(broken).toMatch(
      /<tr class="differs"><td class="expected"[^>]*>[^<]*&quot;first&quot;: <mark>false<\/mark>,<\/td><td class="sign">.*?≠.*?<\/td><td class="actual"[^>]*>[^<]*&quot;first&quot;: <mark>true<\/mark>,</
    )
    expect(broken).toContain("&lt;b&gt;")
  })

  it("states the command that repeats it, and what was planted", () => {
    expect(broken).toContain("./lead-signals simulate 'a &amp; b.json' --seed 1</code>")
    expect(broken).toContain("packages/domain/src/Count.ts:7\n  - return n\n  + return n + 1")
    expect(pageOf({})).not.toContain("planted bug")
  })

  it("marks gaps in time with what they skip, and 5xx and faults by shapes", () => {
    expect(pageOf({})).toMatch(/<text class="skipped"[^>]*>\d+ (?:s|min)/)
    const at = (millis: number, kind: string, fields: Record<string, string | number | boolean>) => ({
      at: millis,
      party: kind === "fault" ? "faults" : "reader 0",
      kind,
      fields
    })
    const trace = [
      at(0, "request", { call: "a", method: "GET", path: "/x" }),
      at(40, "answered", { call: "a", status: 503, arrives: true }),
      at(3_700_000, "fault", { label: "lost a" })
    ]
    const page = pageOf({ report: { ...passed, trace } })
    expect(page).toMatch(/<g class="request error">.*class="cross".*>503<\/text><\/g>/)
    expect(page).toMatch(/<g class="fault">.*class="sign"/)
    expect(page).toContain("1 h 1 min without an event")
  })

  it("needs nothing from anywhere, and has one heading of the first level", () => {
    for (const page of [broken, pageOf({})]) {
      expect(page).not.toMatch(/(?:src|href)=|@import|url\(|https?:\/\/(?!b\d)/)
      expect(page.match(/<h1>/g)).toHaveLength(1)
      expect(page).toContain('<html lang="en">')
    }
  })

  it("is made of a verdict on a store of one's own", () => {
    const verdict = verifyStore(
      () => {
        const memory = new MemoryStore.Memory()
        return () => MemoryStore.layerOver(memory)
      },
      { scenarios: ["erasure"], seeds: 1, hours: 0.05 }
    )
    expect(verdictPage(verdict)).toContain("Every rule held")
  })
})

describe("a duration", () => {
  it.each([
    [2000, "2 s"],
    [61_000, "1 min 1 s"],
    [3_600_000, "1 h"],
    [90_000_000, "1 day 1 h"],
    [2_592_000_000, "30 days"]
  ])("of %d ms is %s", (millis, text) => {
    expect(duration(millis)).toBe(text)
  })
})
