/** The files under deploy/ agree with the service: its metrics, its settings, its versions. */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { instructionsOf } from "../harness/Dockerfile.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const textOf = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8")

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

/** The settings of the page. */
const settings = new Set(
  Array.from(operations.matchAll(/`((?:HOST|PORT|LEAD_SIGNALS_[A-Z_]+))`/g), ([, name]) => name!)
)

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

describe("the files under deploy/", () => {
  it("set only settings that docs/operations.md has", () => {
    for (const name of readdirSync(fileURLToPath(new URL("../../deploy", import.meta.url)))) {
      for (const [setting] of textOf(`deploy/${name}`).matchAll(/\bLEAD_SIGNALS_[A-Z_]+\b/g)) {
        expect(settings, name).toContain(setting)
      }
    }
  })

  it("name this version of the image", () => {
    const { version } = JSON.parse(textOf("package.json")) as { readonly version: string }
    for (const name of ["compose.yaml", "compose.postgres.yaml", "kubernetes.yaml", "Dockerfile"]) {
      const named = Array.from(
        textOf(`deploy/${name}`).matchAll(/\blead-signals:([\w.]+)/g),
        ([, tag]) => tag
      )
      expect(named.length, name).toBeGreaterThan(0)
      expect(new Set(named), name).toEqual(new Set([version]))
    }
  })
})

describe("deploy/Dockerfile", () => {
  const instructions = instructionsOf(textOf("deploy/Dockerfile"))
  const all = (name: string): ReadonlyArray<string> =>
    instructions.filter((each) => each.name === name).map(({ text }) => text)

  it("builds on a slim image of Node 24 alone, and leaves the sources behind", () => {
    expect(all("FROM")).toEqual(["node:24-slim AS build", "node:24-slim"])
    expect(all("ADD")).toEqual([])
    const last = instructions.slice(instructions.findLastIndex(({ name }) => name === "FROM"))
    expect(last.filter(({ name }) => name === "COPY").map(({ text }) => text)).toEqual([
      "--from=build /build/packages/server/dist/lead-signals.mjs ./"
    ])
  })

  it("installs the driver of the lockfile", () => {
    const [, version] = /^ {2}better-sqlite3@(\S+):$/m.exec(textOf("pnpm-lock.yaml"))!
    expect(all("RUN").join("\n")).toContain(` better-sqlite3@${version}`)
  })

  it("runs without rights, in the exec form, with a health check", () => {
    const names = instructions.map(({ name }) => name)
    expect(all("USER")).toEqual(["node"])
    expect(names.indexOf("USER")).toBeLessThan(names.indexOf("ENTRYPOINT"))
    expect(names.lastIndexOf("RUN")).toBeLessThan(names.indexOf("USER"))
    for (const text of all("ENTRYPOINT")) expect(JSON.parse(text)[0]).toBe("node")
    expect(all("HEALTHCHECK")[0]).toContain("/health/ready")
  })

  it("holds no secret", () => {
    expect(all("ENV").join(" ")).not.toMatch(/TOKEN|SECRET|PASSWORD/)
  })
})

const analyze = (() => {
  try {
    return execFileSync("systemd-analyze", ["--version"], { encoding: "utf8" }) !== ""
  } catch {
    return false
  }
})()

describe("deploy/lead-signals.service", () => {
  it("keeps its secret in a file, and its state in its own folder", () => {
    const unit = textOf("deploy/lead-signals.service")
    expect(unit).not.toMatch(/^Environment=LEAD_SIGNALS_OPERATOR_TOKEN/m)
    expect(unit).toMatch(/^EnvironmentFile=\/etc\/lead-signals\.env$/m)
    const [, folder] = /^StateDirectory=(.*)$/m.exec(unit)!
    expect(unit).toContain(`Environment=LEAD_SIGNALS_DATABASE=/var/lib/${folder}/`)
  })

  it.skipIf(!analyze)("is a unit that systemd accepts", () => {
    const file = join(temporaryFolder(), "lead-signals.service")
    writeFileSync(file, textOf("deploy/lead-signals.service").replace("/usr/bin/node", process.execPath))
    expect(execFileSync("systemd-analyze", ["verify", file], { encoding: "utf8", stdio: "pipe" })).toBe("")
  })
})
