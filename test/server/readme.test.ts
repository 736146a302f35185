/** Runs the README and the pages of the documentation as they are written. */
import { execFile } from "node:child_process"
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { openApi } from "@lead-signals/http"
import { errorCodes } from "@lead-signals/http/internal"
import { afterAll, describe, expect, it } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { simulateProgram } from "../harness/SimulateCommand.ts"
import { bundledServer } from "../harness/BundledServer.ts"
import { blocksOf, isCommand } from "../harness/PageBlocks.ts"
import { openSession, programFolder } from "../harness/PageSession.ts"
import { endServersAfterTests, root, startServer } from "../harness/ServerProcess.ts"

endServersAfterTests()
const exec = promisify(execFile)
const textOf = (page: string): string => readFileSync(join(root, page), "utf8")

afterAll(() => rmSync(programFolder, { recursive: true, force: true }))

const pages = [
  "README.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
  ...readdirSync(join(root, "packages"))
    .map((name) => `packages/${name}/README.md`)
    .filter((page) => existsSync(join(root, page)))
].filter((page) => blocksOf(textOf(page)).some(isCommand))

describe("each page with commands", () => {
  it("is found", () => {
    expect(pages).toEqual(
      expect.arrayContaining([
        "README.md",
        "docs/command-line.md",
        "docs/getting-started.md",
        "docs/http-api.md",
        "docs/operations.md",
        "docs/operator-api.md",
        "packages/console/README.md",
        "packages/server/README.md"
      ])
    )
  })

  it.runIf(isThorough).each(pages)(
    "%s runs as it is printed, in order, on a fresh server [LIST-1, DET-1, MET-1, DELIV-1]",
    async (page) => {
      const text = textOf(page)
      const simulate = text.includes("./lead-signals simulate") ? await simulateProgram() : ""
      const session = await openSession(temporaryFolder(), text, simulate)
      try {
        await session.run()
      } finally {
        await session.close()
      }
    }
  )
})

describe("the README", () => {
  it("is short, needs no pnpm, and starts and tests with npm alone", () => {
    const readme = textOf("README.md")
    expect(readme.split("\n").length - 1).toBeLessThanOrEqual(120)
    expect(readme).not.toMatch(/pnpm/)
    const commands = blocksOf(readme).map(({ code }) => code.trim())
    expect(commands).toEqual(expect.arrayContaining(["npm start", "npm test"]))
  })

  it("shows a command that works where nothing but the clone is", async () => {
    const { stdout } = await exec("./lead-signals", ["--version"], { cwd: root })
    expect(stdout).toBe(`${JSON.parse(textOf("package.json")).version}\n`)
  })
})

describe("the pages about the API", () => {
  const [reading, operating] = [textOf("docs/http-api.md"), textOf("docs/operator-api.md")]
  const { paths } = openApi()

  it("name every call, and no other", () => {
    const placeholders = /[{<][^}>]*[}>]/g
    const calls = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`.replace(placeholders, "<>"))
    )
    const named = Array.from(
      `${reading}${operating}${textOf("docs/operations.md")}`.matchAll(/`([A-Z]+ \/[^`?]*)`/g)
    )
    const unnamed = new Set(calls)
    const unknown = new Set<string>()
    for (const [, call] of named) {
      const normal = call!.replace(placeholders, "<>")
      if (calls.includes(normal)) unnamed.delete(normal)
      else unknown.add(normal)
    }
    expect([[...unnamed], [...unknown]]).toEqual([[], []])
  })

  it("name every parameter of the list", () => {
    const parameters = paths["/signals/leads"]!.get!.parameters!.map(({ name }) => name)
    expect(
      parameters.filter((name) => !reading.includes(`\`${name}\``) && !reading.includes(`\`${name}=`))
    ).toEqual([])
  })

  it("have one table of all errors [ERR-2]", () => {
    const rows = Array.from(reading.matchAll(/^\| (\d{3}) +\| `(\w+)`/gm), ([, status, code]) => ({
      status: Number(status),
      code
    }))
    expect(rows).toEqual(errorCodes())
  })
})

describe("the page about operations", () => {
  const operations = textOf("docs/operations.md")

  it.runIf(isThorough)("starts the server with telemetry as it says", async () => {
    const lines = Array.from(operations.matchAll(/^(OTEL_[A-Z_]+)=(\S+) npm start$/gm))
    expect(lines).toHaveLength(1)
    const [[, name, value]] = lines as [RegExpExecArray]
    const server = await startServer(
      { [name!]: value!, LEAD_SIGNALS_DATABASE: "memory", LEAD_SIGNALS_DEMO: "false" },
      bundledServer
    )
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
    await server.end("SIGTERM")
  })

  it.runIf(isThorough)("builds the server, and runs it built, as it says [LIST-1]", async () => {
    const [, program] = /^npm run build\n.* node (\S+)$/m.exec(operations)!
    const { stdout } = await exec(process.execPath, ["scripts/build.mjs"], { cwd: root })
    expect(stdout).toContain(`node ${program}`)
    const server = await startServer(
      { LEAD_SIGNALS_DEMO: "false", LEAD_SIGNALS_DATABASE: join(temporaryFolder(), "built.sqlite") },
      join(root, program!)
    )
    expect((await fetch(`${server.url}/signals/leads`)).status).toBe(401)
    expect(await server.end("SIGTERM")).toBe(0)
  })

  it("names every variable that the server reads, and no other", async () => {
    const { knownVariables } = await import("@lead-signals/server/internal")
    const named = new Set(Array.from(operations.matchAll(/`(LEAD_SIGNALS_[A-Z_]+)`/g), ([, name]) => name))
    expect([...named].sort()).toEqual([...knownVariables].sort())
  })
})
