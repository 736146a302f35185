/** A plot of series over time, with a legend, and a table of the same numbers for those who can't see it. */
import { lazy, Suspense, useId, useMemo, useState } from "react"

/** uPlot comes with the first plot that is shown. */
const PlotCanvas = lazy(async () => ({ default: (await import("./PlotCanvas.tsx")).PlotCanvas }))

interface PlotSeries {
  readonly label: string
  /** One value for each point in time; null where there is none. */
  readonly values: ReadonlyArray<number | null>
  /** The next colour of the palette, unless the series has a meaning. */
  readonly tone?: PlotTone
}

/** Variables of the style sheet, in the order in which series without a tone take them. */
export const palette = ["plot-1", "plot-2", "plot-3", "plot-4", "plot-5", "plot-6"] as const

/** A colour of the style sheet: one of the palette, or one with a meaning. */
export type PlotTone = (typeof palette)[number] | "danger" | "warn" | "accent"

/** A series with its colour. */
export interface PlottedSeries extends PlotSeries {
  readonly tone: PlotTone
}

/** `series` have as many values as there are `times`; null is a gap. */
export interface PlotProps {
  /** What is plotted, as a heading of the second level. */
  readonly title: string
  /** Instants in milliseconds since 1970, ascending: where intervals begin, or when something was measured. */
  readonly times: ReadonlyArray<number>
  readonly series: ReadonlyArray<PlotSeries>
  /** Bars are stacked. */
  readonly kind: "bars" | "lines"
  /** The length of an interval in milliseconds, for a plot that may have but one. */
  readonly intervalLength?: number
  /** How a point in time is written, such as a day. */
  readonly formatTime: (millis: number) => string
  readonly formatValue?: (value: number) => string
  /** How the axis writes values; as `formatValue` unless given. */
  readonly formatAxis?: (value: number) => string
  /** The zone of the axis of time; the reader's by default. */
  readonly timeZone?: "UTC"
  /** In CSS pixels. */
  readonly height?: number
}

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 2 })

const swatches: Readonly<Record<PlotTone, string>> = {
  "plot-1": "bg-plot-1",
  "plot-2": "bg-plot-2",
  "plot-3": "bg-plot-3",
  "plot-4": "bg-plot-4",
  "plot-5": "bg-plot-5",
  "plot-6": "bg-plot-6",
  danger: "bg-danger",
  warn: "bg-warn",
  accent: "bg-accent"
}

const cellClass = "border-line border-b px-2 py-1 text-right tabular-nums first:text-left"

const PlotTable = ({
  formatTime,
  formatValue,
  label,
  series,
  times
}: {
  readonly label: string
  readonly times: ReadonlyArray<number>
  readonly series: ReadonlyArray<PlotSeries>
  readonly formatTime: (millis: number) => string
  readonly formatValue: (value: number) => string
}) => (
  <div tabIndex={0} role="region" aria-label={`Table: ${label}`} className="max-h-72 overflow-auto">
    <table className="w-full border-separate border-spacing-0 text-xs">
      <thead>
        <tr>
          <th scope="col" className={`${cellClass} bg-surface text-muted sticky top-0 font-medium`}>
            Time
          </th>
          {series.map((each) => (
            <th
              key={each.label}
              scope="col"
              className={`${cellClass} bg-surface text-muted sticky top-0 font-medium`}
            >
              {each.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times.map((time, i) => (
          <tr key={time}>
            <th scope="row" className={`${cellClass} font-normal whitespace-nowrap`}>
              {formatTime(time)}
            </th>
            {series.map(({ label: name, values }) => {
              const value = values[i] ?? null
              return (
                <td key={name} className={cellClass}>
                  {value === null ? "–" : formatValue(value)}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const defaultHeight = 176

/**
 * Pointing at it reads a point in the legend; "Table" has the same numbers as text, for keyboards and screen readers. It takes the width of its
 * place.
 */
export const Plot = ({
  formatAxis,
  formatTime,
  formatValue = whole.format,
  height = defaultHeight,
  intervalLength,
  kind,
  series,
  times,
  timeZone,
  title
}: PlotProps) => {
  const id = useId()
  const [at, setAt] = useState<number | null>(null)
  const [isTableVisible, setTableVisible] = useState(false)
  const plotted = useMemo(
    () => series.map((each, i) => ({ ...each, tone: each.tone ?? palette[i % palette.length]! })),
    [series]
  )
  const pointed = at !== null && at < times.length ? at : null
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <h2 id={id} className="grow text-sm font-semibold">
          {title}
        </h2>
        <p className="text-muted text-xs tabular-nums">
          {pointed === null ? "\u00a0" : formatTime(times[pointed]!)}
        </p>
        <button
          type="button"
          aria-expanded={isTableVisible}
          aria-controls={isTableVisible ? `${id}-table` : undefined}
          onClick={() => setTableVisible(!isTableVisible)}
          className="text-muted hover:text-ink touch:min-h-11 touch:min-w-11 text-xs underline"
        >
          Table
        </button>
      </div>
      <div aria-hidden="true" className="min-w-0" style={{ height }}>
        <Suspense fallback={null}>
          <PlotCanvas
            times={times}
            series={plotted}
            kind={kind}
            intervalLength={intervalLength ?? null}
            height={height}
            timeZone={timeZone}
            formatValue={formatAxis ?? formatValue}
            onPoint={setAt}
          />
        </Suspense>
      </div>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
        {plotted.map(({ label, tone, values }) => {
          const value = pointed === null ? null : (values[pointed] ?? null)
          return (
            <li key={label} className="flex min-w-0 items-center gap-1.5">
              <span className={`size-2 shrink-0 rounded-full ${swatches[tone]}`} />
              <span className="text-muted truncate">{label}</span>
              <span className="tabular-nums">{value === null ? "" : formatValue(value)}</span>
            </li>
          )
        })}
      </ul>
      {isTableVisible ? (
        <div id={`${id}-table`}>
          <PlotTable
            label={title}
            times={times}
            series={plotted}
            formatTime={formatTime}
            formatValue={formatValue}
          />
        </div>
      ) : null}
    </section>
  )
}
