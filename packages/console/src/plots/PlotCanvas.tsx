/** The drawn part of a plot, by uPlot, in the colours of the style sheet. */
import { useEffect, useRef } from "react"
import UPlot from "uplot"
import type { PlotProps, PlottedSeries, PlotTone } from "./Plot.tsx"
import { timeLabels, timeSpan } from "./timeAxis.ts"

interface PlotCanvasProps {
  readonly times: ReadonlyArray<number>
  readonly series: ReadonlyArray<PlottedSeries>
  readonly kind: PlotProps["kind"]
  /** In milliseconds; null where it is not known. */
  readonly intervalLength: number | null
  readonly height: number
  readonly timeZone: "UTC" | undefined
  readonly formatValue: (value: number) => string
  /** The index of the point under the pointer; null when there is none. */
  readonly onPoint: (index: number | null) => void
}

/** A colour as a canvas takes it: the style sheet's depend on the theme. */
const colourOf = (plot: UPlot, name: PlotTone | "line" | "muted"): string => {
  plot.root.style.color = `var(--color-${name})`
  return getComputedStyle(plot.root).color
}

/** Each value on top of those before it. */
const stacked = (series: ReadonlyArray<PlottedSeries>): ReadonlyArray<ReadonlyArray<number | null>> => {
  const sums = new Map<number, number>()
  return series.map(({ values }) =>
    values.map((value, i) => {
      const sum = (sums.get(i) ?? 0) + (value ?? 0)
      sums.set(i, sum)
      return sum
    })
  )
}

type Data = UPlot.AlignedData

/** The tallest bars first, so that the shorter ones stand before them. */
const dataOf = ({ kind, series, times }: PlotCanvasProps): Data => {
  const values = kind === "bars" ? [...stacked(series)].reverse() : series.map((each) => each.values)
  return [times.map((time) => time / 1000), ...values] as Data
}

const font = "11px ui-sans-serif, system-ui, sans-serif"
const bars = { size: [0.8, 40] as [number, number], align: 1 as const }
const axisWidth = 48

/** Bars count: half of one is none. */
const wholeSteps = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((n) => n * 10 ** power)).flat()

const axes = ({ formatValue, kind, timeZone }: PlotCanvasProps): Array<UPlot.Axis> => {
  const labels = timeLabels(timeZone)
  const drawn: UPlot.Axis = {
    font,
    stroke: (plot) => colourOf(plot, "muted"),
    grid: { stroke: (plot) => colourOf(plot, "line"), width: 1 },
    ticks: { show: false }
  }
  return [
    {
      ...drawn,
      grid: { show: false },
      // The lowest value stands half below the line: the instants stay clear of it.
      gap: 9,
      size: 26,
      values: (_, ticks, __, ___, increment) => labels(ticks, increment)
    },
    {
      ...drawn,
      size: (_, values) =>
        Math.max(axisWidth, 14 + 6.5 * Math.max(0, ...(values ?? []).map((text) => text.length))),
      gap: 4,
      values: (_, ticks) => ticks.map(formatValue),
      ...(kind === "bars" ? { incrs: wholeSteps } : {})
    }
  ]
}

const seriesOf = ({ kind, series }: PlotCanvasProps): Array<UPlot.Series> => {
  const tones = series.map(({ tone }) => tone)
  if (kind === "bars") tones.reverse()
  return [
    {},
    ...tones.map((tone): UPlot.Series => {
      const colour = (plot: UPlot) => colourOf(plot, tone)
      return kind === "bars"
        ? {
            fill: colour,
            width: 0,
            points: { show: false },
            paths: UPlot.paths.bars!(bars)
          }
        : { stroke: colour, width: 2, points: { size: 4 } }
    })
  ]
}

/** With 0, and room above and below; a plot of nothing goes to 1. */
const rangeOfValues = (_: UPlot, min: number | null, max: number | null): UPlot.Range.MinMax => [
  Math.min(0, (min ?? 0) * 1.05),
  max === null || max <= 0 ? 1 : max * 1.05
]

const optionsOf = (
  props: PlotCanvasProps,
  width: number,
  onPoint: (at: number | null) => void
): UPlot.Options => ({
  width,
  height: props.height,
  legend: { show: false },
  cursor: { y: false, drag: { x: false, y: false }, points: { show: props.kind === "lines" } },
  scales: {
    // Not the bounds that uPlot suggests: of one instant it makes years.
    x: {
      range: (plot) =>
        timeSpan(
          plot.data[0] as ReadonlyArray<number>,
          props.kind,
          props.intervalLength === null ? null : props.intervalLength / 1000
        )
    },
    y: { range: rangeOfValues }
  },
  series: seriesOf(props),
  axes: axes(props),
  hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
  ...(props.timeZone === undefined
    ? {}
    : { tzDate: (seconds: number) => UPlot.tzDate(new Date(seconds * 1000), "Etc/UTC") })
})

/** Draws again when the theme changes: its colours are read while it draws. */
const followTheme = (plot: UPlot): (() => void) => {
  const redraw = () => plot.redraw(false)
  const preference = matchMedia("(prefers-color-scheme: dark)")
  const chosen = new MutationObserver(redraw)
  preference.addEventListener("change", redraw)
  chosen.observe(document.documentElement, { attributeFilter: ["data-theme"] })
  return () => {
    preference.removeEventListener("change", redraw)
    chosen.disconnect()
  }
}

const followWidth = (plot: UPlot, place: HTMLElement, height: number): (() => void) => {
  const observer = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height }))
  observer.observe(place)
  return () => observer.disconnect()
}

/** Drawn anew when the number, colour or kind of series changes, and when the theme does; new values and widths only update it. */
export const PlotCanvas = (props: PlotCanvasProps) => {
  const place = useRef<HTMLDivElement>(null)
  const plotRef = useRef<UPlot>(null)
  const latest = useRef(props)
  useEffect(() => {
    latest.current = props
  })
  const tones = props.series.map(({ tone }) => tone).join()
  useEffect(() => {
    const element = place.current!
    const { height } = latest.current
    const onPoint = (at: number | null) => latest.current.onPoint(at)
    const plot = new UPlot(
      optionsOf(latest.current, element.clientWidth, onPoint),
      dataOf(latest.current),
      element
    )
    plotRef.current = plot
    const endTheme = followTheme(plot)
    const endWidth = followWidth(plot, element, height)
    return () => {
      plotRef.current = null
      endTheme()
      endWidth()
      plot.destroy()
    }
  }, [tones, props.kind, props.height, props.timeZone, props.intervalLength])
  useEffect(() => {
    plotRef.current?.setData(dataOf(latest.current))
  }, [props.times, props.series])
  return <div ref={place} className="w-full min-w-0 overflow-hidden" />
}
