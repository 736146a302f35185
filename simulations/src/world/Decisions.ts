/**
 * What goes wrong, decided point by point. Each point of a run at which something may go wrong has a label, and what
 * happens there is a function of the seed and the label alone: leaving something out of a run does not change what happens
 * elsewhere, which is what makes counterexamples shrink. The labels of what did go wrong are the run's faults; given such labels,
 * a run has these faults and no other.
 */
import { Prng } from "@lead-signals/simulation-kernel"

/** One for each run. A second call of `fault` with a label is another point; `below` and `chance` answer the same each time. */
export class Decisions {
  private readonly requested = new Map<string, number>()

  /** `only`: the faults to have, by label; null: as the seed says. `onFault` is called for each. */
  constructor(
    private readonly seed: number,
    private readonly only: ReadonlySet<string> | null,
    private readonly onFault: (label: string) => void
  ) {}

  /** Whether faults are named beforehand. */
  get areGiven(): boolean {
    return this.only !== null
  }

  /** The same label a second time is another point. */
  private point(label: string): string {
    const times = (this.requested.get(label) ?? 0) + 1
    this.requested.set(label, times)
    return times === 1 ? label : `${label} (${times})`
  }

  /** From 0 to below − 1; no fault, just how things are. */
  below(label: string, below: number): number {
    return Prng.of(this.seed, label).below(below)
  }

  chance(label: string, probability: number): boolean {
    return Prng.of(this.seed, label).chance(probability)
  }

  /** Whether the fault happens at this point; its label when it does. */
  fault(label: string, probability: number): string | null {
    if (this.only === null && probability === 0) return null
    const point = this.point(label)
    const happens = this.only === null ? Prng.of(this.seed, point).chance(probability) : this.only.has(point)
    if (!happens) return null
    this.onFault(point)
    return point
  }
}
