/** How often the simulator's runs come to mutants, which is kept between campaigns. */
import type { StoreKind } from "../Run.ts"
import type { JudgeProcess } from "./JudgeProcess.ts"
import type { Mutant } from "./Mutant.ts"
import type { Place } from "./Reach.ts"
import type { Trial } from "./trial.ts"

/** Why a campaign can't judge anything. */
export class CleanRunError extends Error {
  override readonly name = "CleanRunError"
}

/** How often a run of the code as it is comes to mutants. */
export interface TrialReach {
  /** Null: the program's start, without a run. */
  readonly trial: Trial | null
  readonly store: Trial["store"]
  /** CPU seconds, while V8 counts. */
  readonly seconds: number
  /** By the ids of the mutants. */
  readonly counts: Readonly<Record<string, number>>
}

/** Keeps what was counted, for later campaigns over the same code. `null` as a trial is the load of the program alone. */
export interface ReachMemory {
  /** What is known of the trial, for some mutants at least. */
  readonly reach: (trial: Trial | null, store: StoreKind) => TrialReach | null
  readonly keepReach: (reached: TrialReach) => void
}

/** Counts how often runs over a store come to mutants, but for what was counted before. */
export class Reaching {
  private process: JudgeProcess | null = null

  constructor(
    private readonly store: StoreKind,
    private readonly mutants: ReadonlyArray<{ readonly mutant: Mutant; readonly place: Place }>,
    private readonly memory: ReachMemory | null,
    private readonly start: () => JudgeProcess
  ) {}

  async counts(trial: Trial | null): Promise<TrialReach> {
    const { store } = this
    const known = this.memory?.reach(trial, store) ?? null
    if (known !== null && this.mutants.every(({ mutant }) => known.counts[mutant.id] !== undefined))
      return known
    const places = this.mutants.map(({ place }) => place)
    if (this.process === null) {
      this.process = this.start()
      // The first job of a process evaluates the program, which is no part of a run: a campaign that goes on knows that count.
      if (trial !== null) await this.process.reach({ kind: "reach", places, trial: null })
    }
    const { counts, result, seconds } = await this.process.reach({ kind: "reach", places, trial })
    if (result.outcome !== "passed")
      throw new CleanRunError(
        `The code as it is does not pass ${trial!.scenario} with seed ${trial!.seed} over ${store}: ${result.outcome} ${result.detail}`
      )
    const byId = Object.fromEntries(this.mutants.map(({ mutant }, i) => [mutant.id, counts[i]!]))
    const reached = { trial, store, seconds, counts: byId }
    this.memory?.keepReach(reached)
    return reached
  }

  stop(): void {
    this.process?.stop()
  }
}
