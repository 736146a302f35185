/** The files under deploy/ agree with the service: its settings, its versions. */
import { execFileSync } from "node:child_process"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { instructionsOf } from "../harness/Dockerfile.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { has, textOf } from "../harness/DeployFiles.ts"

const operations = textOf("docs/operations.md")

/** The settings of the page. */
const settings = new Set(
  Array.from(operations.matchAll(/`((?:HOST|PORT|LEAD_SIGNALS_[A-Z_]+))`/g), ([, name]) => name!)
)

interface Service {
  readonly image: string
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: ReadonlyArray<string>
  readonly volumes?: ReadonlyArray<string>
  readonly depends_on?: ReadonlyArray<string> | Readonly<Record<string, unknown>>
  readonly [key: string]: unknown
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, null>>
  readonly configs?: Readonly<Record<string, { readonly content: string }>>
  readonly networks?: Readonly<
    Record<string, { readonly ipam: { readonly config: readonly [{ readonly subnet: string }] } }>
  >
}

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

  it("installs the drivers of the lockfile", () => {
    for (const driver of ["better-sqlite3", "better-sqlite3-multiple-ciphers"]) {
      const [, version] = new RegExp(`^ {2}${driver}@(\\S+):$`, "m").exec(textOf("pnpm-lock.yaml"))!
      expect(`${all("RUN").join("\n")}\n`).toMatch(new RegExp(` ${driver}@${version}\\s`))
    }
  })

  it("runs without rights, in the exec form, with a health check", () => {
    const names = instructions.map(({ name }) => name)
    expect(all("USER")).toEqual(["node"])
    expect(names.indexOf("USER")).toBeLessThan(names.indexOf("ENTRYPOINT"))
    expect(names.lastIndexOf("RUN")).toBeLessThan(names.indexOf("USER"))
    for (const text of all("ENTRYPOINT")) expect(JSON.parse(text)[0]).toBe("node")
    expect(all("HEALTHCHECK")[0]).toContain("/health/ready")
  })

  // What hadolint would say: its rules are in the comments.
  it("keeps to the rules of hadolint", () => {
    const runs = all("RUN").join("\n")
    for (const text of all("WORKDIR")) expect(text, "DL3000").toMatch(/^\//)
    expect(runs, "DL3002, DL3004").not.toMatch(/\bsudo\b/)
    expect(runs, "DL3003").not.toMatch(/\bcd /)
    for (const text of all("FROM")) expect(text, "DL3006, DL3007").toMatch(/^[a-z]+:(?!latest)[\w.-]+/)
    // Where there is apt-get, its lists go in the same layer, and nothing comes that was not asked for.
    for (const run of all("RUN").filter((each) => each.includes("apt-get install")))
      expect(run, "DL3009, DL3014, DL3015").toMatch(
        /-y.*--no-install-recommends.*rm -rf \/var\/lib\/apt\/lists/
      )
    for (const [, name] of runs.matchAll(/npm install(?: --\S+)* ([^-\s]\S*)/g))
      expect(name, "DL3016").toMatch(/@\d+\.\d+\.\d+$/)
    for (const run of all("RUN").filter((each) => each.includes("npm install ")))
      expect(run, "the cache of npm goes in the same layer").toMatch(/--cache=(\S+) .*&& rm -rf \1/)
    for (const name of ["CMD", "ENTRYPOINT"])
      for (const text of all(name)) expect(() => JSON.parse(text), "DL3025").not.toThrow()
    for (const name of ["ENTRYPOINT", "HEALTHCHECK", "STOPSIGNAL", "USER"])
      expect(all(name), "DL4003, DL4004").toHaveLength(1)
    expect(all("MAINTAINER"), "DL4000").toEqual([])
    expect(runs, "DL4006: a pipe hides a failure").not.toMatch(/[^|]\|[^|]/)
    for (const text of all("EXPOSE")) expect(Number(text), "DL3011").toBeLessThan(65_536)
  })

  it("holds no secret, and takes none from the folder that it is built in", () => {
    for (const name of ["ENV", "ARG"]) expect(all(name).join(" ")).not.toMatch(/TOKEN|SECRET|PASSWORD|KEY/)
    const left = textOf("deploy/Dockerfile.dockerignore").split("\n")
    for (const pattern of [
      ".git",
      ".data",
      "**/.env*",
      "**/*.pem",
      "**/*.key",
      "**/*.sqlite*",
      "**/node_modules"
    ])
      expect(left).toContain(pattern)
  })
})

describe.each(["compose.yaml", "compose.postgres.yaml"])("deploy/%s", (name) => {
  // YAML's merge keys and anchors are a part of Compose.
  const {
    configs = {},
    networks = {},
    services,
    volumes
  } = parse(textOf(`deploy/${name}`), { merge: true }) as Compose
  const nodes = Object.values(services).filter(({ image }) => image.startsWith("lead-signals:"))

  it("has one node on a file, or three on Postgres, each without rights", () => {
    expect(nodes).toHaveLength(name === "compose.yaml" ? 1 : 3)
    for (const node of nodes) {
      expect(node).toMatchObject({
        build: { context: "..", dockerfile: "deploy/Dockerfile" },
        read_only: true,
        tmpfs: ["/tmp"],
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
        ulimits: { core: 0 },
        restart: "unless-stopped"
      })
      expect(node.stop_grace_period).toBe("15s")
      for (const [variable, value] of Object.entries(node.environment!)) {
        expect(settings).toContain(variable)
        // A secret comes from the outside, and its lack stops the start.
        if (/TOKEN/.test(variable)) expect(value).toMatch(/^\$\{\w+:\?.+\}$/)
        expect(value).not.toMatch(/:\/\/[^$]*:[^$]*@/)
      }
    }
  })

  it("names images with versions, volumes and services that exist, and no port open to others", () => {
    for (const [service, { depends_on = [], image, ports = [], volumes: mounted = [] }] of Object.entries(
      services
    )) {
      expect(image, service).toMatch(/^[a-z-]+:(?!latest)\S+$/)
      for (const port of ports) expect(port, service).toMatch(/^127\.0\.0\.1:/)
      for (const volume of mounted) expect(Object.keys(volumes), service).toContain(volume.split(":")[0])
      const needed = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on)
      for (const each of needed) expect(Object.keys(services), service).toContain(each)
    }
    for (const { content } of Object.values(configs)) {
      const upstreams = Array.from(content.matchAll(/server (\w+):(\d+);/g), ([, host, port]) => [host, port])
      const expected = Object.entries(services).filter(([, each]) => nodes.includes(each))
      expect(upstreams).toEqual(expected.map(([host]) => [host, "4000"]))
      // Compose replaces a single dollar sign by a variable of the environment.
      expect(content.replaceAll("$$", "")).not.toContain("$")
      expect(content).toContain("client_max_body_size 0;")
      expect(content).toContain("proxy_request_buffering off;")
      expect(content).toContain("proxy_set_header X-Forwarded-For $$proxy_add_x_forwarded_for;")
      const [{ subnet }] = networks.default!.ipam.config
      for (const node of nodes) expect(node.environment!["LEAD_SIGNALS_TRUSTED_PROXIES"]).toBe(subnet)
    }
  })
})

describe("deploy/kubernetes.yaml", () => {
  const [set, service] = parseAllDocuments(textOf("deploy/kubernetes.yaml")).map((each) => each.toJS()) as [
    any,
    any
  ]
  const pod = set.spec.template
  const [container] = pod.spec.containers

  it("names itself the same way everywhere", () => {
    const labels = pod.metadata.labels
    expect([set.kind, service.kind]).toEqual(["StatefulSet", "Service"])
    expect([set.spec.selector.matchLabels, service.spec.selector]).toEqual([labels, labels])
    expect(set.spec.serviceName).toBe(service.metadata.name)
    const ports = container.ports.map((port: { name: string }) => port.name)
    for (const port of [
      service.spec.ports[0].targetPort,
      container.livenessProbe.httpGet.port,
      container.readinessProbe.httpGet.port
    ])
      expect(ports).toContain(port)
    const mountable = [
      ...pod.spec.volumes,
      ...set.spec.volumeClaimTemplates.map((each: any) => each.metadata)
    ]
    const names = mountable.map((each: { name: string }) => each.name)
    for (const { name } of container.volumeMounts) expect(names).toContain(name)
  })

  it("runs one pod without rights, on a root that it can't write, and ends after its drain", () => {
    expect(set.spec.replicas).toBe(1)
    expect(set.spec.volumeClaimTemplates[0].spec.accessModes).toEqual(["ReadWriteOncePod"])
    expect(pod.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } }
    })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] }
    })
    expect([container.livenessProbe.httpGet.path, container.readinessProbe.httpGet.path]).toEqual([
      "/health",
      "/health/ready"
    ])
    const variables = new Map(
      container.env.map((each: { name: string; value?: string }) => [each.name, each.value])
    )
    for (const name of variables.keys()) expect(settings).toContain(name)
    expect(variables.get("LEAD_SIGNALS_OPERATOR_TOKEN")).toBeUndefined()
    expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
      15 + Number(variables.get("LEAD_SIGNALS_DRAIN_PAUSE"))
    )
  })
})

describe("deploy/lead-signals.service", () => {
  const unitFile = (): string => {
    const file = join(temporaryFolder(), "lead-signals.service")
    writeFileSync(file, textOf("deploy/lead-signals.service").replace("/usr/bin/node", process.execPath))
    return file
  }

  it("keeps its secret in a file, and its state in its own folder", () => {
    const unit = textOf("deploy/lead-signals.service")
    expect(unit).not.toMatch(/^Environment=LEAD_SIGNALS_OPERATOR_TOKEN/m)
    expect(unit).toMatch(/^EnvironmentFile=\/etc\/lead-signals\.env$/m)
    // A core would have people and the key in clear text.
    expect(unit).toMatch(/^LimitCORE=0$/m)
    const [, folder] = /^StateDirectory=(.*)$/m.exec(unit)!
    expect(unit).toContain(`Environment=LEAD_SIGNALS_DATABASE=/var/lib/${folder}/`)
  })

  it.skipIf(!has("systemd-analyze"))(
    "is a unit that systemd accepts, with an exposure of 1.2 of 10 at most",
    () => {
      const file = unitFile()
      expect(execFileSync("systemd-analyze", ["verify", file], { encoding: "utf8", stdio: "pipe" })).toBe("")
      // It fails above the threshold, which is in tenths.
      const security = ["security", "--offline=true", "--no-pager", "--threshold=12", file]
      expect(execFileSync("systemd-analyze", security, { encoding: "utf8", stdio: "pipe" })).toContain("OK")
    }
  )
})
