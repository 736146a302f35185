/** What is watched by: the metrics of docs/operations.md, and the rules and the dashboard under deploy/ that read them. */
import { execFileSync } from "node:child_process"
import { cpSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { has, textOf } from "../harness/DeployFiles.ts"

const operations = textOf("docs/operations.md")

interface KnownMetric {
  readonly type: string
  readonly labels: ReadonlyArray<string>
}

/** The metrics of the page, by name. */
const metrics = new Map<string, KnownMetric>(
  Array.from(
    operations.matchAll(/^\| `((?:http_server|lead_signals)_\w+)` +\| (\w+) +\| ([^|]*)\|/gm),
    ([, name, type, labels]) => [
      name!,
      { type: type!, labels: Array.from(labels!.matchAll(/`(\w+)`/g), ([, label]) => label!) }
    ]
  )
)

/** The labels that Prometheus adds. */
const added = ["job", "instance", "le"]

/** A metric that an expression reads, with the labels that it selects by. */
const used = (expression: string): ReadonlyArray<readonly [name: string, labels: ReadonlyArray<string>]> =>
  Array.from(
    expression.matchAll(/\b((?:http_server|lead_signals)_\w+)(?:\{([^}]*)\})?/g),
    ([, name, selectors]) => [
      name!,
      Array.from((selectors ?? "").matchAll(/(\w+)(?==|!=|=~|!~)/g), ([, label]) => label!)
    ]
  )

const expectKnown = (expression: string): void => {
  for (const [name, labels] of used(expression)) {
    const [, base] = /^(.*?)(?:_bucket|_count|_sum)$/.exec(name) ?? []
    const known = metrics.get(name) ?? (base === undefined ? undefined : metrics.get(base))
    expect(known, `${name} is no metric of docs/operations.md`).toBeDefined()
    expect(metrics.has(name), `${name}: only a histogram has buckets`).toBe(known!.type !== "histogram")
    for (const label of labels) expect([...known!.labels, ...added], `label of ${name}`).toContain(label)
  }
  const grouped = Array.from(expression.matchAll(/\bby \(([^)]*)\)/g), ([, each]) =>
    each!.split(/, */)
  ).flat()
  const labels = used(expression).flatMap(
    ([name]) => metrics.get(name.replace(/_(?:bucket|count|sum)$/, ""))?.labels ?? metrics.get(name)!.labels
  )
  for (const label of grouped) expect([...labels, ...added], expression).toContain(label)
}

describe("the metrics of docs/operations.md", () => {
  it("are those of the code, and no others", () => {
    const source = ["Metrics", "RetentionMetrics", "BackupMetrics"]
      .map((module) => textOf(`packages/server/src/telemetry/${module}.ts`))
      .join("\n")
    const inCode = Array.from(source.matchAll(/"((?:http_server|lead_signals)_\w+)"/g), ([, name]) => name!)
    expect([...metrics.keys()].sort()).toEqual(inCode.sort())
  })
})

describe("deploy/prometheus-rules.yaml", () => {
  const rules = textOf("deploy/prometheus-rules.yaml")
  const expressions = Array.from(
    rules.matchAll(/^ +expr: (?:\|\n((?: {10,}.*\n)+)|(.*)\n)/gm),
    ([, block, line]) => block ?? line!
  )

  it("has an expression in each rule, of metrics and labels that exist", () => {
    expect(expressions.length).toBe(rules.match(/- alert:/g)!.length)
    expect(expressions.length).toBeGreaterThan(5)
    expressions.forEach(expectKnown)
  })

  it.skipIf(!has("promtool"))("fires where it should, and on no service that works", () => {
    const folder = temporaryFolder()
    for (const path of ["deploy/prometheus-rules.yaml", "test/server/prometheusRules.yaml"])
      cpSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), join(folder, path.split("/").at(-1)!))
    const ran = (...args: ReadonlyArray<string>): string =>
      execFileSync("promtool", args, { cwd: folder, encoding: "utf8", stdio: "pipe" })
    expect(ran("check", "rules", "prometheus-rules.yaml")).toMatch(
      new RegExp(`SUCCESS: ${expressions.length} rules found`)
    )
    expect(ran("test", "rules", "prometheusRules.yaml")).toContain("SUCCESS")
    const tested = textOf("test/server/prometheusRules.yaml")
    for (const [, alert] of rules.matchAll(/- alert: (\w+)/g)) {
      expect(tested, `a test in which ${alert} fires`).toMatch(
        new RegExp(`alertname: ${alert}\\n +exp_alerts:`)
      )
    }
  })

  it("tells in each rule what is wrong and where to look", () => {
    for (const rule of rules.split("- alert:").slice(1)) {
      expect(rule).toMatch(/severity: (?:critical|warning)/)
      expect(rule).toMatch(/summary: ".+"/)
      expect(rule).toMatch(/description: ".+"/)
    }
  })
})

describe("deploy/grafana-dashboard.json", () => {
  interface Panel {
    readonly id: number
    readonly title: string
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
    readonly targets: ReadonlyArray<{ readonly expr: string; readonly legendFormat: string }>
  }
  const { panels } = JSON.parse(textOf("deploy/grafana-dashboard.json")) as {
    readonly panels: ReadonlyArray<Panel>
  }

  it("reads metrics and labels that exist, each metric at least once", () => {
    for (const { targets } of panels) for (const { expr } of targets) expectKnown(expr)
    const read = panels.flatMap(({ targets }) =>
      targets.flatMap(({ expr }) => used(expr).map(([name]) => name))
    )
    for (const name of metrics.keys()) {
      expect(
        read.some((each) => each.startsWith(name)),
        name
      ).toBe(true)
    }
  })

  it("names labels in legends that the expression keeps", () => {
    for (const { targets } of panels) {
      for (const { expr, legendFormat } of targets) {
        for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
          expect(expr).toMatch(new RegExp(`by \\([^)]*\\b${label}\\b`))
        }
      }
    }
  })

  it("has panels that do not overlap", () => {
    const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)} ${y + Math.floor(i / w)}`)
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  })
})
