/** The state of a webhook's page, as its URL has it. */
export interface DeliverySearch {
  readonly state?: string
  readonly page?: string
  /** The id of the delivery that is open. */
  readonly delivery?: string
}

export const readDeliverySearch = (given: Record<string, unknown>): DeliverySearch =>
  Object.fromEntries(
    (["state", "page", "delivery"] as const).flatMap((name) => {
      const value = given[name]
      return typeof value === "string" && value !== "" ? [[name, value]] : []
    })
  )
