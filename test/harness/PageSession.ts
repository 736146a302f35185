/** Runs the commands of a page of the documentation as they are printed, in order: see `PageBlocks.ts`. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { compileCache, nodeArguments } from "./BundledServer.ts"
import { program } from "./CommandRun.ts"
import { freePort } from "./FreePort.ts"
import { type Block, blocksOf, isCommand, isOutput, isProgram, missingIn } from "./PageBlocks.ts"
import { root } from "./ServerProcess.ts"

/** Next to the tests, where programs find the packages by name. */
export const programFolder = join(root, "test", ".readme")

/** curl's exit code for a status of 400 and above, where `--fail-with-body` makes it fail. */
const httpError = 22
const prelude = `curl() { command curl --silent --show-error --fail-with-body "$@"; }`

/** Only what a page shows wrongly takes so long. */
const maxWaitMillis = 300_000

/** Pages name ports in these ranges. Each becomes a free one; 4000 is the server's, 4100 a receiver's. */
const namedPort = /\b4[01]0\d\b/g

const accepts = async (port: string): Promise<boolean> => {
  const socket = connect(Number(port), "127.0.0.1")
  try {
    await once(socket, "connect")
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

const writeScript = (file: string, ...lines: ReadonlyArray<string>): void => {
  writeFileSync(file, ["#!/bin/sh", ...lines, ""].join("\n"))
  chmodSync(file, 0o755)
}

/** Bash ends at the first command that fails, and at a variable that nothing has set. */
const strictly = (code: string): ReadonlyArray<string> => [
  "--norc",
  "-euo",
  "pipefail",
  "-c",
  `${prelude}\n${code}`
]

interface Terminal {
  readonly printed: () => string
  readonly until: (isSo: () => boolean | Promise<boolean>, expected: () => string) => Promise<void>
  readonly end: () => Promise<void>
}

const openTerminal = (
  code: string,
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }
): Terminal => {
  const child = spawn("bash", strictly(code), {
    ...options,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"]
  })
  const closed = once(child, "close")
  let text = ""
  let isOver = false
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk))
  void closed.then(() => (isOver = true))
  return {
    printed: () => text,
    until: async (isSo, expected) => {
      const startedAt = performance.now()
      while (!(await isSo())) {
        if (isOver || performance.now() - startedAt > maxWaitMillis)
          throw new Error(`${expected()}, but:\n${text}`)
        await sleep(10)
      }
    },
    end: async () => {
      if (!isOver) process.kill(-child.pid!, "SIGKILL")
      await closed
    }
  }
}

interface PageSession {
  /** Runs all blocks of the page. Fails at the first that does not do what the page says. */
  readonly run: () => Promise<void>
  /** Ends the terminals that still run. */
  readonly close: () => Promise<void>
}

/**
 * A session in an empty folder, which becomes like a clone: `npm start` and `./lead-signals` run the bundle there, and
 * `./lead-signals simulate` the program `simulate`.
 */
export const openSession = async (cwd: string, page: string, simulate: string): Promise<PageSession> => {
  const names = new Set(["4000", "4100", ...(page.match(namedPort) ?? [])])
  const ports = new Map<string, string>()
  for (const name of names) ports.set(name, String(await freePort()))
  const [server, receiver] = [ports.get("4000")!, ports.get("4100")!]

  const node = ["exec node", ...nodeArguments].join(" ")
  const bin = join(cwd, ".bin")
  mkdirSync(bin)
  symlinkSync(join(root, "examples"), join(cwd, "examples"))
  // A page that starts a server elsewhere sets PORT itself. Every other program that reads PORT is a receiver.
  const serve = `[ "$PORT" != ${receiver} ] || PORT=${server}; ${node} "${program}" "$@"`
  writeScript(
    join(bin, "npm"),
    `case "$1 $2" in`,
    `  "start ") shift; ${serve} ;;`,
    `  "run lead-signals") shift 3; exec ./lead-signals "$@" ;;`,
    `  "run simulate") shift 3; exec ./lead-signals simulate "$@" ;;`,
    "esac",
    "exit 1"
  )
  writeScript(
    join(cwd, "lead-signals"),
    `case "$*" in`,
    `  simulate*) shift; ${node} "${simulate}" "$@" ;;`,
    `  serve*) ${serve} ;;`,
    `  backup*|check*|completions*|copy*|prune*|help*|-*|*--help*|*--url*) ${node} "${program}" "$@" ;;`,
    `  *) ${node} "${program}" "$@" --url http://127.0.0.1:${server} ;;`,
    "esac"
  )
  const env = {
    PATH: `${bin}:${process.env["PATH"]}`,
    HOME: cwd,
    NODE_COMPILE_CACHE: compileCache,
    PORT: receiver,
    LEAD_SIGNALS_LOG: "json",
    LEAD_SIGNALS_DRAIN_PAUSE: "0"
  }

  const exported = join(cwd, ".exported")
  writeFileSync(exported, "")
  const terminals = new Map<string, Terminal>()
  const listening = new Set<string>([server])
  /** What the block before has printed; null after a program, which another test runs. */
  let last: { readonly out: string; readonly all: string } | null = null

  const commandOf = ({ code, language }: Block): string => {
    const command = code.replace(namedPort, (port) => ports.get(port)!)
    if (language === "sh") return command
    const file = join(programFolder, `${server}.ts`)
    mkdirSync(programFolder, { recursive: true })
    writeFileSync(file, command)
    return `(cd "${root}" && node --import tsx "${file}")`
  }

  const startTerminal = async (name: string, command: string): Promise<void> => {
    const terminal = openTerminal(command, { cwd, env })
    terminals.set(name, terminal)
    const isListening = async (): Promise<boolean> => {
      if (/listening on/i.test(terminal.printed())) return true
      for (const port of ports.values()) {
        if (listening.has(port) || !(await accepts(port))) continue
        listening.add(port)
        return true
      }
      return false
    }
    await terminal.until(isListening, () => `${name} should listen`)
  }

  const runToEnd = (command: string, expectedCode: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const script = `. "${exported}"\n${command}\nexport -p > "${exported}"`
      execFile("bash", strictly(script), { cwd, env }, (error, out, err) => {
        last = { out, all: `${out}\n${err}` }
        const code = error === null ? 0 : error.code
        if (code === expectedCode) resolve()
        else reject(new Error(`Exit code ${code} of:\n${command}\n${out}\n${err}`))
      })
    })

  const runBlock = async (block: Block, next: Block | undefined): Promise<void> => {
    const name = block.words[1]
    if (isCommand(block)) {
      const command = commandOf(block)
      if (name !== undefined) return startTerminal(name, command)
      const isRefused = next !== undefined && isOutput(next) && next.code.includes('"error":')
      return runToEnd(command, isRefused ? httpError : 0)
    }
    if (isProgram(block)) last = null
    if (!isOutput(block)) return
    if (name === undefined) {
      if (last === null) return
      const missing = missingIn(block.language === "json" ? last.out : last.all, block)
      if (missing.length > 0) throw new Error(`Expected ${missing.join("\n")}, but:\n${last.all}`)
      return
    }
    const terminal = terminals.get(name)!
    const missing = (): ReadonlyArray<string> => missingIn(terminal.printed(), block)
    await terminal.until(
      () => missing().length === 0,
      () => `Expected ${missing().join("\n")}`
    )
  }

  return {
    run: async () => {
      const blocks = blocksOf(page)
      for (const [i, block] of blocks.entries()) await runBlock(block, blocks[i + 1])
    },
    close: async () => {
      await Promise.all([...terminals.values()].map((terminal) => terminal.end()))
    }
  }
}
