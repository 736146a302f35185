/** `lead-signals simulate` as a process of its own: bundled, so that it starts in a third of the time. */
import { PlantedModules } from "@lead-signals/simulations/bugs"
import { programFor } from "@lead-signals/simulations/internal"
import { execFile } from "node:child_process"
import { renameSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { compileCache, nodeArguments } from "./BundledServer.ts"
import { type Ran, startInProcess } from "./CommandInProcess.ts"
import { madeOnce } from "./MadeOnce.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

export type SimulateCommand = (
  args: ReadonlyArray<string>,
  env?: Record<string, string>,
  node?: string
) => Promise<Ran>

/** Runs the command in this process. Only for words that it refuses or explains: what it simulates must have a process to itself. */
export const refuseHere = (...args: ReadonlyArray<string>): Promise<Ran> =>
  startInProcess(programFor(args), args).ended

/** The path of its bundle. */
export const simulateProgram = (): Promise<string> =>
  madeOnce("simulate.mjs", async (path) => renameSync(await PlantedModules.bundle("simulate.ts", null), path))

/** The command. */
export const bundleSimulate = async (): Promise<SimulateCommand> => {
  const program = await simulateProgram()
  return (args, env = {}, node = process.execPath) =>
    new Promise((resolve) => {
      execFile(
        node,
        [...nodeArguments, program, ...args],
        {
          cwd: root,
          env: { ...process.env, NODE_COMPILE_CACHE: compileCache, ...env },
          maxBuffer: 64 * 1024 * 1024
        },
        (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err })
      )
    })
}

/** What the last line says. */
export const digestOf = ({ out }: Ran): string =>
  /^digest: ([0-9a-f]{64})$/.exec(out.trim().split("\n").at(-1)!)![1]!
