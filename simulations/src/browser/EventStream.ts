/** Sends the events of a run to the page while the run goes on, some at a time: one message each would cost more than the run. */
import type { TraceEvent } from "@lead-signals/simulation-kernel"
import { laneName } from "../report/Markup.ts"
import { rank } from "../report/Timeline.ts"
import { Placement } from "../report/TimeAxis.ts"
import type { Message, RenderedEvent } from "./Messages.ts"

/** Events in a message. */
const batchLength = 100

/** Messages of 100 events, each with its place on the drawing; a coverage mark goes with the number of events before it. `end` sends the rest. */
export class EventStream {
  private readonly placement = new Placement()
  private readonly met = new Set<string>()
  private events: Array<RenderedEvent> = []
  private marks: Array<readonly [number, string]> = []
  private count = 0

  constructor(private readonly send: (message: Message) => void) {}

  readonly observe = (event: TraceEvent, coverageMarks: ReadonlySet<string>): void => {
    const { at, fields, kind, party } = event
    this.light(coverageMarks)
    this.count++
    this.events.push({
      at,
      ...this.placement.place(at),
      lane: laneName(party),
      rank: rank(party),
      kind,
      fields
    })
    if (this.events.length >= batchLength) this.flush()
  }

  /** Sends what is left, with the marks that the run met at its end. */
  end(coverageMarks: ReadonlySet<string>): void {
    this.light(coverageMarks)
    this.flush()
  }

  private light(coverageMarks: ReadonlySet<string>): void {
    if (coverageMarks.size === this.met.size) return
    for (const mark of coverageMarks) {
      if (this.met.has(mark)) continue
      this.met.add(mark)
      this.marks.push([this.count, mark])
    }
  }

  private flush(): void {
    this.send({ is: "events", events: this.events, marks: this.marks })
    this.events = []
    this.marks = []
  }
}
