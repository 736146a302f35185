/** What the page of campaigns shows, as its URL has it. */
import { searchTexts } from "../shell/searchTexts.ts"

const names = ["campaign", "post", "days", "interval", "figures"] as const

/** Texts of the URL, of which unknown values fall back to defaults where they are used. */
export type CampaignSearch = { readonly [Name in (typeof names)[number]]?: string }

/** Keeps known parameters with a text; drops empty and unknown ones. */
export const readCampaignSearch = (given: Record<string, unknown>): CampaignSearch =>
  searchTexts(names, given)

const millisPerDay = 86_400_000

/** The periods that the page offers, by the number of their days up to today. */
export const periods = [
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "1 year"]
] as const

const defaultDays = "30"

/** The number of days of the chosen period, as text; the default where the URL has none that is offered. */
export const daysOf = ({ days }: CampaignSearch): string =>
  periods.some(([each]) => each === days) ? days! : defaultDays

const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, "2026-01-05".length)

/** The last days up to today, in UTC, as the API's days are. */
export const lastDays = (days: number, now = Date.now()) => ({
  startDate: dayOf(now - (days - 1) * millisPerDay),
  endDate: dayOf(now)
})
