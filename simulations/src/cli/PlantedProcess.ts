/** The command in a process of its own, into which a bug was planted. */
import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import type { Bug } from "../bugs/index.ts"
import { plantedChange } from "../bugs/BugChange.ts"
import { bundle } from "../bugs/PlantedModules.ts"
import { type PlantedChange, renderPlantedChange } from "../report/PlantedChange.ts"
import { exitCodes } from "./ExitCodes.ts"
import type { Output } from "./Output.ts"

const environment = process.env["LEAD_SIGNALS_PLANTED_CHANGE"]

/** What was planted into this process. */
export const plantedHere: PlantedChange | null =
  environment === undefined ? null : (JSON.parse(environment) as PlantedChange)

/** The name of the bug that was planted into this process. */
export const plantedBug: string | null = plantedHere?.name ?? null

/** The bundle of the processes of a campaign, with the same bug. */
export const plantedWorker: string | undefined = process.env["LEAD_SIGNALS_PLANTED_WORKER"]

/**
 * Runs the words of this process but for `--bug`, with `more` after them; answers the exit code. Only with `hasWorkers` are the
 * processes of a campaign bundled, which takes a second.
 */
export const runPlanted = async (
  output: Output,
  bug: Bug,
  more: ReadonlyArray<string>,
  hasWorkers: boolean
): Promise<number> => {
  const change = await plantedChange(bug)
  const program = await bundle("simulate.ts", bug)
  const worker = hasWorkers ? await bundle("worker.ts", bug) : null
  try {
    const words = process.argv.slice(2)
    const at = words.indexOf("--bug")
    const rest = at >= 0 ? words.toSpliced(at, 2) : words.filter((word) => !word.startsWith("--bug="))
    output.text(`${renderPlantedChange(change).join("\n")}\n`)
    const { status } = spawnSync(process.execPath, [program, ...rest, ...more], {
      stdio: "inherit",
      env: {
        ...process.env,
        LEAD_SIGNALS_PLANTED_CHANGE: JSON.stringify(change),
        ...(worker === null ? {} : { LEAD_SIGNALS_PLANTED_WORKER: worker })
      }
    })
    return status ?? exitCodes.crashed
  } finally {
    rmSync(program, { force: true })
    if (worker !== null) rmSync(worker, { force: true })
  }
}
