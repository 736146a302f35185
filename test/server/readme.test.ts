/** Runs the README as it is written. */
import { execFile } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, describe, expect, it } from "vitest"
import { isThorough } from "../harness/Thoroughness.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { bundleSimulate } from "../harness/SimulateCommand.ts"
import { bundledServer } from "../harness/BundledServer.ts"
import { freePort } from "../harness/FreePort.ts"
import { startListener } from "../harness/ListenerProcess.ts"
import { endServersAfterTests, operatorToken, root, startServer } from "../harness/ServerProcess.ts"

endServersAfterTests()
const run = promisify(execFile)
const readme = readFileSync(join(root, "README.md"), "utf8")
const blocks = (language: string): Array<string> =>
  Array.from(
    readme.matchAll(new RegExp(`^\`\`\`${language} run\\n([\\s\\S]*?)^\`\`\``, "gm")),
    ([, code]) => code!
  )

// Next to the tests, where the packages can be found by name.
const scratch = fileURLToPath(new URL("../.readme", import.meta.url))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

describe("the README", () => {
  it("has requests that answer as it says, in its order, on a fresh demo [LIST-1, DET-1, MET-1, DELIV-1]", async () => {
    const server = await startServer(
      {
        LEAD_SIGNALS_DATABASE: join(temporaryFolder(), "readme.sqlite"),
        LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
        LEAD_SIGNALS_WEBHOOK_ALLOW: "127.0.0.0/8"
      },
      bundledServer
    )
    const port = await freePort()
    let listener: ReturnType<typeof startListener> | null = null
    const KEY = /^Demo key +(\S+)/m.exec(server.out())![1]!
    const commands = blocks("sh").flatMap((block) =>
      block
        .replaceAll("\\\n", " ")
        .split("\n")
        .filter((line) => line.trim() !== "")
    )
    expect(commands.length).toBe(12)
    const answers: Array<any> = []
    for (const command of commands) {
      const { stdout } = await run(
        "bash",
        [
          "-c",
          command.replace("curl ", "curl --silent --show-error --fail ").replaceAll("4100", String(port))
        ],
        {
          env: { ...process.env, URL: server.url, KEY, TOKEN: operatorToken }
        }
      )
      const answer = JSON.parse(stdout)
      answers.push(answer)
      if (answer.data.secret !== undefined) {
        expect(readme).toContain('pnpm lead-signals listen --port 4100 --secret "$SECRET"')
        listener = startListener("--port", String(port), "--secret", answer.data.secret)
        await listener.until(/Listening on/)
      }
      if (command.includes('"e-2"')) {
        await listener!.until(/✓ verified {2}lead2\.created {6}Bo Example, Buyer · 1 engagement {2}wh_/)
        await listener!.until(
          /✓ verified {2}activity\.detected {2}Bo Example, Buyer commented “Where can I get it\?” · first activity {2}wh_/
        )
      }
      if (command.includes("/test")) await listener!.until(/✓ verified {2}webhook\.test/)
    }
    await listener!.end()
    expect(answers[0].data).toHaveLength(2)
    expect(answers[1].data.engagements[0].source).toBeTypeOf("object")
    expect(answers[2].data.impressions).toBeGreaterThan(0)
    expect(answers[3].data.id).toBe("2")
    expect(answers[5].data.id).toBe("7")
    expect(answers[6].data).toEqual([
      { engagementId: "e-1", outcome: "recorded", leadId: expect.any(Number) }
    ])
    expect(answers[9].data).toHaveLength(2)
    expect(answers[11].data).toEqual({ queued: 0 })

    const [, importing] = /^pnpm lead-signals (import .+)$/m.exec(readme)!
    const folder = temporaryFolder()
    copyFileSync(join(root, "examples/observations.jsonl"), join(folder, "observations.jsonl"))
    const imported = await run(
      process.execPath,
      [bundledServer, ...importing!.split(" "), "--url", server.url],
      { cwd: folder, env: { ...process.env, LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken } }
    )
    expect(imported.stdout).toContain("3 recorded")
    await server.end("SIGTERM")
  })

  it("starts the server as it says, with telemetry and for webhooks of this machine, too", async () => {
    const lines = Array.from(
      readme.matchAll(/^((?:[A-Z_]+=\S+ )+)npm start$/gm),
      ([, variables]) => variables!
    )
    expect(lines).toHaveLength(2)
    for (const line of lines) {
      const variables = line
        .trim()
        .split(" ")
        .map((each) => each.split("="))
      const server = await startServer(
        { ...Object.fromEntries(variables), LEAD_SIGNALS_DATABASE: "memory", LEAD_SIGNALS_DEMO: "false" },
        bundledServer
      )
      expect((await fetch(`${server.url}/health`)).status).toBe(200)
      expect(server.err()).not.toContain("is not known")
      await server.end("SIGTERM")
    }
  })

  // The others run in an empty project: see packages.test.ts.
  it("has a client that runs as it stands, against a server [LIST-1]", async () => {
    const server = await startServer({ LEAD_SIGNALS_DATABASE: "memory" }, bundledServer)
    const KEY = /^Demo key +(\S+)/m.exec(server.out())![1]!
    const programs = blocks("ts").filter((code) => code.includes("process.env"))
    expect(programs).toHaveLength(1)
    mkdirSync(scratch, { recursive: true })
    const file = join(scratch, "client.ts")
    writeFileSync(file, programs[0]!)
    const env = { ...process.env, URL: server.url, KEY }
    const { stdout } = await run(process.execPath, ["--import", "tsx", file], { cwd: root, env })
    const listed = await fetch(`${server.url}/signals/leads`, { headers: { authorization: `Bearer ${KEY}` } })
    const { total } = ((await listed.json()) as { meta: { pagination: { total: number } } }).meta.pagination
    await server.end("SIGTERM")
    // The demo's leads: those that are qualified, then all in pages to store.
    expect(stdout).toMatch(/^\S.* 20\d\d-/)
    const stored = Array.from(stdout.matchAll(/^(\d+) leads to store$/gm), ([, count]) => Number(count))
    expect(total).toBeGreaterThan(500)
    expect(stored.reduce((sum, count) => sum + count, 0)).toBe(total)
  })

  it("has simulations that hold", async () => {
    const commands = Array.from(readme.matchAll(/^pnpm simulate (.+)$/gm), ([, args]) => args!.split(" "))
    expect(commands.length).toBe(3)
    const simulate = await bundleSimulate()
    for (const args of commands) {
      const isWhole = isThorough || args[0] === "list"
      // A run that does not hold ends with another code, and fails here.
      const { code, err } = await simulate(isWhole ? args : [...args, "--until", "10m"])
      expect([code, err]).toEqual([0, ""])
    }
  })

  it("shows of a planted bug what the command tells", async () => {
    const [, args, expectedOutput] = /^\$ pnpm simulate (.+)\n([\s\S]*?)^```/m.exec(readme)!
    const report = join(temporaryFolder(), "run.html")
    const simulate = await bundleSimulate()
    const { code, out: stdout } = await simulate(args!.replace("run.html", report).split(" "))
    expect(code).toBe(1)
    let rest = stdout
    for (const part of expectedOutput!.split("…").map((text) => text.trim())) {
      expect(rest).toContain(part)
      rest = rest.slice(rest.indexOf(part) + part.length)
    }
    expect(existsSync(report)).toBe(true)
  })

  it("is built, and run built, as it says [LIST-1]", async () => {
    const [, program] = /^pnpm build\n.* node (\S+)$/m.exec(readme)!
    const { stdout } = await run(process.execPath, ["scripts/build.mjs"], { cwd: root })
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
    const named = new Set(Array.from(readme.matchAll(/`(LEAD_SIGNALS_[A-Z_]+)`/g), ([, name]) => name))
    expect([...named].sort()).toEqual([...knownVariables].sort())
  })
})
