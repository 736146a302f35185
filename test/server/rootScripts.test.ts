/** The scripts of the root's package.json as npm runs them: under which Node, what they end with, and that they end. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, describe, expect, it } from "vitest"
import { environmentWith, isSupported } from "../../scripts/pinnedNode.mjs"
import { nodeOf } from "../harness/Runtimes.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"
import { root } from "../harness/ServerProcess.ts"

const folder = temporaryFolder()
const groups: Array<number> = []

// Each npm leads a process group of its own, so that what it leaves behind can be seen, and ended.
afterAll(() => {
  for (const group of groups) {
    try {
      process.kill(-group, "SIGKILL")
    } catch {
      // All of it has ended.
    }
  }
})

const isGroupAlive = (group: number): boolean => {
  try {
    process.kill(-group, 0)
    return true
  } catch {
    return false
  }
}

const gone = async (group: number): Promise<void> => {
  while (isGroupAlive(group)) await sleep(20)
}

const npm = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv, cwd = root) => {
  const child: ChildProcess = spawn("npm", [...args], {
    cwd,
    env: { ...env, NO_COLOR: "1" },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"]
  })
  groups.push(child.pid!)
  let output = ""
  child.stdout!.on("data", (chunk) => (output += chunk))
  child.stderr!.on("data", (chunk) => (output += chunk))
  const exit = once(child, "exit").then(([code, signal]: Array<any>) => (code ?? signal) as number | string)
  const until = async (pattern: RegExp): Promise<string> => {
    let isOver = false
    void exit.then(() => (isOver = true))
    for (;;) {
      const found = pattern.exec(output)
      if (found !== null) return found[1] ?? found[0]
      if (isOver) throw new Error(`npm ended before ${pattern} was written:\n${output}`)
      await sleep(20)
    }
  }
  return { pid: child.pid!, exit, until, output: () => output }
}

const lines = (isThorough ? ["20", "22", "24", "26"] : []).flatMap((line) => {
  const binary = nodeOf(line)
  return binary === null ? [] : [[`Node ${line}`, environmentWith(binary)] as const]
})
const onEach = [["this Node", process.env] as const, ...lines]
/** Ctrl+C sends SIGINT, too. */
const signalsToNpm = isThorough ? (["SIGTERM", "SIGINT", "SIGKILL"] as const) : (["SIGKILL"] as const)
const server = { PORT: "0", LEAD_SIGNALS_DATABASE: "memory", LEAD_SIGNALS_DEMO: "false" }

const isListening = async (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    () => true,
    () => false
  )

describe("npm start", () => {
  it.each(onEach.flatMap(([name, env]) => signalsToNpm.map((signal) => [name, signal, env] as const)))(
    "under %s ends with its server when npm alone gets %s [RUN-6, HEALTH-5]",
    async (_, signal, env) => {
      const started = npm(["start"], { ...env, ...server })
      const url = await started.until(/^Listening on (http:\S+)$/m)
      process.kill(started.pid, signal)
      expect(await started.exit).toBe(signal === "SIGKILL" ? "SIGKILL" : 0)
      await gone(started.pid)
      expect(await isListening(url)).toBe(false)
      expect(started.output()).toContain("draining")
    }
  )

  it.runIf(isThorough).each(onEach)(
    "under %s drains on Ctrl+C, which each process gets repeatedly [RUN-6]",
    async (_, env) => {
      const started = npm(["start"], { ...env, ...server })
      await started.until(/^Listening on (http:\S+)$/m)
      process.kill(-started.pid, "SIGINT")
      expect(await started.exit).toBe(0)
      await gone(started.pid)
      expect(started.output()).toContain("draining")
    }
  )
})

describe("every other root script", () => {
  it.each(onEach)("under %s passes exit codes through [RUN-6]", async (_, env) => {
    const absent = npm(["run", "lead-signals", "--", "check", "--database", "/nowhere.sqlite"], env)
    expect([await absent.exit, absent.output()]).toEqual([2, expect.stringContaining("There is no file")])
    // The command line's own tests end with this code, too, and load the simulator from its sources, which takes two seconds.
    if (!isThorough) return
    const misused = npm(["run", "lead-signals", "--", "--port"], env)
    expect([await misused.exit, misused.output()]).toEqual([2, expect.stringContaining("--help")])
    expect(await npm(["run", "simulate", "--", "list"], env).exit).toBe(0)
  })

  it("test:only says that it takes a name", async () => {
    const { exit, output } = npm(["run", "test:only"], process.env)
    expect([await exit, output()]).toEqual([2, expect.stringContaining("NAME")])
  })

  it.runIf(isThorough)("test:only runs the test files of a name", async () => {
    const { exit, output } = npm(["run", "test:only", "--", "domain/Keys"], process.env)
    expect(await exit).toBe(0)
    expect(output()).toMatch(/Test Files +1 passed/)
  })

  const programs: ReadonlyArray<readonly [string, ReadonlyArray<string>, RegExp]> = [
    [
      "lead-signals listen",
      ["lead-signals", "--", "listen", "--port", "0", "--secret", "whsec_MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0"],
      /^Listening on /m
    ],
    ["simulate", ["simulate", "--", "nightly", "--corpus", join(folder, "nightly")], /^nightly · /m],
    ["bench", ["bench", "--", "--quick", "--shape", "first-page", "--write", "/dev/null"], /warming up/]
  ]
  it.runIf(isThorough).each(programs)(
    "%s leaves no process behind when npm alone is ended [RUN-6]",
    async (_, args, isUnderWay) => {
      for (const signal of ["SIGTERM", "SIGKILL"] as const) {
        // Silent: npm's own lines name the script, and would pass for what it writes.
        const started = npm(["--silent", "run", ...args], process.env)
        await started.until(isUnderWay)
        await sleep(300)
        process.kill(started.pid, signal)
        await started.exit
        await gone(started.pid)
      }
    }
  )
})

describe("./lead-signals", () => {
  it("finds its clone when symbolic links call it", () => {
    const bin = join(folder, "bin")
    mkdirSync(bin)
    // A `node` that prints its first argument: the path of the program.
    writeFileSync(join(bin, "node"), '#!/bin/sh\necho "$1"\n', { mode: 0o755 })
    symlinkSync(join(root, "lead-signals"), join(folder, "absolute"))
    symlinkSync("../absolute", join(bin, "relative"))
    const env = { ...process.env, PATH: `${bin}:${process.env["PATH"]}` }
    for (const link of [join(folder, "absolute"), join(bin, "relative")]) {
      const program = execFileSync(link, { cwd: folder, encoding: "utf8", env })
      expect(realpathSync(program.trim())).toBe(realpathSync(join(root, "scripts", "run.mjs")))
    }
  })
})

describe("a Node that is too old", () => {
  it.each([
    ["18.20.8", false],
    ["20.20.2", false],
    ["22.13.1", false],
    ["22.14.0", true],
    ["23.5.0", false],
    ["23.6.0", true],
    ["24.0.0", true],
    ["26.10.0", true]
  ])("%s: supported is %s [RUN-7]", (version, supported) => expect(isSupported(version)).toBe(supported))

  const old = nodeOf("20")

  it.skipIf(old === null)("is replaced by the pinned one, which one line says [RUN-7]", async () => {
    const started = npm(["run", "lead-signals", "--", "--version"], environmentWith(old!))
    expect(await started.exit).toBe(0)
    expect(started.output()).toMatch(
      /^Node 20\.\S+ is too old \(22\.14 or newer is needed\): running under Node 24\.\S+\.$/m
    )
  })

  it.skipIf(old === null || !isThorough)(
    "is not replaced by what does not match the lockfile's hash",
    async () => {
      const copy = join(folder, "altered")
      for (const name of ["package.json", "scripts"]) {
        cpSync(join(root, name), join(copy, name), {
          recursive: true,
          filter: (source) => !source.includes("node_modules")
        })
      }
      const lockfile = join(copy, "scripts", "runtimes", "24", "pnpm-lock.yaml")
      const altered = readFileSync(lockfile, "utf8").replaceAll(/sha512-.{8}/g, "sha512-AAAAAAAA")
      writeFileSync(lockfile, altered)
      const started = npm(
        ["start"],
        { ...environmentWith(old!), ...server, npm_config_fetch_retries: "0" },
        copy
      )
      expect(await started.exit).toBe(1)
      expect(started.output()).toContain("is not what the lockfile names")
      expect(started.output()).not.toContain("running under Node")
      expect(existsSync(join(copy, "node_modules"))).toBe(false)
      expect(started.output()).toContain("Install Node 22.14 or newer")
    }
  )
})
