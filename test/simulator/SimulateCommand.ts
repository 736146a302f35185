/** `pnpm simulate` as a process of its own. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))
const program = fileURLToPath(new URL("../../simulations/src/simulate.ts", import.meta.url))

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

export const simulateCommand = (
  args: ReadonlyArray<string>,
  env: Record<string, string> = {}
): Promise<Ran> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      ["--import", "tsx", program, ...args],
      { cwd: root, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 },
      (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err })
    )
  })

/** What the last line says. */
export const digestOf = ({ out }: Ran): string =>
  /^digest: ([0-9a-f]{64})$/.exec(out.trim().split("\n").at(-1)!)![1]!
