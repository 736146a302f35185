/** What every command of the simulator ends with. */
import type { RunReport } from "../Run.ts"

/** By name; scripts and continuous integration rely on the numbers. */
export const exitCodes = { passed: 0, violated: 1, usage: 2, vacuous: 3, livelocked: 4, crashed: 5 }

/** As the help of each command lists them. */
export const exitCodeTable: ReadonlyArray<readonly [code: number, meaning: string]> = [
  [exitCodes.passed, "passed"],
  [exitCodes.violated, "a rule was violated, or a planted bug was not found"],
  [exitCodes.usage, "wrong usage, or a file that can't be read or written"],
  [exitCodes.vacuous, "proved nothing"],
  [exitCodes.livelocked, "livelocked: what was owed did not come"],
  [exitCodes.crashed, "the simulator itself failed"]
]

/** The exit code of a command whose only run ended so. */
export const exitCodeOf = ({ outcome }: Pick<RunReport, "outcome">): number => exitCodes[outcome]
