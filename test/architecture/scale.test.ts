/** docs/scale.md and docs/performance.md give figures as the files of the benchmark have them. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const textOf = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8")

const results = textOf("test/bench/RESULTS.md")
const page = textOf("docs/scale.md")

/** The cells of each row of the text's tables, headings included. */
const rowsOf = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from(text.matchAll(/^\|(.*\w.*)\|$/gm), ([, cells]) => cells!.split("|").map((cell) => cell.trim()))

/** The medians of a section of the results, by shape: ours, those of the reference, and their ratio. */
const medians = (title: string) => {
  const section = results.split(/^## /m).find((each) => each.startsWith(title))!
  return new Map(
    rowsOf(section).map(([shape, ours, , reference, , ratio]) => [shape, { ours, reference, ratio }])
  )
}

const few = medians("Reading, 10,000 leads")
const many = medians("Reading, 1,000,000 leads")
const written = medians("After each write, from 10,000 to 1,000,000 leads")
const writes = new Map([...medians("Taking in, beside 10,000 leads"), ...medians("Deliveries")])

/** The figures of a shape, in the order of the page's columns. */
const measured = (shape: string): ReadonlyArray<string | undefined> => {
  if (written.has(shape)) return [written.get(shape)!.reference, written.get(shape)!.ours]
  return writes.has(shape) ? [writes.get(shape)!.ours] : [few.get(shape)?.ours, many.get(shape)?.ours]
}

/** The page's shapes with their figures, without units. */
const shapes = rowsOf(page.slice(0, page.indexOf("## How to size")))
  .filter(([, shape]) => shape !== "shape")
  .map(([, shape, ...figures]) => [shape!, figures.map((figure) => figure.split(" ")[0]!)] as const)

describe("docs/scale.md", () => {
  it("has figures of reading, of reading after a write, and of writing", () => {
    expect(shapes.length).toBeGreaterThan(15)
  })

  it.each(shapes)("gives the figures of test/bench/RESULTS.md for %s", (shape, figures) => {
    expect(figures).toEqual(measured(shape))
  })

  it("states the time of a start as the results have it", () => {
    const start = medians("Start").get("start-existing")!.ours
    expect(page).toContain(`answers ${start} s after its start`)
  })

  it("states the memory of a lead as the results have it", () => {
    const { ours, reference } = medians("Memory store").get("memory-per-lead")!
    expect(page).toContain(`took ${reference} bytes for its data and ${ours} bytes beyond`)
  })
})

describe("docs/performance.md", () => {
  /** A gain of the section "Reading" names its shapes in parentheses. */
  const gains = rowsOf(textOf("docs/performance.md")).flatMap(([mechanism, , gain, measured]) => {
    const named = /results, "Reading" \(([^)]+)\)/.exec(measured ?? "")?.[1]
    return named === undefined ? [] : named.split(", ").map((shape) => [mechanism!, shape, gain!] as const)
  })

  it("has gains that are ratios of the results", () => {
    expect(gains.length).toBeGreaterThan(3)
  })

  /** The greatest gain of each mechanism, as the ablation printed it. */
  const summary = rowsOf(textOf("test/bench/ABLATION.md")).filter((row) => row.length === 5)
  const max = new Map(summary.map(([name, , gain]) => [name!, gain!]))
  const ablated = rowsOf(textOf("docs/performance.md")).flatMap(([mechanism, , gain, measured]) =>
    Array.from(
      measured?.matchAll(/`--ablate=([a-z-]+)`/g) ?? [],
      ([, name]) => [mechanism!, name!, gain!] as const
    )
  )

  it.each(ablated)("gives the greatest gain of test/bench/ABLATION.md: %s, %s", (_, name, gain) => {
    expect(gain).toContain(max.get(name))
  })

  it.each(gains)("gives the ratio of test/bench/RESULTS.md: %s, %s", (_, shape, gain) => {
    expect(gain).toContain(many.get(shape)!.ratio)
  })
})
