/** Whether the generated histories of a file have reached what they are for: otherwise their cases would pass for nothing. */
import { expect } from "vitest"

const needed = [
  "a window was full",
  "blanked in a batch",
  "late",
  "recovered",
  "renamed",
  "status 200",
  "status 302",
  "status 410",
  "status 500"
]

export class HistoryCoverage {
  private readonly reached = new Set<string>()

  readonly add = (situations: ReadonlySet<string>): void => {
    for (const situation of situations) this.reached.add(situation)
  }

  /** After the cases of one store with as many histories as they have by default. */
  readonly check = (): void => {
    expect([...this.reached]).toEqual(expect.arrayContaining(needed))
  }
}
