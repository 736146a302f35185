/** What Home plots, as its URL has it. */
export const homeIntervals = [
  ["hour", "By hour"],
  ["day", "By day"],
  ["week", "By week"]
] as const

/** As the API names it. */
export type HomeInterval = (typeof homeIntervals)[number][0]

/** The groupings of the plots, with their texts. "none" is the console's word for no parameter `by`. */
export const homeGroups = [
  ["signal", "By signal"],
  ["type", "By type"],
  ["none", "All together"]
] as const

/** "type" groups engagements alone; the plots of leads and deliveries leave it out. */
export type HomeGroup = (typeof homeGroups)[number][0]

/** The interval is "day" and the group "type" where the URL has none. */
export interface HomeSearch {
  readonly interval?: HomeInterval
  readonly by?: HomeGroup
}

/** Keeps values that the page offers, and drops all others. */
export const readHomeSearch = (given: Record<string, unknown>): HomeSearch => {
  const interval = homeIntervals.find(([each]) => each === given["interval"])?.[0]
  const by = homeGroups.find(([each]) => each === given["by"])?.[0]
  return { ...(interval === undefined ? {} : { interval }), ...(by === undefined ? {} : { by }) }
}
