/**
 * A counterexample: a run that broke a rule, with what it depends on spelled out, as a file that repeats it on any machine. The
 * decisions are what was done and what went wrong, in order: a replay that parts from them no longer applies.
 */
import type { TraceEvent } from "@lead-signals/simulation-kernel"
import { Either, Schema } from "effect"
import { placeLimits, type Plan, routings } from "./plan/Plan.ts"
import type { RunInput, RunReport, StoreKind } from "./Run.ts"
import { Rates, type Scenario } from "./Scenario.ts"

/** Null: for ever. */
const keptMillis = Schema.NullOr(Schema.Int)

/** A round of pruning without a pause, or a piece without a row, would never end. */
const positive = Schema.Int.pipe(Schema.positive())

const anything = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/**
 * The schema of a kept counterexample: a JSON file whose field `counterexample` is 1. Its `plan` is as the run
 * executed it.
 */
export const Counterexample = Schema.Struct({
  counterexample: Schema.Literal(1),
  /** A name, or the path of a scenario's file. */
  scenario: Schema.String,
  /** The scenario itself, where it does not come with the project. */
  definition: Schema.optional(anything),
  seed: Schema.Int,
  store: Schema.Literal("memory", "sqlite", "sqlite-encrypted"),
  /** The planted bug that it shows; null where it shows the code as it was. */
  bug: Schema.NullOr(Schema.String),
  violates: Schema.Struct({ oracle: Schema.String, message: Schema.String }),
  digest: Schema.String,
  plan: Schema.Struct({
    hours: Schema.Number,
    brands: Schema.Array(
      Schema.Struct({
        consumers: Schema.Array(
          Schema.Struct({
            behaviour: Schema.String,
            events: Schema.Array(Schema.String),
            ordering: Schema.optional(Schema.Literal("lead")),
            maxDelay: Schema.optional(Schema.Number),
            format: Schema.optional(Schema.Literal("cloudevents")),
            maxBatch: Schema.optional(Schema.Number),
            maxWait: Schema.optional(Schema.Number)
          })
        ),
        changesWait: Schema.optional(Schema.Number)
      })
    ),
    actions: Schema.Array(anything),
    scheduledFaults: Schema.Array(anything),
    rates: Rates,
    processes: Schema.optional(Schema.Array(Schema.Struct({ older: Schema.Boolean }))),
    routing: Schema.optional(Schema.Literal(...routings)),
    networkedStore: Schema.optional(Schema.Boolean),
    places: Schema.optional(Schema.Literal(...placeLimits)),
    startsAt: Schema.optional(Schema.NonNegativeInt),
    maxWaits: Schema.optional(Schema.NonNegativeInt),
    offDays: Schema.optional(Schema.Positive),
    earlierSignals: Schema.optional(Schema.Int.pipe(Schema.between(1, 100))),
    recovers: Schema.optional(Schema.Literal(true)),
    retention: Schema.optional(
      Schema.Struct({
        deliveries: keptMillis,
        deadLetters: keptMillis,
        events: keptMillis,
        engagements: keptMillis,
        leads: keptMillis,
        suppressions: keptMillis
      })
    ),
    pruning: Schema.optional(
      Schema.Struct({
        intervalMillis: Schema.optional(positive),
        leaseMillis: Schema.optional(positive),
        rows: Schema.optional(positive)
      })
    )
  }),
  faults: Schema.Array(Schema.String),
  schedule: Schema.Union(
    Schema.Struct({ kind: Schema.Literal("seed"), seed: Schema.Int }),
    Schema.Struct({ kind: Schema.Literal("fifo") }),
    Schema.Struct({
      kind: Schema.Literal("picks"),
      picks: Schema.Array(Schema.Tuple(Schema.Int, Schema.Int))
    })
  ),
  decisions: Schema.Array(Schema.String)
})

/** A counterexample as its file has it, decoded and within bounds. */
export type Counterexample = typeof Counterexample.Type

/** The rule that a livelocked run violates: what is owed must come. */
export const livelock = {
  oracle: "liveness",
  message: "After the faults had stopped, something that was owed did not come about."
}

/** The rule that a run broke, and how, for people: livelock, where it broke no other. */
export const violationOf = ({ violation }: Pick<RunReport, "violation">): Counterexample["violates"] => {
  const { message, oracle } = violation ?? livelock
  return { oracle, message }
}

const decisive = new Set([
  "acts",
  "fault",
  "killed",
  "clock",
  "drift",
  "paused",
  "partition",
  "power-lost",
  "store-cut",
  "receivers-cut",
  "failover"
])

/** What was decided in a run, each as a line. */
const decisionsOf = (trace: ReadonlyArray<TraceEvent>): ReadonlyArray<string> =>
  trace
    .filter(({ kind }) => decisive.has(kind))
    .map(({ at, fields, kind, party }) => `${at} ${party} ${kind} ${Object.values(fields).join(" ")}`.trim())

/**
 * The counterexample of a run that did not pass: its input, the faults that befell it, and the decisions of its
 * trace. `bug` names the planted bug, null for the code as it is.
 */
export const counterexampleOf = (
  of: {
    readonly scenario: string
    readonly definition?: Scenario
    readonly store: StoreKind
    readonly bug: string | null
  },
  input: RunInput,
  report: RunReport
): Counterexample => ({
  counterexample: 1,
  ...of,
  seed: input.seed,
  violates: violationOf(report),
  digest: report.digest,
  plan: input.plan as unknown as Counterexample["plan"],
  faults: input.faults ?? report.faults,
  schedule: input.schedule,
  decisions: decisionsOf(report.trace)
})

/** Reads the text of a kept counterexample. Left: what is wrong with it. */
export const readCounterexample = (text: string): Either.Either<Counterexample, string> =>
  Either.try({ try: () => JSON.parse(text) as unknown, catch: () => "it is not JSON" }).pipe(
    Either.flatMap((value) =>
      Either.mapLeft(Schema.decodeUnknownEither(Counterexample)(value), (problem) =>
        problem.message
          .split("\n")
          .at(-1)!
          .replace(/^[└─ ]+/, "")
      )
    )
  )

/** The input that repeats the counterexample. */
export const inputOfCounterexample = ({ faults, plan, schedule, seed }: Counterexample): RunInput => ({
  seed,
  plan: plan as unknown as Plan,
  faults,
  schedule
})

/** How a replay ended, beside the counterexample. */
export type Replayed =
  /** The same rule is broken; from this decision on, counted from 1, in another way than in the counterexample. */
  | { readonly replayed: "same"; readonly partsAt: number | null }
  /** The same decisions, and the rule holds now. */
  | { readonly replayed: "passed" }
  | { readonly replayed: "other"; readonly oracle: string }
  /** From this decision on, counted from 1, the run is another one. */
  | {
      readonly replayed: "parted"
      readonly decision: number
      readonly expected: string | null
      readonly actual: string | null
    }

/**
 * Says how a replay of the counterexample ended: with the same violation, with another, with none, or as a run that
 * parts from the recorded decisions.
 */
export const compareReplay = (counterexample: Counterexample, report: RunReport): Replayed => {
  const violation = report.outcome === "livelocked" ? livelock : report.violation
  const actual = decisionsOf(report.trace)
  const at = counterexample.decisions.findIndex((decision, i) => decision !== actual[i])
  if (violation?.oracle === counterexample.violates.oracle) {
    return { replayed: "same", partsAt: at < 0 ? null : at + 1 }
  }
  if (at >= 0) {
    return {
      replayed: "parted",
      decision: at + 1,
      expected: counterexample.decisions[at] ?? null,
      actual: actual[at] ?? null
    }
  }
  return violation === null ? { replayed: "passed" } : { replayed: "other", oracle: violation.oracle }
}
