/** What Home plots, as its URL has it. */
export const homeIntervals = [
  ["hour", "By hour"],
  ["day", "By day"],
  ["week", "By week"]
] as const

export type HomeInterval = (typeof homeIntervals)[number][0]

export const homeGroups = [
  ["signal", "By signal"],
  ["type", "By type"],
  ["none", "All together"]
] as const

export type HomeGroup = (typeof homeGroups)[number][0]

export interface HomeSearch {
  readonly interval?: HomeInterval
  readonly by?: HomeGroup
}

export const readHomeSearch = (given: Record<string, unknown>): HomeSearch => {
  const interval = homeIntervals.find(([each]) => each === given["interval"])?.[0]
  const by = homeGroups.find(([each]) => each === given["by"])?.[0]
  return { ...(interval === undefined ? {} : { interval }), ...(by === undefined ? {} : { by }) }
}
