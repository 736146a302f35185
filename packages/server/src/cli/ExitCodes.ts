/** What every command ends with. `simulate`, which has a command line of its own, has codes of its own. */
export const exitCodes = { done: 0, failed: 1, usage: 2, unreachable: 3, interrupted: 130, terminated: 143 }

/** The codes as the help and the README list them. */
export const exitCodeTable: ReadonlyArray<readonly [code: number, meaning: string]> = [
  [exitCodes.done, "done; for serve and listen: stopped"],
  [exitCodes.failed, "refused or failed: by the server, on a file, or for lines that import rejected"],
  [exitCodes.usage, "wrong usage, or a setting that can't be used: its value, a port, a database"],
  [exitCodes.unreachable, "no answer from the server, or it can't answer now"],
  [exitCodes.interrupted, "ended by SIGINT"],
  [exitCodes.terminated, "ended by SIGTERM"]
]
