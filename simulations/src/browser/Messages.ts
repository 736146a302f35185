/** What a page and the worker that simulates for it send to each other. */
import type { Replayed } from "../Counterexample.ts"
import type { ComparedRow } from "../report/Comparison.ts"
import type { PlantedChange } from "../report/PlantedChange.ts"
import type { Outcome, RunReport } from "../Run.ts"

/** A scenario that comes with the project. */
export interface OfferedScenario {
  readonly name: string
  readonly about: string
  /** Virtual hours. */
  readonly hours: number
  /** The situations that its runs are held to, over many seeds. */
  readonly coverageMarks: ReadonlyArray<string>
}

/** A bug that the worker can plant: its name is the worker's. */
export interface OfferedBug extends PlantedChange {
  /** The scenario whose seeds show it. */
  readonly scenario: string
}

/** What a page asks of the worker. It answers one after the other. */
export type Order =
  | { readonly do: "describe" }
  | {
      readonly do: "run"
      /** The name of a scenario, or the text of a scenario's file. */
      readonly scenario: { readonly name: string } | { readonly text: string }
      readonly seed: number
      /** Instead of the scenario's own. */
      readonly hours: number | null
    }
  /** Runs the counterexample of a file. */
  | { readonly do: "replay"; readonly text: string }
  | { readonly do: "read"; readonly name: string; readonly text: string }
  /** Makes the run that was last made, and broke a rule, small. */
  | { readonly do: "shrink" }
  /** Ends shrinking with what was found so far. */
  | { readonly do: "stop-shrinking" }

/** An event of a run, with its place on a timeline on which gaps are folded. */
export interface RenderedEvent {
  /** Virtual milliseconds since the run began. */
  readonly at: number
  readonly x: number
  /** A time before it in which nothing happened, and which is folded. */
  readonly gap: { readonly from: number; readonly to: number; readonly skippedMillis: number } | null
  readonly lane: string
  /** The place of the lane among the others. */
  readonly rank: number
  readonly kind: string
  readonly fields: Readonly<Record<string, string | number | boolean | null>>
}

/** The first violation of a run, as the page shows it. */
export interface BrokenRule {
  readonly rule: string
  readonly message: string
  /** What the rule demands. */
  readonly demands: string | null
  /** What was expected beside what came; null where the rule compares no texts. */
  readonly compared: ReadonlyArray<ComparedRow> | null
}

/** How a run ended. */
export interface Finished {
  readonly outcome: Outcome
  readonly broken: BrokenRule | null
  readonly digest: string
  readonly counts: RunReport["counts"]
  readonly coverageMarks: ReadonlyArray<string>
  /** Seconds of real time. */
  readonly seconds: number
  /** How it stands to the counterexample that it replays. */
  readonly replayed: Replayed | null
}

/** A counterexample that was made small. */
export interface Small {
  /** What it is: who takes part, what they do, what goes wrong. */
  readonly lines: ReadonlyArray<string>
  /** The number of runs that shrinking took. */
  readonly runs: number
  readonly actions: number
  readonly faults: number
  readonly fileName: string
  /** The file that replays it. */
  readonly text: string
}

/** A file as it was read. */
export type ReadFile =
  | { readonly kind: "scenario"; readonly scenario: OfferedScenario; readonly text: string }
  | {
      readonly kind: "counterexample"
      readonly scenario: string
      readonly seed: number
      readonly bug: string | null
      readonly rule: string
      readonly lines: ReadonlyArray<string>
      readonly text: string
    }
  | { readonly kind: "neither"; readonly problems: ReadonlyArray<string> }

/** What the worker says. */
export type Message =
  | {
      readonly is: "described"
      readonly scenarios: ReadonlyArray<OfferedScenario>
      readonly bugs: ReadonlyArray<OfferedBug>
    }
  | {
      readonly is: "events"
      readonly events: ReadonlyArray<RenderedEvent>
      /** Those that lit up, each with the number of events before it. */
      readonly marks: ReadonlyArray<readonly [events: number, mark: string]>
    }
  | { readonly is: "finished"; readonly finished: Finished }
  | {
      readonly is: "shrinking"
      readonly runs: number
      readonly actions: number
      readonly faults: number
    }
  | { readonly is: "small"; readonly small: Small }
  | { readonly is: "read"; readonly name: string; readonly file: ReadFile }
  /** The worker can't do what it was asked for. */
  | { readonly is: "failed"; readonly message: string }
