/** Plants each bug in turn, and runs its scenario until a rule breaks: which rule, after how many seeds, and how small the counterexample is. */
import { rmSync } from "node:fs"
import type { Bug } from "./bugs/index.ts"
import { bundle } from "./bugs/PlantedModules.ts"
import { forkProgram } from "./Campaign.ts"

/** The job of a process that searches for one bug. `hunt` is the name of the bug, which is planted in the program of the process. */
export interface HuntJob {
  readonly hunt: string
  readonly store: "memory" | "sqlite"
  readonly scenario: string
  readonly seeds: number
  /** Seconds after which shrinking stops. */
  readonly shrinkSeconds: number
}

/**
 * What a hunt found: the first violation, and the size of its counterexample after shrinking. Where no seed showed the bug, the counts of the
 * counterexample are 0.
 */
export interface Hunted {
  readonly bug: string
  /** Null when no seed showed it. */
  readonly oracle: string | null
  readonly message: string | null
  /** How many seeds were run. */
  readonly seeds: number
  readonly actions: number
  readonly faults: number
  readonly shrinkRuns: number
  readonly seconds: number
}

const unseen = { seeds: 0, actions: 0, faults: 0, shrinkRuns: 0, seconds: 0 }

const hunt = async (bug: Bug, { seeds, shrinkSeconds }: HuntOptions): Promise<Hunted> => {
  const program = await bundle("hunter.ts", bug)
  try {
    return await new Promise((resolve, reject) => {
      const child = forkProgram(program, { stdio: ["ignore", "ignore", "inherit", "ipc"] })
      let found: Hunted | null = null
      child.on("message", (message) => (found = message as Hunted))
      child.on("error", reject)
      child.on("exit", (code, signal) =>
        // A simulator that breaks has found nothing, and neither has one whose run does not end.
        resolve(
          found ?? {
            ...unseen,
            bug: bug.name,
            oracle: null,
            message: `the simulator itself ended with ${signal ?? code}`
          }
        )
      )
      const { name, scenario, store } = bug
      child.send({ hunt: name, store, scenario, seeds, shrinkSeconds } satisfies HuntJob)
    })
  } finally {
    rmSync(program, { force: true })
  }
}

interface HuntOptions {
  /** Seeds a bug. */
  readonly seeds: number
  /** Seconds after which shrinking of a bug's counterexample stops. */
  readonly shrinkSeconds: number
  /** Bugs that are hunted at once. */
  readonly jobs: number
  readonly onHunted: (hunted: Hunted) => void
}

/** In the order of the bugs. */
export const huntAll = async (
  bugs: ReadonlyArray<Bug>,
  options: HuntOptions
): Promise<ReadonlyArray<Hunted>> => {
  const { jobs, onHunted } = options
  const found: Array<Hunted> = []
  let next = 0
  const work = async (): Promise<void> => {
    for (let i = next++; i < bugs.length; i = next++) {
      found[i] = await hunt(bugs[i]!, options)
      onHunted(found[i]!)
    }
  }
  await Promise.all(Array.from({ length: jobs }, work))
  return found
}
