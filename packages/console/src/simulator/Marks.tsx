/** What stands on the lanes. Each kind has a shape of its own, so that it can be told apart without colours. */
import { memo } from "react"
import { eventText, exactClockText } from "./describe.ts"
import { type Answered, answeredBy, type Drawn } from "./drawing.ts"

const fills: Readonly<Record<Answered, string>> = {
  good: "fill-accent stroke-accent",
  refused: "fill-warn stroke-warn",
  error: "fill-danger stroke-danger",
  none: "stroke-muted fill-surface [stroke-dasharray:3_2]"
}

const Bar = ({
  answered,
  from,
  to,
  y
}: {
  readonly answered: Answered
  readonly from: number
  readonly to: number
  readonly y: number
}) => {
  const width = Math.max(4, to - from)
  return (
    <g className={fills[answered]}>
      <rect x={from} y={y - 5} width={width} height={10} rx={answered === "good" ? 4 : 0} />
      {answered === "error" ? (
        <path
          d={`M${from} ${y - 5}l${width} 10m0 -10l-${width} 10`}
          className="stroke-surface"
          fill="none"
          strokeWidth={1.5}
        />
      ) : null}
    </g>
  )
}

const Dot = ({ answered, x, y }: { readonly answered: Answered; readonly x: number; readonly y: number }) => {
  const shape = () => {
    if (answered === "refused") return <rect x={x - 4.5} y={y - 4.5} width={9} height={9} />
    if (answered === "error") return <path d={`M${x - 7} ${y}l7 -7l7 7l-7 7z`} />
    return <circle cx={x} cy={y} r={4.5} />
  }
  return <g className={fills[answered]}>{shape()}</g>
}

/** A triangle: something goes wrong. */
const Fault = ({ x, y }: { readonly x: number; readonly y: number }) => (
  <g>
    <path d={`M${x} ${y - 9}l9 16h-18z`} className="fill-danger" />
    <path d={`M${x} ${y - 4}v5m0 2v1.6`} className="stroke-surface" strokeWidth={1.6} />
  </g>
)

const Shape = ({
  drawn,
  until,
  y
}: {
  readonly drawn: Drawn
  readonly until: number | null
  readonly y: number
}) => {
  const { end, fields, kind, x } = drawn
  switch (kind) {
    case "request":
      return <Bar from={x} to={until ?? end!.x} y={y} answered={until === null ? end!.answered : "none"} />
    case "answered":
    case "no-answer":
      return null
    case "acts":
      return <path d={`M${x - 4} ${y - 12}h8l-4 6z`} className="fill-muted" />
    case "post":
      return <Dot x={x} y={y} answered={answeredBy(fields["status"])} />
    case "commit":
      return <rect x={x - 1} y={y - 8} width={2.5} height={16} className="fill-ink" />
    case "killed":
      return (
        <g className="stroke-danger" strokeWidth={2}>
          <rect
            x={x}
            y={y - 10}
            width={Math.max(0, (until ?? end!.x) - x)}
            height={20}
            className="fill-danger-soft"
            stroke="none"
          />
          <path d={`M${x - 5} ${y - 5}l10 10m0 -10l-10 10`} />
        </g>
      )
    case "started":
      return <path d={`M${x - 3} ${y - 6}l7 6l-7 6z`} className="fill-accent" />
    case "violated":
      return (
        <path
          d={`M${x} ${y + 9}v-20h16l-5 6l5 6h-16`}
          className="fill-danger stroke-danger"
          strokeWidth={2}
        />
      )
    default:
      return <Fault x={x} y={y} />
  }
}

interface MarkProps {
  readonly drawn: Drawn
  readonly y: number
  /** Where the lanes end, while what the mark began goes on; null for a mark that does not grow. */
  readonly until: number | null
}

/** One mark of one event; drawn again only when it grows. */
export const Mark = memo(({ drawn, until, y }: MarkProps) => (
  <g data-kind={drawn.kind}>
    <title>{`${exactClockText(drawn.at)} ${drawn.lane} ${eventText(drawn)}`}</title>
    <Shape drawn={drawn} until={until} y={y} />
  </g>
))

const legend: ReadonlyArray<
  readonly [kind: string, fields: Drawn["fields"], answered: Answered, text: string]
> = [
  ["request", {}, "good", "request, answered below 400"],
  ["request", {}, "refused", "refused (4xx)"],
  ["request", {}, "error", "answered 5xx"],
  ["request", {}, "none", "no answer, or not yet"],
  ["post", { status: 200 }, "good", "post to a webhook, taken"],
  ["post", { status: 410 }, "good", "post refused (4xx)"],
  ["post", { status: 500 }, "good", "post answered 5xx"],
  ["commit", {}, "good", "commit of the store"],
  ["acts", {}, "good", "somebody begins an action"],
  ["fault", {}, "good", "something goes wrong"],
  ["killed", {}, "good", "killed, until it starts"],
  ["violated", {}, "good", "a rule breaks"]
]

/** Every kind of mark with what it means, drawn by the same code. */
export const Legend = () => (
  <ul className="text-muted flex flex-wrap gap-x-4 gap-y-1 px-4 py-2 text-xs">
    {legend.map(([kind, fields, answered, text]) => (
      <li key={text} className="flex items-center gap-1.5">
        <svg width={26} height={22} viewBox="0 0 26 22" aria-hidden="true">
          <Shape
            drawn={{
              n: 0,
              at: 0,
              x: kind === "request" ? 3 : kind === "violated" ? 5 : 11,
              gap: null,
              lane: "",
              rank: 0,
              kind,
              fields,
              end: { x: 23, answered }
            }}
            until={null}
            y={11}
          />
        </svg>
        {text}
      </li>
    ))}
  </ul>
)
