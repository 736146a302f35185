/** What became of a mutant under a judge. */

/**
 * Why the simulator killed a mutant, or did not. `oracle`: a rule was violated. `livelock`: something owed did not come.
 * `defect`: the simulation failed. `timeout`: a seed took too long. `load`: the program did not start. `absent`: the
 * simulator's program does not contain the mutated code. `unreached`: it does, and none of its runs comes to it.
 */
type SimulatorOutcome =
  | "oracle"
  | "livelock"
  | "defect"
  | "timeout"
  | "load"
  | "survived"
  | "unreached"
  | "absent"

/** What the simulator said of a mutant. */
export interface SimulatorJudgement {
  readonly by: "simulator"
  readonly outcome: SimulatorOutcome
  /** The rule or the error; empty where there is none. */
  readonly detail: string
  /** How many runs there were. */
  readonly seeds: number
  /** CPU seconds that they took. */
  readonly seconds: number
  /** Whether every run that comes to the mutant was made: a larger budget has no more of them. */
  readonly isExhausted?: boolean
}

/** What the tests said of a mutant. */
export interface TestJudgement {
  readonly by: "tests"
  readonly outcome: "failed" | "timeout" | "survived"
  /** The first test that failed. */
  readonly detail: string
  /** How many files of tests there might be. */
  readonly files: number
  /** By the clock. */
  readonly seconds: number
}

/** What either judge said. */
export type Judgement = SimulatorJudgement | TestJudgement

/** Whether the judge noticed the mutant, in whatever way. */
export const isKill = ({ outcome }: Judgement): boolean =>
  !["survived", "unreached", "absent"].includes(outcome)

/** How long the simulator may judge one mutant. */
export interface SimulatorBudget {
  /** Runs for a mutant, of those that come to its place. */
  readonly seeds: number
  /** CPU seconds for a mutant, after which no run begins. */
  readonly seconds: number
}
