/** The figures of a campaign, or of one of its posts, over time. */
import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import type { Schemas } from "../api/client.ts"
import { campaignSeriesQuery, type CampaignSeriesQuery } from "../api/queries.ts"
import { Plot } from "../plots/Plot.tsx"
import { Empty, Failure, Loading } from "../ui/States.tsx"

type Point = Schemas["CampaignSeries"]["points"][number]
type Figure = "impressions" | "reactions" | "comments" | "reposts"

const day = new Intl.DateTimeFormat("en", {
  year: "numeric",
  month: "short",
  day: "numeric",
  timeZone: "UTC"
})
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 2 })
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 })

/** Totals, or what each interval added to them. */
const valuesOf = (points: ReadonlyArray<Point>, figure: Figure, isGained: boolean) =>
  points.map((point, i) => {
    const value = point[figure]
    if (!isGained || value === null) return value
    const before = points[i - 1]?.[figure]
    return before === undefined ? null : value - (before ?? 0)
  })

interface CampaignPlotsProps {
  readonly brandId: string
  readonly campaignId: string
  readonly query: CampaignSeriesQuery
  readonly isGained: boolean
}

/**
 * Three plots: impressions; reactions, comments and reposts; engagement rate. `isGained` plots what each interval added in place of totals, but for
 * the rate. Without a reading in the period it says so, and a failure replaces the plots with a way to try again. One column on a phone.
 */
export const CampaignPlots = ({ brandId, campaignId, isGained, query }: CampaignPlotsProps) => {
  const { data, error, refetch } = useQuery(campaignSeriesQuery(brandId, campaignId, query))
  const plots = useMemo(() => {
    const points = data?.points ?? []
    const series = (label: string, figure: Figure) => ({ label, values: valuesOf(points, figure, isGained) })
    return {
      times: points.map(({ start }) => Date.parse(start)),
      impressions: [series("Impressions", "impressions")],
      engagements: [
        series("Reactions", "reactions"),
        series("Comments", "comments"),
        series("Reposts", "reposts")
      ],
      rate: [{ label: "Engagement rate", values: points.map(({ engagementRate }) => engagementRate) }]
    }
  }, [data, isGained])
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading />
  if (data.points.every(({ impressions }) => impressions === null))
    return (
      <Empty icon="chart" title="No reading in this period">
        Your collector puts the totals of each post, day by day. The button curl has the call.
      </Empty>
    )
  const shared = {
    kind: "lines",
    times: plots.times,
    timeZone: "UTC",
    formatTime: (time: number) => `${data.interval === "week" ? "Week of " : ""}${day.format(time)}`
  } as const
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <div className="card p-4 lg:col-span-2">
        <Plot {...shared} title="Impressions" series={plots.impressions} formatAxis={compact.format} />
      </div>
      <div className="card min-w-0 p-4">
        <Plot
          {...shared}
          title="Reactions, comments and reposts"
          series={plots.engagements}
          formatAxis={compact.format}
        />
      </div>
      <div className="card min-w-0 p-4">
        <Plot {...shared} title="Engagement rate" series={plots.rate} formatValue={percent.format} />
      </div>
    </div>
  )
}
