/** What is simulated, as the URL has it: a link repeats the run. */
import { searchTexts } from "../shell/searchTexts.ts"

/** The fields of the form as texts; `hours` is empty for those of the scenario. */
export interface SimulationSearch {
  readonly scenario?: string
  readonly seed?: string
  readonly bug?: string
  /** Virtual hours, instead of the scenario's own. */
  readonly hours?: string
}

/** Keeps texts; the page falls back to its defaults for a scenario or bug that there is not. */
export const readSimulationSearch = (given: Record<string, unknown>): SimulationSearch =>
  searchTexts(["scenario", "seed", "bug", "hours"], given)
