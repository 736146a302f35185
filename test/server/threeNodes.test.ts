/** examples/three-nodes runs as its comment says, and the commands that it prints do what they say. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { expect, it } from "vitest"
import { isWithoutPostgres, newDatabase } from "../harness/Postgres.ts"
import { root } from "../harness/ServerProcess.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const shell = (script: string): Promise<string> =>
  new Promise((resolve, reject) =>
    execFile("bash", ["-c", script], (error, out) => (error === null ? resolve(out) : reject(error)))
  )

it.skipIf(!isThorough || isWithoutPostgres || process.platform === "win32")(
  "three nodes on one Postgres answer behind one proxy, and stop cleanly",
  async () => {
    const database = await newDatabase()
    const child = spawn(process.execPath, [join(root, "examples/three-nodes/start.mjs")], {
      env: { ...process.env, LEAD_SIGNALS_DATABASE: database, PORT: "0" },
      stdio: ["ignore", "pipe", "ignore"]
    })
    const exit = once(child, "exit")
    let out = ""
    for await (const chunk of child.stdout) {
      out += chunk
      if (out.includes("six requests a minute") && out.endsWith("\n\n")) break
    }
    const commands = out.split("\n").filter((line) => /^ {2}\S/.test(line))
    expect(commands.length).toBe(5)
    const answer = await shell(commands.join("\n"))
    expect(answer).toContain('"outcome":"recorded"')
    expect(answer.match(/"name":"Ada Abara"/g)).toHaveLength(3)
    expect(new Set(Array.from(answer.matchAll(/^x-node: (\d)/gim), ([, node]) => node)).size).toBe(3)
    expect(Array.from(answer.matchAll(/^x-ratelimit-remaining: (\d+)/gim), ([, n]) => n)).toEqual([
      "5",
      "4",
      "3"
    ])
    expect(answer.match(/^\d{3}$/gm)).toEqual(["200", "200", "200", "429"])
    child.kill("SIGINT")
    expect(await exit).toEqual([0, null])
  }
)
