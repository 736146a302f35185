/** `simulate bugs`: which planted bugs the oracles find, after how many seeds, in how small a counterexample. */
import type { Bug } from "../bugs/index.ts"
import { huntAll } from "../BugHunt.ts"
import { bugsTable, huntSummary } from "../report/BugsTable.ts"
import { exitCodes } from "./ExitCodes.ts"
import type { Output } from "./Output.ts"

/** Answers the exit code. */
export const huntBugs = async (
  output: Output,
  bugs: ReadonlyArray<Bug>,
  { seeds, table: file }: { readonly seeds: number; readonly table: string | undefined }
): Promise<number> => {
  const { progress } = output
  const width = Math.max(...bugs.map(({ name }) => name.length))
  let done = 0
  const hunted = await huntAll(bugs, seeds, (each) => {
    done++
    progress.clear()
    output.line(output.isJson ? JSON.stringify(each) : `  ${each.bug.padEnd(width)}  ${huntSummary(each)}`)
    progress.update(done / bugs.length, `${done} of ${bugs.length} bugs`)
  })
  progress.clear()
  const table = bugsTable(hunted, seeds)
  if (file !== undefined) output.file(file, table.markdown)
  output.text(table.summary)
  return hunted.every(({ oracle }) => oracle !== null) ? exitCodes.passed : exitCodes.violated
}
