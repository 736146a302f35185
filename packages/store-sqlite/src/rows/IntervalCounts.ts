/** Counts over time, from the tables that count by the hour. */
import type { CountSeries } from "@lead-signals/domain"
import { millisPerHour } from "@lead-signals/domain/pure"
import type { QueryConnection } from "../connection/Connection.ts"

interface CountRow {
  readonly i: number
  readonly of: string | number | null
  readonly n: number
}

const groupOf: Readonly<Record<CountSeries.Counted["by"], string>> = {
  none: "NULL",
  signal: "signal_id",
  type: "nullif(type, '')"
}

/** Counts all leads, or those of each signal. */
const ofLeads = (by: CountSeries.Counted["by"]): string =>
  by === "none" ? "AND signal_id = 0" : "AND signal_id <> 0"

/** The first hour, the hours of an interval, and the hour after the last. */
const hoursOf = ({ count, millis, start }: CountSeries.CountedIntervals) => {
  const [first, length] = [start / millisPerHour, millis / millisPerHour]
  return { first, length, end: first + length * count }
}

const countOf = ({ i, n, of }: CountRow): CountSeries.IntervalCount => ({
  index: i,
  group: of === null ? null : String(of),
  n
})

/** New leads or engagements by interval and group. */
export const countActivity = (
  sql: QueryConnection,
  brand: number,
  { by, of }: CountSeries.Counted,
  intervals: CountSeries.CountedIntervals
): ReadonlyArray<CountSeries.IntervalCount> => {
  const { end, first, length } = hoursOf(intervals)
  return sql
    .all<CountRow>(
      `SELECT CAST((hour - ?) / ? AS INTEGER) AS i, ${groupOf[by]} AS of, sum(n) AS n FROM activity_hour
       WHERE brand_id = ? AND kind = ? AND hour >= ? AND hour < ? ${of === "leads" ? ofLeads(by) : ""}
       GROUP BY 1, 2 HAVING sum(n) > 0`,
      [first, length, brand, of === "leads" ? "lead" : "engagement", first, end]
    )
    .map(countOf)
}

/** Deliveries that ended, by interval and state. */
export const countDeliveries = (
  sql: QueryConnection,
  brand: number,
  intervals: CountSeries.CountedIntervals
): ReadonlyArray<CountSeries.IntervalCount<CountSeries.FinishedState>> => {
  const { end, first, length } = hoursOf(intervals)
  const rows = sql.all<CountRow>(
    `SELECT CAST((d.hour - ?) / ? AS INTEGER) AS i, d.state AS of, sum(d.n) AS n
     FROM webhook w CROSS JOIN delivery_hour d ON d.webhook_id = w.id
     WHERE w.brand_id = ? AND d.hour >= ? AND d.hour < ? GROUP BY 1, 2 HAVING sum(d.n) > 0`,
    [first, length, brand, first, end]
  )
  return rows.map(countOf) as ReadonlyArray<CountSeries.IntervalCount<CountSeries.FinishedState>>
}
