/** What of the events the page shows, as its URL has it. */
export interface LiveSearch {
  readonly event?: string
  readonly signalId?: string
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined

export const readLiveSearch = (given: Record<string, unknown>): LiveSearch => {
  const [event, signalId] = [textOf(given["event"]), textOf(given["signalId"])]
  return {
    ...(event === undefined ? {} : { event }),
    ...(signalId === undefined ? {} : { signalId })
  }
}
