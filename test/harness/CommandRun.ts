/** Runs of the command line, in this process and as its users have it, beside a server of the file's tests. */
import { program as commandLine } from "@lead-signals/server/internal"
import { execFile } from "node:child_process"
import { bundledServer, compileCache, nodeArguments } from "./BundledServer.ts"
import { type InProcessTerminal, type Ran, startInProcess } from "./CommandInProcess.ts"
import { operatorToken, type ServerProcess, startServer } from "./ServerProcess.ts"

/** `lead-signals` as one file, as it is built. */
export const program = bundledServer

export type { Ran }

/** Starts the command in this process, with the operator token in its environment. */
export const startCommand = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
  onOutput?: (text: string) => void,
  terminal?: InProcessTerminal
) =>
  startInProcess(
    commandLine,
    args,
    { LEAD_SIGNALS_OPERATOR_TOKEN: operatorToken, ...environment },
    onOutput,
    terminal
  )

/** Runs the command in this process, with the operator token in its environment. */
export const runCommand = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {}
): Promise<Ran> => startCommand(args, environment).ended

/** Runs the command in this process as on a terminal. */
export const runOnTerminal = (
  args: ReadonlyArray<string>,
  terminal: InProcessTerminal = { columns: 80 }
): Promise<Ran> => startCommand(args, {}, undefined, terminal).ended

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
