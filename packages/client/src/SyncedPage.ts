import type { Lead, RemovedLead } from "./ApiTypes.ts"

/** New and changed leads, oldest update first. */
export interface SyncedPage {
  /** Leads that are new or have changed, each with the state that the page has. */
  readonly leads: ReadonlyArray<Lead>
  /**
   * Leads that are gone, for a copy to delete; empty where the service or the sync does not tell them: with a filter, and from a service
   * of before version 1.8 of the API. [CHG-3]
   */
  readonly removed: ReadonlyArray<RemovedLead>
  /** Store it once these leads are processed: a sync that begins with it continues after them. */
  readonly cursor: string
}
