/** A mutant, and what a campaign knows of it. */
import type { SimulatorJudgement, TestJudgement } from "./Judgement.ts"
import type { Mutant } from "./Mutant.ts"

/** A mutant with what is known of it; null where it was not judged, and need not be or has yet to be. */
export interface Judged {
  readonly mutant: Mutant
  readonly simulator: SimulatorJudgement | null
  readonly tests: TestJudgement | null
  /** Why it behaves as the code does; null unless it is marked so. */
  readonly equivalent: string | null
  /** Whether it belongs to the fair sample: the first of the drawn order, up to the first that was not judged to its end. */
  readonly isOfFairPart: boolean
}
