/** How a webhook does: the outcomes of its newest deliveries, and how long its receiver takes. */
import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { deliveriesQuery, type DeliveryQuery } from "../api/queries.ts"
import { Plot } from "../plots/Plot.tsx"
import { exactTime } from "../ui/Time.tsx"
import { attemptTotals } from "./attemptTotals.ts"

/** As many as the API lists at once. */
const plotted: DeliveryQuery = { page: "1", pageSize: "100" }
const refreshMillis = 15_000

const timeText = (millis: number): string => exactTime(new Date(millis).toISOString())
const millisText = (millis: number): string => `${Math.round(millis).toLocaleString("en")} ms`

/**
 * The latest attempt of each of the newest 100 deliveries, in up to 40 intervals. Nothing until one has been attempted, and nothing when they can't
 * be read.
 */
export const WebhookPlots = ({
  brandId,
  webhookId
}: {
  readonly brandId: string
  readonly webhookId: string
}) => {
  const { data } = useQuery({
    ...deliveriesQuery(brandId, webhookId, plotted),
    refetchInterval: refreshMillis
  })
  const totals = useMemo(() => attemptTotals(data?.data ?? []), [data])
  const outcomes = useMemo(
    () =>
      totals === null
        ? []
        : [
            { label: "Taken", values: totals.taken, tone: "accent" as const },
            { label: "Failed", values: totals.failed, tone: "danger" as const }
          ],
    [totals]
  )
  const latencies = useMemo(
    () =>
      totals === null
        ? []
        : [
            { label: "Median", values: totals.median },
            { label: "Slowest", values: totals.slowest, tone: "warn" as const }
          ],
    [totals]
  )
  if (totals === null) return null
  return (
    <section aria-label="Latest attempts" className="px-4 pb-4 md:px-6">
      <div className="card grid gap-6 p-4 lg:grid-cols-2">
        <Plot
          title="Outcomes"
          kind="bars"
          times={totals.times}
          intervalLength={totals.length}
          series={outcomes}
          formatTime={timeText}
          height={120}
        />
        <Plot
          title="Latency"
          kind="lines"
          times={totals.times}
          intervalLength={totals.length}
          series={latencies}
          formatTime={timeText}
          formatValue={millisText}
          height={120}
        />
        <p className="text-muted text-xs lg:col-span-2">
          The latest attempts of the newest {Math.min(100, data?.data.length ?? 0)} deliveries.
        </p>
      </div>
    </section>
  )
}
