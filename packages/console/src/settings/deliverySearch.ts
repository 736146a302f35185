/** The state of a webhook's page, as its URL has it. */
import { searchTexts } from "../shell/searchTexts.ts"

/** The state that is listed, the page of the list, and the delivery whose dialog is open. */
export interface DeliverySearch {
  readonly state?: string
  readonly page?: string
  /** The id of the delivery that is open. */
  readonly delivery?: string
}

/** Keeps texts; the API judges state and page. */
export const readDeliverySearch = (given: Record<string, unknown>): DeliverySearch =>
  searchTexts(["state", "page", "delivery"], given)
