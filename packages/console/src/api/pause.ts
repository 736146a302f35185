/** Waiting between two attempts of a call. */

/** Ends after the time, or as soon as the signal aborts; at once where it has. */
export const pause = (millis: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", end)
      resolve()
    }
    const timer = setTimeout(end, millis)
    signal.addEventListener("abort", end)
    if (signal.aborted) end()
  })
