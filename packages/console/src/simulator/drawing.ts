/** The events of a run as marks on lanes. A request and its answer are one bar, and so are a kill and the next start. */
import type { RenderedEvent } from "@lead-signals/simulations/browser"

/** How an answer ended. Each has a shape and a colour of its own. */
export type Answered = "good" | "refused" | "error" | "none"

/** An event with its place on the lanes, in pixels from the beginning of the run. */
export interface Drawn extends RenderedEvent {
  /** Its number in the run, from 0. */
  readonly n: number
  /** Where a request or a kill ends, and how; null while nobody knows. */
  end: { readonly x: number; readonly answered: Answered } | null
}

/** A party, and where its lane stands among the others. */
export interface Lane {
  readonly name: string
  readonly rank: number
}

/** How a mark shows an HTTP status; what is no number is no answer. */
export const answeredBy = (status: unknown): Answered => {
  if (typeof status !== "number") return "none"
  return status < 400 ? "good" : status < 500 ? "refused" : "error"
}

const byRank = (a: Lane, b: Lane): number =>
  a.rank - b.rank || a.name.localeCompare(b.name, "en", { numeric: true })

/** Grows with the run. */
export class Drawing {
  readonly events: Array<Drawn> = []
  lanes: ReadonlyArray<Lane> = []
  /** Labels of the time axis, so far apart that they can be read. */
  readonly ticks: Array<{ readonly x: number; readonly at: number }> = []
  private readonly open = new Map<string, Drawn>()

  get endX(): number {
    return this.events.at(-1)?.x ?? 0
  }

  add(events: ReadonlyArray<RenderedEvent>): void {
    for (const event of events) {
      const drawn: Drawn = { ...event, n: this.events.length, end: null }
      this.events.push(drawn)
      this.pair(drawn)
      if (event.x - (this.ticks.at(-1)?.x ?? -Infinity) >= 130) this.ticks.push({ x: event.x, at: event.at })
      if (!this.lanes.some(({ name }) => name === event.lane))
        this.lanes = [...this.lanes, { name: event.lane, rank: event.rank }].sort(byRank)
    }
  }

  private pair(drawn: Drawn): void {
    const { fields, kind, lane, x } = drawn
    const call = `${lane} ${String(fields["call"])}`
    if (kind === "request") this.open.set(call, drawn)
    if (kind === "killed") this.open.set(lane, drawn)
    const begun = this.open.get(kind === "started" ? lane : call)
    if (begun === undefined || begun === drawn) return
    const isLost = kind === "no-answer" || fields["arrives"] === false
    if (kind === "answered" || kind === "no-answer")
      begun.end = { x, answered: isLost ? "none" : answeredBy(fields["status"]) }
    if (kind === "started") begun.end = { x, answered: "none" }
  }

  /** How many events stand at this place or before it. */
  countAt(x: number): number {
    let [from, to] = [0, this.events.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (this.events[middle]!.x <= x) from = middle + 1
      else to = middle
    }
    return from
  }
}
