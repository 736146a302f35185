/** What the runs of a command met, and whether they prove anything. */
import { coverageTable, missedCoverage } from "../report/Summary.ts"
import type { Scenario } from "../Scenario.ts"

/** Fewer seeds of the swarm need not meet everything that it declares. */
export const seedsForCoverage = 50

/** Sums up the runs of a command. `vacuity` is judged once all of them were added. */
export class CoverageMarks {
  private readonly met = new Map<string, number>()
  private engagements = 0

  constructor(
    private readonly scenario: Scenario,
    /** A part of a scenario's hours need not meet what it declares. */
    private readonly isWhole: boolean
  ) {}

  add(run: {
    readonly coverageMarks: Iterable<string>
    readonly counts: { readonly engagements: number }
  }): void {
    this.engagements += run.counts.engagements
    for (const mark of run.coverageMarks) this.met.set(mark, (this.met.get(mark) ?? 0) + 1)
  }

  table(seeds: number): ReadonlyArray<string> {
    return coverageTable(this.scenario.coverageMarks, this.met, seeds)
  }

  /** Why the seeds have proved nothing; null when they have proved something. */
  vacuity(seeds: number, swarmSeeds = seedsForCoverage): string | null {
    if (this.engagements === 0) return "no person was seen"
    const isJudged = this.isWhole && (!this.scenario.swarm || seeds >= swarmSeeds)
    const missed = isJudged ? missedCoverage(this.scenario, this.met) : []
    return missed.length === 0 ? null : `it never met "${missed.join('", "')}"`
  }
}
