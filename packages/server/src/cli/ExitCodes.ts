/** What every command of the server's command line ends with. [CLI-1] */
import { exitCodes as common } from "@lead-signals/command-line"

const { interrupted, terminated, ...ended } = common

/** The exit codes of the command line, as the help lists them. */
export const exitCodes = { ...ended, unreachable: 3, interrupted, terminated }

/** The codes as the help and docs/command-line.md list them. */
export const exitCodeTable: ReadonlyArray<readonly [code: number, meaning: string]> = [
  [exitCodes.done, "done; for serve, listen, events and mcp: stopped"],
  [
    exitCodes.failed,
    "refused by the server, failed on the way, not sound, or with lines that import rejected"
  ],
  [
    exitCodes.usage,
    "wrong usage, a file that is missing or can't be read, or a setting that can't be used: its value, a port, a database"
  ],
  [exitCodes.unreachable, "no answer from the server, or it can't answer now"],
  [exitCodes.interrupted, "ended by SIGINT"],
  [exitCodes.terminated, "ended by SIGTERM"]
]
