/** What is simulated, as the URL has it: a link repeats the run. */
export interface SimulationSearch {
  readonly scenario?: string
  readonly seed?: string
  readonly bug?: string
  /** Virtual hours, instead of the scenario's own. */
  readonly hours?: string
}

export const readSimulationSearch = (given: Record<string, unknown>): SimulationSearch =>
  Object.fromEntries(
    (["scenario", "seed", "bug", "hours"] as const).flatMap((name) => {
      const value = given[name]
      return typeof value === "string" && value !== "" ? [[name, value]] : []
    })
  )
