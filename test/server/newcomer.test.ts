/** What a newcomer finds: the README's commands, from nothing to a verified webhook. */
import { execFile, spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { freePort } from "../harness/FreePort.ts"
import { program } from "../harness/CommandRun.ts"
import { root } from "../harness/ServerProcess.ts"

const folder = temporaryFolder()

describe("a newcomer", () => {
  const started: Array<ChildProcess> = []
  afterAll(() => {
    for (const child of started) child.kill("SIGKILL")
  })

  it("comes from nothing to a verified webhook in the README's five commands [DELIV-1, LIST-1]", async () => {
    const readme = readFileSync(join(root, "README.md"), "utf8")
    const [, block] = /^```sh newcomer\n([\s\S]*?)^```/m.exec(readme)!
    const [token, ...commands] = block!.trim().split("\n")
    expect(commands).toHaveLength(5)
    const startedAt = performance.now()
    const port = String(await freePort())
    const words = (command: string): Array<string> =>
      Array.from(command.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, bare]) => quoted ?? bare!)
    const begin = (command: string, environment: Record<string, string> = {}) => {
      const [pnpm, name, ...args] = words(command)
      expect([pnpm, name]).toEqual(["pnpm", "lead-signals"])
      const child = spawn(process.execPath, [program, ...args], {
        cwd: root,
        env: {
          PATH: process.env["PATH"],
          LEAD_SIGNALS_OPERATOR_TOKEN: token!.replace("export LEAD_SIGNALS_OPERATOR_TOKEN=", ""),
          LEAD_SIGNALS_DATABASE: join(folder, "newcomer.sqlite"),
          PORT: port,
          ...environment
        }
      })
      started.push(child)
      let output = ""
      child.stdout.on("data", (chunk) => (output += chunk))
      child.stderr.on("data", (chunk) => (output += chunk))
      const until = async (what: RegExp): Promise<RegExpExecArray> => {
        for (;;) {
          const found = what.exec(output)
          if (found !== null) return found
          if (child.exitCode !== null && child.exitCode !== 0) throw new Error(output)
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
      }
      return { child, until }
    }
    const url = ["--url", `http://127.0.0.1:${port}`].join(" ")
    const [serve, create, listen, imports, list] = commands as [string, string, string, string, string]
    await begin(serve).until(/Listening on/)
    const [, key] = await begin(`${create} ${url}`).until(/Key \d+: (\S+)/)
    const listening = begin(`${listen} ${url}`)
    await listening.until(/Listening on/)
    await begin(`${imports} ${url}`).until(/3 recorded/)
    await listening.until(
      /✓ verified {2}activity\.detected +Ada Example, Buyer commented “Where can I get it\?”/
    )
    const script = list.replace("4000", port)
    const { stdout } = await new Promise<{ stdout: string }>((resolve) => {
      execFile("bash", ["-c", script], { env: { ...process.env, KEY: key! } }, (_error, out) =>
        resolve({ stdout: out })
      )
    })
    expect(JSON.parse(stdout).data.map(({ name }: any) => name)).toEqual([
      "Ada Example",
      "Bo Example",
      "Cy Example"
    ])
    console.log(
      `from the first command to the verified webhook and the list: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`
    )
    listening.child.kill("SIGINT")
    await once(listening.child, "exit")
  })
})
