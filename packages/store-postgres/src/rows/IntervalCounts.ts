/** Counts over time, from indexes that have what they count by. */
import type { CountSeries } from "@lead-signals/domain"
import type { Connection } from "../connection/Connection.ts"

interface CountRow {
  readonly i: number
  readonly of: string | null
  readonly n: number
}

/** `$2` is the beginning of the first interval, `$3` their length, and `$4` the end of the last. */
const index = (instant: string): string => `((${instant} - $2::bigint) / $3::bigint)::int`

const queries: Readonly<Record<`${CountSeries.Counted["of"]} ${CountSeries.Counted["by"]}`, string>> = {
  "leads none": `SELECT ${index("created_at")} AS i, NULL AS of, count(*) AS n FROM lead_signals.lead
    WHERE brand_id = $1 AND created_at >= $2::bigint AND created_at < $4::bigint GROUP BY 1`,
  "leads signal": `SELECT c.i, s.id::text AS of, c.n FROM lead_signals.signal s CROSS JOIN LATERAL (
      SELECT ${index("g.created_at")} AS i, count(*) AS n FROM lead_signals.lead_signal g
      WHERE g.brand_id = s.brand_id AND g.signal_id = s.id AND g.created_at >= $2::bigint AND g.created_at < $4::bigint GROUP BY 1) c
    WHERE s.brand_id = $1`,
  "leads type": "",
  "engagements none": `SELECT ${index("tracked_at")} AS i, NULL AS of, count(*) AS n FROM lead_signals.engagement
    WHERE brand_id = $1 AND tracked_at >= $2::bigint AND tracked_at < $4::bigint GROUP BY 1`,
  "engagements signal": `SELECT ${index("tracked_at")} AS i, signal_id::text AS of, count(*) AS n FROM lead_signals.engagement
    WHERE brand_id = $1 AND tracked_at >= $2::bigint AND tracked_at < $4::bigint GROUP BY 1, signal_id`,
  "engagements type": `SELECT ${index("tracked_at")} AS i, type AS of, count(*) AS n FROM lead_signals.engagement
    WHERE brand_id = $1 AND tracked_at >= $2::bigint AND tracked_at < $4::bigint GROUP BY 1, type`
}

const countsOf = async <Group extends string | null>(
  sql: Connection,
  text: string,
  brand: number,
  { count, millis, start }: CountSeries.CountedIntervals
): Promise<ReadonlyArray<CountSeries.IntervalCount<Group>>> => {
  const rows = await sql.all<CountRow>(text, [brand, start, millis, start + millis * count])
  return rows.map(({ i, n, of }) => ({ index: i, group: of as Group, n }))
}

/** New leads or engagements by interval and group. */
export const countActivity = (
  sql: Connection,
  brand: number,
  { by, of }: CountSeries.Counted,
  intervals: CountSeries.CountedIntervals
): Promise<ReadonlyArray<CountSeries.IntervalCount>> =>
  countsOf(sql, queries[`${of} ${by}`], brand, intervals)

/** Deliveries that ended, by interval and state. */
export const countDeliveries = (
  sql: Connection,
  brand: number,
  intervals: CountSeries.CountedIntervals
): Promise<ReadonlyArray<CountSeries.IntervalCount<CountSeries.FinishedState>>> =>
  countsOf(
    sql,
    `SELECT ${index("d.finished_at")} AS i, d.state AS of, count(*) AS n
     FROM lead_signals.webhook w JOIN lead_signals.delivery d ON d.webhook_id = w.id
     WHERE w.brand_id = $1 AND d.finished_at >= $2::bigint AND d.finished_at < $4::bigint GROUP BY 1, 2`,
    brand,
    intervals
  )
