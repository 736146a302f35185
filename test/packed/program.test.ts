/** The program as others get it: packed, and run by npx in a folder of its own. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { freePort } from "../harness/FreePort.ts"
import { operatorToken } from "../harness/ServerProcess.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const folder = temporaryFolder()
const exec = promisify(execFile)

describe("the packed program", () => {
  it("runs by npx from its tarball, serves a database and the console, and is called [RUN-4, CLI-18]", async () => {
    await exec(process.execPath, [join(root, "scripts", "pack-program.mjs"), folder], { cwd: root })
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    const tarball = `./lead-signals-${version}.tgz`
    const { stdout: listed } = await exec("tar", ["-tzf", tarball], { cwd: folder })
    expect(listed.trim().split("\n").sort()).toEqual(
      ["README.md", "bin.mjs", "lead-signals.mjs", "package.json"].map((name) => `package/${name}`)
    )
    const manifest = JSON.parse(
      (await exec("tar", ["-xzOf", tarball, "package/package.json"], { cwd: folder })).stdout
    )
    expect(manifest).toMatchObject({ name: "lead-signals", version, private: true, license: "UNLICENSED" })
    expect(Object.entries(manifest.dependencies)).toEqual([
      ["better-sqlite3", expect.stringMatching(/^\d+\.\d+\.\d+$/)]
    ])
    const code = (
      await exec("tar", ["-xzOf", tarball, "package/lead-signals.mjs"], { cwd: folder, maxBuffer: 1 << 26 })
    ).stdout
    expect(code).not.toContain(root)

    // As the package's README has it: installed into a folder, and run by its name.
    const installed = join(folder, "installed")
    mkdirSync(installed)
    await exec("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", join(folder, tarball)], {
      cwd: installed
    })
    const runInstalled = async (...args: ReadonlyArray<string>) =>
      (await exec("npx", ["lead-signals", ...args], { cwd: installed })).stdout
    expect(await runInstalled("--version")).toBe(`${version}\n`)
    expect(await runInstalled("mcp", "--help")).toContain("LEAD_SIGNALS_API_KEY")
    const readme = readFileSync(join(installed, "node_modules/lead-signals/README.md"), "utf8")
    const named = Array.from(readme.matchAll(/^npx lead-signals (.+)$/gm), ([, args]) => args!.split(" "))
    expect(named).toContainEqual(["--version"])
    for (const args of named.filter(([first]) => first !== "serve"))
      expect(await runInstalled(...args)).not.toBe("")

    const npx = ["--yes", "--prefer-offline", tarball]
    const env = { ...process.env, LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken, PORT: String(await freePort()) }
    expect((await exec("npx", [...npx, "--version"], { cwd: folder, env })).stdout).toBe(`${version}\n`)
    const server = spawn("npx", [...npx, "serve", "--no-demo"], {
      cwd: folder,
      env,
      detached: true,
      stdio: "ignore"
    })
    try {
      const url = `http://127.0.0.1:${env.PORT}`
      const isReady = () =>
        fetch(`${url}/health/ready`).then(
          ({ ok }) => ok,
          () => false
        )
      while (server.exitCode === null && !(await isReady())) await sleep(50)
      expect((await fetch(`${url}/console/`)).status).toBe(200)
      const made = await exec("npx", [...npx, "brands", "create", "Mine", "--json", "--url", url], {
        cwd: folder,
        env
      })
      expect(JSON.parse(made.stdout).brand.name).toBe("Mine")
      expect(existsSync(join(folder, ".data", "lead-signals.sqlite"))).toBe(true)
    } finally {
      process.kill(-server.pid!, "SIGTERM")
      await once(server, "exit")
    }
  })
})
