/** New leads, engagements and deliveries over time. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { type ReactNode, useMemo } from "react"
import type { Schemas, Signal } from "../api/client.ts"
import { countSeriesQuery, type CountSeriesPath, type CountSeriesQuery } from "../api/queries.ts"
import { palette, Plot } from "../plots/Plot.tsx"
import { Failure, Loading } from "../ui/States.tsx"
import {
  type HomeGroup,
  homeGroups,
  type HomeInterval,
  homeIntervals,
  type HomeSearch,
  readHomeSearch
} from "./homeSearch.ts"
import { Select } from "../ui/Select.tsx"

type CountSeries = Schemas["CountSeries"]

const hour = new Intl.DateTimeFormat("en", {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
  timeZone: "UTC"
})
const day = new Intl.DateTimeFormat("en", {
  weekday: "short",
  month: "short",
  day: "numeric",
  timeZone: "UTC"
})

const formatTimes: Readonly<Record<HomeInterval, (time: number) => string>> = {
  hour: (time) => `${hour.format(time)} UTC`,
  day: (time) => day.format(time),
  week: (time) => `Week of ${day.format(time)}`
}

const states = { delivered: "accent", dead: "danger" } as const

/** Groups in a fixed order, so that a group has one place and one colour in all plots. */
const inOrder = (series: CountSeries["series"], order: ReadonlyArray<string>) =>
  series
    .map((each) => ({ ...each, place: order.indexOf(each.group ?? "") }))
    .sort((a, b) => a.place - b.place)

const toneAt = (group: string | null, place: number) => {
  if (group === "delivered" || group === "dead") return { tone: states[group] }
  return place < 0 ? {} : { tone: palette[place % palette.length]! }
}

interface SeriesPlotProps {
  readonly brandId: string
  readonly title: string
  readonly path: CountSeriesPath
  readonly query: CountSeriesQuery
  /** How a group is called. */
  readonly labelOf: (group: string | null) => string
  /** The groups in their order. */
  readonly order: ReadonlyArray<string>
}

const sumOf = ({ rest, series }: CountSeries): number =>
  [...series.map(({ counts }) => counts), rest ?? []].flat().reduce((sum, n) => sum + n, 0)

const whole = new Intl.NumberFormat("en")

const SeriesPlot = ({ brandId, labelOf, order, path, query, title }: SeriesPlotProps) => {
  const { data, error, refetch } = useQuery(countSeriesQuery(brandId, path, query))
  const plotted = useMemo(() => {
    if (data === undefined) return null
    return {
      times: data.starts.map((start) => Date.parse(start)),
      series: [
        ...inOrder(data.series, order).map(({ counts, group, place }) => ({
          label: labelOf(group),
          values: counts,
          ...toneAt(group, place)
        })),
        ...(data.rest === null ? [] : [{ label: "All others", values: data.rest }])
      ]
    }
  }, [data, labelOf, order])
  if (error !== null && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined || plotted === null) return <Loading lines={4} />
  return (
    <Plot
      {...plotted}
      kind="bars"
      title={`${title}: ${whole.format(sumOf(data))}`}
      timeZone="UTC"
      formatTime={formatTimes[data.interval]}
    />
  )
}

const Card = ({ children }: { readonly children: ReactNode }) => (
  <div className="card min-w-0 p-4">{children}</div>
)

const typeOrder = ["reaction", "comment", "repost"]
const deliveryOrder = ["delivered", "dead"]

const labelsOfTypes: ReadonlyMap<string, string> = new Map([
  ["comment", "Comments"],
  ["reaction", "Reactions"],
  ["repost", "Reposts"]
])

interface ActivityProps {
  readonly brandId: string
  readonly signals: ReadonlyArray<Signal>
  readonly hasWebhooks: boolean
}

/**
 * Plots of new leads, engagements and, where there are webhooks, deliveries, by the interval and group of the URL. Each plot loads and fails by
 * itself. Times are UTC. One column on a phone.
 */
export const Activity = ({ brandId, hasWebhooks, signals }: ActivityProps) => {
  const from = "/brands/$brandId/"
  const search = useSearch({ from })
  const navigate = useNavigate({ from })
  const { by = "type", interval = "day" } = search
  const choose = (change: HomeSearch) =>
    void navigate({
      to: "/brands/$brandId",
      params: { brandId },
      search: readHomeSearch({ ...search, ...change }),
      replace: true
    })
  const labels = useMemo(() => {
    const names = new Map(signals.map(({ id, name }) => [id, name]))
    const signalOf = (group: string | null) =>
      names.get(group ?? "") ?? (group === null ? "All" : `Signal ${group}, deleted`)
    return {
      order: by === "signal" ? signals.map(({ id }) => id) : typeOrder,
      leads: by === "signal" ? signalOf : () => "New leads",
      engagements:
        by === "signal"
          ? signalOf
          : by === "type"
            ? (group: string | null) => labelsOfTypes.get(group ?? "") ?? group ?? "Without a type"
            : () => "Engagements",
      deliveries: (group: string | null) => (group === "dead" ? "Dead" : "Delivered")
    }
  }, [by, signals])
  return (
    <section aria-label="Over time" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Select
          aria-label="Interval"
          value={interval}
          onChange={({ target }) => choose({ interval: target.value as HomeInterval })}
        >
          {homeIntervals.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </Select>
        <Select
          aria-label="Groups"
          value={by}
          onChange={({ target }) => choose({ by: target.value as HomeGroup })}
        >
          {homeGroups.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </Select>
        <p className="text-muted text-xs">Times in UTC</p>
      </div>
      <div className="grid gap-6 lg:grid-cols-2">
        <Card>
          <SeriesPlot
            brandId={brandId}
            title="New leads"
            path="leads"
            query={{ interval, ...(by === "signal" ? { by } : {}) }}
            labelOf={labels.leads}
            order={labels.order}
          />
        </Card>
        <Card>
          <SeriesPlot
            brandId={brandId}
            title="Engagements"
            path="engagements"
            query={{ interval, ...(by === "none" ? {} : { by }) }}
            labelOf={labels.engagements}
            order={labels.order}
          />
        </Card>
        {hasWebhooks ? (
          <Card>
            <SeriesPlot
              brandId={brandId}
              title="Deliveries"
              path="deliveries"
              query={{ interval }}
              labelOf={labels.deliveries}
              order={deliveryOrder}
            />
          </Card>
        ) : null}
      </div>
    </section>
  )
}
