/** A lane for each party of the run, drawn up to the place that the playback has reached. */
import { useEffect, useRef, useState } from "react"
import { clockText, lengthText } from "./describe.ts"
import type { Drawing } from "./drawing.ts"
import { Mark } from "./Marks.tsx"
import type { Playback } from "./usePlayback.ts"

const laneHeight = 26
/** Above the first lane: the labels of the time axis. */
const top = 24
/** Room at the right of the place that is reached. */
const ahead = 28
/** Requests that began so far left of what is shown may reach into it. */
const longest = 900

const useWidth = () => {
  const [width, setWidth] = useState(800)
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(200, entry!.contentRect.width)))
    observer.observe(ref.current!)
    return () => observer.disconnect()
  }, [])
  return [ref, width] as const
}

/**
 * Draws what fits the width up to the reached place, so a long run costs no more than a short one. Screen readers get the list of events in its
 * place.
 */
export const Lanes = ({
  drawing,
  playback: { count, x }
}: {
  readonly drawing: Drawing
  readonly playback: Playback
}) => {
  const [ref, width] = useWidth()
  const { events, lanes, ticks } = drawing
  const height = top + lanes.length * laneHeight
  const left = Math.max(0, x + ahead - width)
  const yOf = new Map(lanes.map(({ name }, i) => [name, top + i * laneHeight + laneHeight / 2]))
  const first = drawing.countAt(left - longest)
  const seen = events.slice(first, count)
  return (
    <div className="border-line flex border-y">
      <ol
        aria-label="Lanes"
        className="border-line bg-surface text-muted w-28 shrink-0 border-r pt-6 text-xs sm:w-40"
      >
        {lanes.map(({ name }) => (
          <li key={name} title={name} className="h-[26px] truncate px-3 leading-[26px] odd:bg-sunken">
            {name}
          </li>
        ))}
      </ol>
      <div ref={ref} className="min-w-0 grow overflow-hidden">
        <svg
          width={width}
          height={height}
          role="img"
          aria-label="Lanes of the run; the list of events says the same in words"
          className="block"
        >
          {lanes.map(({ name }, i) =>
            i % 2 === 0 ? (
              <rect
                key={name}
                x={0}
                y={top + i * laneHeight}
                width={width}
                height={laneHeight}
                className="fill-sunken"
              />
            ) : null
          )}
          <g transform={`translate(${-left} 0)`}>
            {ticks.map(({ at, x: tickX }) =>
              tickX < left - 100 || tickX > x ? null : (
                <text key={at} x={tickX} y={15} className="fill-muted text-2xs tabular-nums">
                  {clockText(at)}
                </text>
              )
            )}
            {seen.map(({ gap, n }) =>
              gap === null ? null : (
                <g key={n}>
                  <rect
                    x={gap.from}
                    y={top}
                    width={gap.to - gap.from}
                    height={height - top}
                    className="fill-canvas"
                  />
                  <text
                    x={(gap.from + gap.to) / 2}
                    y={height - 8}
                    textAnchor="middle"
                    className="fill-muted text-2xs"
                  >
                    {lengthText(gap.skippedMillis)}
                  </text>
                </g>
              )
            )}
            {seen.map((drawn) => {
              const grows = drawn.kind === "request" || drawn.kind === "killed"
              return (
                <Mark
                  key={drawn.n}
                  drawn={drawn}
                  y={yOf.get(drawn.lane)!}
                  until={grows && (drawn.end === null || drawn.end.x > x) ? x : null}
                />
              )
            })}
            <line
              x1={x + 6}
              x2={x + 6}
              y1={top - 6}
              y2={height}
              className="stroke-accent"
              strokeWidth={1.5}
            />
          </g>
        </svg>
      </div>
    </div>
  )
}
