/**
 * The timeline of a run: a lane for each party, requests as bars, posts and commits as marks, faults, kills, and the step at
 * which a rule broke. Each kind has a shape of its own, so that it can be told apart without colours.
 */
import type { TraceEvent } from "@lead-signals/simulation-kernel"
import { renderedTime } from "../CounterexampleText.ts"
import { type AnswerKind, answerKind, escaped, eventLine, laneName } from "./Markup.ts"
import { breakMillis, duration, type TimeAxis, timeAxis } from "./TimeAxis.ts"

const laneHeight = 28
const top = 58
/** Room for a label at the right of the last event. */
const margin = 190
/** The lanes of a short run fill a wide page. */
const minWidth = 1040

const order = [
  "people",
  "sync",
  "reader",
  "keys",
  "operator",
  "service",
  "store",
  "webhook",
  "network",
  "faults",
  "oracle"
]

/** Where the lane of a party stands among the others. */
export const rank = (party: string): number => {
  const at = order.findIndex((name) => party.startsWith(name))
  return at < 0 ? order.length : at
}

/* Shapes, each around its middle */

const fixed = (n: number): string => String(Math.round(n * 10) / 10)

const bar = (from: number, to: number, y: number, kind: AnswerKind): string => {
  const [x, width] = [fixed(from), fixed(Math.max(4, to - from))]
  const radius = kind === "good" ? 5 : 0
  const cross =
    kind === "error" ? `<path class="cross" d="M${x} ${y - 6}l${width} 12m0 -12l-${width} 12"/>` : ""
  return `<rect x="${x}" y="${y - 6}" width="${width}" height="12" rx="${radius}"/>${cross}`
}

const dot = (x: number, y: number, kind: AnswerKind): string => {
  const cx = fixed(x)
  switch (kind) {
    case "good":
      return `<circle cx="${cx}" cy="${y}" r="5"/>`
    case "refused":
      return `<rect x="${fixed(x - 4.5)}" y="${y - 4.5}" width="9" height="9"/>`
    case "error":
      return `<path d="M${fixed(x - 7)} ${y}l7 -7l7 7l-7 7z"/><path class="cross" d="M${fixed(x - 2)} ${y - 2}l4 4m0 -4l-4 4"/>`
    case "none":
      return `<circle cx="${cx}" cy="${y}" r="4.5"/>`
  }
}

const commitMark = (x: number, y: number): string =>
  `<rect x="${fixed(x - 1)}" y="${y - 9}" width="2.5" height="18"/>`

/** A triangle with an exclamation mark: something goes wrong. */
const faultMark = (x: number, y: number): string =>
  `<path d="M${fixed(x)} ${y - 9}l9 16h-18z"/><path class="sign" d="M${fixed(x)} ${y - 4}v5m0 2v1.6"/>`

const actionMark = (x: number, y: number): string => `<path d="M${fixed(x - 4)} ${y - 13}h8l-4 6z"/>`

/** Two jagged edges, with nothing between. */
const breakMark = ({ from, to }: { readonly from: number; readonly to: number }, height: number): string => {
  const edge = (x: number): string => {
    const steps = Math.ceil((height - top) / 8)
    return `M${fixed(x)} ${top}${"l3 4l-3 4".repeat(steps)}`
  }
  return `<rect class="gap" x="${fixed(from)}" y="${top}" width="${fixed(to - from)}" height="${height - top}"/><path class="edge" d="${edge(from)}${edge(to)}"/>`
}

interface Drawing {
  readonly axis: TimeAxis
  readonly yOf: ReadonlyMap<string, number>
  readonly bottom: number
}

const eventMarks = (
  events: ReadonlyArray<TraceEvent>,
  { axis, bottom, yOf }: Drawing
): ReadonlyArray<string> => {
  const shapes: Array<string> = []
  const put = (shape: string, event: TraceEvent, kind: string): void => {
    shapes.push(`<g class="${kind}"><title>${escaped(eventLine(event))}</title>${shape}</g>`)
  }
  const label = (x: number, y: number, of: string): string =>
    `<text class="label" x="${fixed(x)}" y="${y}">${escaped(of)}</text>`
  const open = new Map<string, TraceEvent>()
  let killedAt: number | null = null
  for (const event of events) {
    const { at, fields, kind } = event
    const [x, y] = [axis.xOf.get(at)!, yOf.get(event.party)!]
    switch (kind) {
      case "request":
        open.set(String(fields["call"]), event)
        break
      case "answered":
      case "no-answer": {
        const requested = open.get(String(fields["call"]))
        const from = requested === undefined ? x : axis.xOf.get(requested.at)!
        const arrives = kind === "answered" && fields["arrives"] === true
        const what = `${String(requested?.fields["method"] ?? "")} ${String(requested?.fields["path"] ?? "")}`
        const answered = kind === "answered" ? answerKind(fields["status"]) : "none"
        const status =
          answered === "error" ? label(Math.max(x, from + 4) + 2, y + 4, String(fields["status"])) : ""
        put(
          `${bar(from, x, y, answered)}${status}`,
          { ...event, fields: { ...fields, what } },
          `request ${answered}${arrives ? "" : " lost"}`
        )
        break
      }
      case "post": {
        const answered = answerKind(fields["status"])
        put(dot(x, y, answered), event, `post ${answered}`)
        break
      }
      case "commit":
        put(commitMark(x, y), event, "commit")
        break
      case "killed":
        killedAt = x
        put(
          `<path class="line" d="M${fixed(x)} ${top - 4}V${bottom}"/><path class="line" d="M${fixed(x - 5)} ${y - 5}l10 10m0 -10l-10 10"/>`,
          event,
          "kill"
        )
        break
      case "started":
        if (killedAt !== null) {
          put(
            `<rect x="${fixed(killedAt)}" y="${top}" width="${fixed(x - killedAt)}" height="${bottom - top}"/>`,
            event,
            "down"
          )
        }
        killedAt = null
        break
      case "violated":
        put(
          `<path class="line" d="M${fixed(x)} ${top - 20}V${bottom}"/><path d="M${fixed(x)} ${top - 20}h16l-5 6l5 6h-16z"/>${label(x + 20, top - 8, `${String(fields["oracle"])} breaks`)}`,
          event,
          "violated"
        )
        break
      case "acts":
        put(actionMark(x, y), event, "acts")
        break
      default:
        put(faultMark(x, y), event, "fault")
    }
  }
  return shapes
}

const ticks = ({ axis, bottom }: Drawing): ReadonlyArray<string> => {
  const found: Array<string> = []
  let last = -Infinity
  for (const [at, x] of axis.xOf) {
    if (x - last < 78) continue
    last = x
    found.push(
      `<path class="tick" d="M${fixed(x)} 20V${bottom}"/><text class="tick" x="${fixed(x + 3)}" y="16">${renderedTime(at)}</text>`
    )
  }
  return found
}

const gaps = ({ axis, bottom }: Drawing): ReadonlyArray<string> =>
  axis.breaks.map(
    (each) =>
      `<g class="break"><title>${duration(each.skippedMillis)} without an event</title>${breakMark(each, bottom)}<text class="skipped" x="${fixed((each.from + each.to) / 2)}" y="34">${duration(each.skippedMillis)}</text></g>`
  )

/** An SVG element. Its height grows with the parties, its width with the events. */
export const timeline = (events: ReadonlyArray<TraceEvent>): string => {
  const lanes = [...new Set(events.map(({ party }) => party))].sort(
    (a, b) => rank(a) - rank(b) || (a < b ? -1 : 1)
  )
  const axis = timeAxis(events)
  const bottom = top + lanes.length * laneHeight
  const [width, height] = [Math.ceil(Math.max(axis.width + margin, minWidth)), bottom + 8]
  const yOf = new Map(lanes.map((party, i) => [party, top + i * laneHeight + laneHeight / 2]))
  const drawing = { axis, yOf, bottom }
  const rows = lanes
    .map(
      (_, i) =>
        `<rect class="lane${i % 2}" x="0" y="${top + i * laneHeight}" width="${width}" height="${laneHeight}"/>`
    )
    .join("")
  // On paper the names stand within the lanes.
  const printed = lanes
    .map(
      (party) => `<text class="printed" x="2" y="${yOf.get(party)! - 5}">${escaped(laneName(party))}</text>`
    )
    .join("")
  const names = lanes.map(
    (party) => `<li title="${escaped(laneName(party))}">${escaped(laneName(party))}</li>`
  )
  return `<div class="timeline"><ol class="lanes" style="padding-top:${top}px" aria-label="Lanes">${names.join("")}</ol><div class="scroll" tabindex="0" role="region" aria-label="Timeline, scrolls sideways"><svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Timeline of the run; each mark is a line of the events below">${rows}${printed}${gaps(drawing).join("")}${ticks(drawing).join("")}${eventMarks(events, drawing).join("")}</svg></div></div>`
}

const sample = (shape: string, kind: string): string =>
  `<svg class="sample" width="26" height="20" viewBox="0 0 26 20" aria-hidden="true"><g class="${kind}">${shape}</g></svg>`

const legendEntries: ReadonlyArray<readonly [sample: string, meaning: string]> = [
  [sample(bar(3, 23, 10, "good"), "request good"), "request, answered below 400"],
  [sample(bar(3, 23, 10, "refused"), "request refused"), "refused (4xx)"],
  [sample(bar(3, 23, 10, "error"), "request error"), "5xx: crossed, with its status"],
  [sample(bar(3, 23, 10, "none"), "request none lost"), "the answer never arrived"],
  [sample(dot(13, 10, "good"), "post good"), "post to a webhook, taken"],
  [sample(dot(13, 10, "refused"), "post refused"), "post refused (4xx)"],
  [sample(dot(13, 10, "error"), "post error"), "post answered 5xx"],
  [sample(dot(13, 10, "none"), "post none"), "post without an answer"],
  [sample(commitMark(13, 10), "commit"), "commit of the store"],
  [sample(actionMark(13, 20), "acts"), "somebody begins an action"],
  [sample(faultMark(13, 11), "fault"), "something goes wrong (a fault)"],
  [
    sample('<path class="line" d="M8 5l10 10m0 -10l-10 10"/>', "kill"),
    "the service is killed; shaded until it is up"
  ],
  [
    sample('<path class="edge" d="M8 0l3 4l-3 4l3 4l-3 4l3 4M16 0l3 4l-3 4l3 4l-3 4l3 4"/>', "break"),
    `nothing happens for ${breakMillis / 1000} s or more: a break, with the time that it skips`
  ]
]

/** An HTML list that explains the marks. */
export const legend = (): string =>
  `<ul class="legend">${legendEntries.map(([shape, meaning]) => `<li>${shape}${meaning}</li>`).join("")}</ul>`
