/** The axis of time of a plot: which instants it spans, and how its ticks are called. Times are in seconds, as uPlot has them. */

const daySeconds = 86_400

/** Intervals that an axis has beside the only one of a plot, on each side. */
const around = 2

/**
 * The first and the last instant of an axis. `times` ascend; `step` is the length of an interval, where it is known. Bars stand to the right of
 * their instant, so the last one needs its interval. One instant alone stands in the middle of five intervals. Without any: one day of 1970.
 */
export const timeSpan = (
  times: ReadonlyArray<number>,
  kind: "bars" | "lines",
  step: number | null
): [first: number, last: number] => {
  const [first = 0, second] = times
  if (second === undefined) {
    const length = step ?? daySeconds
    return [first - around * length, first + (around + 1) * length]
  }
  return [first, times.at(-1)! + (kind === "bars" ? (step ?? second - first) : 0)]
}

/**
 * How ticks are called that lie `increment` seconds apart: days, times of day, or these with seconds; a tick at midnight is its day. A name that
 * the tick before has is not repeated.
 */
export const timeLabels = (
  timeZone: "UTC" | undefined
): ((ticks: ReadonlyArray<number>, increment: number) => Array<string>) => {
  const formats = {
    day: new Intl.DateTimeFormat("en", { month: "short", day: "numeric", timeZone }),
    minute: new Intl.DateTimeFormat("en", {
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
      timeZone
    }),
    second: new Intl.DateTimeFormat("en", { timeStyle: "medium", hourCycle: "h23", timeZone })
  }
  return (ticks, increment) => {
    const labels = ticks.map((tick) => {
      const millis = tick * 1000
      if (increment >= daySeconds || formats.second.format(millis) === "00:00:00")
        return formats.day.format(millis)
      return formats[increment < 60 ? "second" : "minute"].format(millis)
    })
    return labels.map((label, i) => (label === labels[i - 1] ? "" : label))
  }
}
