/** `simulate bugs`: which planted bugs the oracles find, after how many seeds, in how small a counterexample. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { dirname } from "node:path"
import type { Bug } from "../bugs/index.ts"
import { huntAll, type Hunted } from "../BugHunt.ts"
import { bugsTable, huntSummary } from "../report/BugsTable.ts"
import { exitCodes } from "./ExitCodes.ts"
import type { Output } from "./Output.ts"

interface HuntBugsOptions {
  readonly seeds: number
  readonly shrinkSeconds: number
  readonly jobs: number
  /** The file of the table. */
  readonly table: string | undefined
  /** The file of what was found: bugs that it holds are not hunted again. */
  readonly results: string | undefined
}

/** What the file holds, the last line of each bug; a line that was cut off by a kill counts for nothing. */
const readResults = (file: string | undefined): ReadonlyMap<string, Hunted> => {
  const results = new Map<string, Hunted>()
  if (file === undefined || !existsSync(file)) return results
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (!line.endsWith("}")) continue
    const hunted = JSON.parse(line) as Hunted
    results.set(hunted.bug, hunted)
  }
  return results
}

/** Answers the exit code. */
export const huntBugs = async (
  output: Output,
  bugs: ReadonlyArray<Bug>,
  { jobs, results, seeds, shrinkSeconds, table: file }: HuntBugsOptions
): Promise<number> => {
  const { progress } = output
  const known = readResults(results)
  if (results !== undefined) mkdirSync(dirname(results), { recursive: true })
  const open = bugs.filter(({ name }) => !known.has(name))
  const width = Math.max(...bugs.map(({ name }) => name.length))
  let done = 0
  const hunted = await huntAll(open, {
    seeds,
    shrinkSeconds,
    jobs,
    onHunted: (each) => {
      done++
      progress.clear()
      if (results !== undefined) appendFileSync(results, `${JSON.stringify(each)}\n`)
      output.line(output.isJson ? JSON.stringify(each) : `  ${each.bug.padEnd(width)}  ${huntSummary(each)}`)
      progress.update(done / open.length, `${done} of ${open.length} bugs`)
    }
  })
  progress.clear()
  const byName = new Map([...known.values(), ...hunted].map((each) => [each.bug, each]))
  const all = bugs.map(({ name }) => byName.get(name)!)
  const table = bugsTable(all, seeds)
  if (file !== undefined) output.file(file, table.markdown)
  output.text(table.summary)
  return all.every(({ oracle }) => oracle !== null) ? exitCodes.passed : exitCodes.violated
}
