/** Runs of the command line, in this process or as its users have it, beside a server of the file's tests. */
import { CommandProcess, execute } from "@lead-signals/command-line"
import { program as commandLine } from "@lead-signals/server/internal"
import { Effect, Exit, Fiber } from "effect"
import { execFile } from "node:child_process"
import { EventEmitter } from "node:events"
import { bundledServer, compileCache, nodeArguments } from "./BundledServer.ts"
import { operatorToken, type ServerProcess, startServer } from "./ServerProcess.ts"

/** `lead-signals` as one file, as it is built. */
export const program = bundledServer

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Starts the command in this process. `onOutput` hears of all that it writes. */
export const startCommand = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
  onOutput: (text: string) => void = () => {}
): { readonly ended: Promise<Ran>; readonly interrupt: () => void } => {
  const written = { out: "", err: "" }
  const stream = (name: "out" | "err") =>
    Object.assign(new EventEmitter(), {
      write: (text: string) => {
        written[name] += text
        onOutput(text)
      }
    })
  const commandProcess: typeof CommandProcess.Service = {
    env: { LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken, ...environment },
    stdin: {},
    stdout: stream("out"),
    stderr: stream("err")
  }
  const fiber = Effect.runFork(
    Effect.provideService(execute(commandLine, args), CommandProcess, commandProcess)
  )
  const ended = Effect.runPromise(Fiber.await(fiber)).then((exit) => {
    if (Exit.isFailure(exit) && !Exit.isInterrupted(exit)) throw new Error(String(exit))
    return { code: Number(commandProcess.exitCode ?? 0), ...written }
  })
  return { ended, interrupt: () => fiber.unsafeInterruptAsFork(fiber.id()) }
}

/** Runs the command in this process, with the operator token in its environment. */
export const runCommand = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {}
): Promise<Ran> => startCommand(args, environment).ended

/** Runs the command as a process in the folder, with the operator token in its environment. */
export const runProcess = (
  folder: string,
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {}
): Promise<Ran> =>
  new Promise((resolve) => {
    const env = {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: compileCache,
      LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
      ...environment
    }
    execFile(
      process.execPath,
      [...nodeArguments, program, ...args],
      { cwd: folder, env },
      (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err })
    )
  })

/** Runs a command that calls the server, and gives what it prints as JSON. */
export const callServer = async (server: ServerProcess, args: ReadonlyArray<string>): Promise<any> => {
  const { code, err, out } = await runCommand([...args, "--json", "--url", server.url])
  if (code !== 0) throw new Error(`${args.join(" ")}: ${code} ${err}`)
  return JSON.parse(out)
}

/** A server over the database, without the demo, that sends webhooks to this machine. */
export const startOperatedServer = (database: string): Promise<ServerProcess> =>
  startServer(
    {
      LEAD_SIGNALS_DATABASE: database,
      LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken,
      LEAD_SIGNALS_DEMO: "false",
      LEAD_SIGNALS_WEBHOOK_ALLOW: "127.0.0.0/8"
    },
    program
  )
