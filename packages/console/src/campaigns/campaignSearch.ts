/** What the page of campaigns shows, as its URL has it. */
const names = ["campaign", "post", "days", "interval", "figures"] as const

export type CampaignSearch = { readonly [Name in (typeof names)[number]]?: string }

export const readCampaignSearch = (given: Record<string, unknown>): CampaignSearch =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = given[name]
      return typeof value === "string" && value !== "" ? [[name, value]] : []
    })
  )

const millisPerDay = 86_400_000

export const periods = [
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "1 year"]
] as const

const defaultDays = "30"

export const daysOf = ({ days }: CampaignSearch): string =>
  periods.some(([each]) => each === days) ? days! : defaultDays

const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, "2026-01-05".length)

/** The last days up to today, in UTC, as the API's days are. */
export const lastDays = (days: number, now = Date.now()) => ({
  startDate: dayOf(now - (days - 1) * millisPerDay),
  endDate: dayOf(now)
})
