/** What of the events the page shows, as its URL has it. */
import { searchTexts } from "../shell/searchTexts.ts"

/** Without a parameter all events, or those of all signals, are shown. */
export interface LiveSearch {
  readonly event?: string
  readonly signalId?: string
}

/** Keeps texts; a value that no event has filters all of them out. */
export const readLiveSearch = (given: Record<string, unknown>): LiveSearch =>
  searchTexts(["event", "signalId"], given)
