/**
 * A counterexample: a run that broke a rule, with what it depends on spelled out, as a file that repeats it on any machine. The
 * decisions are what was done and what went wrong, in order: a replay that parts from them no longer applies.
 */
import { Retention } from "@lead-signals/domain"
import type { TraceEvent } from "@lead-signals/simulation-kernel"
import { Either, Schema } from "effect"
import { type Action, addressLists, placeLimits, type Plan, routings } from "./plan/Plan.ts"
import type { PlannedPruning } from "./plan/PlannedRetention.ts"
import type { RunInput, RunReport, StoreKind } from "./Run.ts"
import { Rates, type Scenario } from "./Scenario.ts"

/** Null: for ever. */
const keptMillis = Schema.NullOr(Schema.Int)

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
        intervalMillis: Schema.optional(Schema.Number),
        leaseMillis: Schema.optional(Schema.Number),
        rows: Schema.optional(Schema.Number)
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

/* In words */

/** Virtual time since the run began: hours, minutes, seconds and milliseconds. */
const time = (millis: number): string => {
  const seconds = Math.floor(millis / 1000)
  const part = (n: number): string => String(n).padStart(2, "0")
  return `${Math.floor(seconds / 3600)}:${part(Math.floor(seconds / 60) % 60)}:${part(seconds % 60)}.${String(millis % 1000).padStart(3, "0")}`
}

const describeAction = (action: Action): string => {
  switch (action.do) {
    case "observe":
    case "again":
      return `${action.do === "again" ? "seen again" : "seen"}: ${action.seen
        .map(
          ({ engagement, person }) =>
            `${person.extId} ${String(engagement["type"] ?? "engages")} ${engagement.id}`
        )
        .join(", ")}`
    case "amend":
      return `the operator sets ${JSON.stringify(action.change)} on ${action.person}`
    case "erase":
      return `the operator erases ${action.person}`
    case "export":
      return `the operator exports ${action.person}`
    case "list":
    case "walk": {
      const { bounds, direction, field, flags, page, pageSize, search, signal } = action.query
      const filters = [
        ...bounds.map(
          ({ by, name }) => `${name} at a known instant${by === 0 ? "" : ` ${by > 0 ? "+" : ""}${by} ms`}`
        ),
        ...Object.entries(flags).map(([name, value]) => `${name}=${value}`),
        ...(search === null ? [] : [`search "${search}"`]),
        ...(signal === null ? [] : [`signal ${signal}`])
      ]
      const more = action.do === "list" ? (action.next?.length ?? 0) : 0
      return `a client ${action.do === "walk" ? "pages through" : `lists page ${page} of`} ${field}:${direction} by ${pageSize}${filters.length === 0 ? "" : ` with ${filters.join(", ")}`}${more === 0 ? "" : `, and at once ${more} like it`}`
    }
    case "detail":
      return `a client looks at ${action.person}`
    case "sync":
      return "a client syncs"
    case "metrics":
      return `a client reads metrics from ${action.startDate ?? "the beginning"} to ${action.endDate ?? "now"}`
    case "reading":
      return `a reading of ${action.post} on ${action.day}: ${Object.values(action.totals).join("/")}`
    case "key":
      return `a key is made, used ${action.useMillis.length} times, and revoked after ${action.revokeMillis} ms`
    case "burst":
      return `${action.requests} requests of a key that may make ${action.limit ?? 6} a minute, every ${action.gapMillis} ms`
    case "load":
      return `${action.people} people are loaded${action.isLines ? " as lines" : ""}`
    case "probe":
      return `requests in other forms: ${action.probes.join("; ")}`
    case "keyed":
      return `a ${action.what} is created with an Idempotency-Key in ${action.tries.length} requests: ${action.tries.map(({ after, isOfOther, isOther }) => `${after} ms${isOther === true ? " with another body" : ""}${isOfOther === true ? " by another token" : ""}`).join(", ")}`
    case "access": {
      const { allowed, brands, expiresMillis, holder, revokeMillis, scopes, uses } = action
      return [
        `a ${holder} with the scopes ${scopes.join(", ")}`,
        ...(holder === "token" && brands !== "all" ? [`for ${brands} brands`] : []),
        ...(allowed === null ? [] : [`from ${addressLists[allowed]!.join(", ")}`]),
        ...(expiresMillis === null ? [] : [`valid for ${expiresMillis} ms`]),
        ...(revokeMillis === null ? [] : [`revoked after ${revokeMillis} ms`]),
        `used ${uses.length} times`
      ].join(", ")
    }
    case "session": {
      const { credential, origin, revokeMillis, signOut, uses } = action
      return [
        `somebody signs in with ${credential === "environment" ? "the operator's token" : `a ${credential}${credential === "wrong" ? " credential" : ""}`}, origin ${origin}`,
        ...(revokeMillis === null ? [] : [`revoked after ${revokeMillis} ms`]),
        ...uses.map(({ what, ...use }) => `uses ${what}, origin ${use.origin}`),
        signOut === null ? "never signs out" : `signs out, origin ${signOut}`
      ].join("; ")
    }
    case "stream":
      return `the operator listens to events: ${action.reads.map(({ after, forMillis, from, takesMillis }) => `after ${after} ms for ${forMillis} ms, last event ${from}${takesMillis === 0 ? "" : `, ${takesMillis} ms over each piece`}`).join("; ")}`
    case "tenant":
      return `a brand with ${action.people} people is created, used and deleted`
    case "cross":
      return `a client requests another brand's lead and campaign (${action.person})`
    case "rotate":
      return `the secret of webhook ${action.webhook} is renewed`
    case "test":
      return `webhook ${action.webhook} is tested`
    case "resend":
      return `${action.event} of ${action.person} is sent again to webhook ${action.webhook}`
    case "redeliver":
      return `delivery ${action.nth} of webhook ${action.webhook} is sent again`
    case "recover":
      return `what died at webhook ${action.webhook} is sent again`
    case "toggle":
      return `webhook ${action.webhook} is switched off for ${Math.round(action.offMillis / 1000)} s`
    case "inspect":
      return `the operator looks: ${action.what}, webhook ${action.webhook}, ${action.nth}`
  }
}

const renderedPruning = ({ intervalMillis, leaseMillis, rows }: PlannedPruning): string =>
  [
    "pruned",
    ...(intervalMillis === undefined ? [] : [`every ${intervalMillis / 1000} s`]),
    ...(leaseMillis === undefined ? [] : [`under a lease of ${leaseMillis / 1000} s`]),
    ...(rows === undefined ? [] : [`in pieces of ${rows}`])
  ].join(" ")

const renderedRetention = (retention: Retention.Retention): string =>
  Retention.retentionKinds.map((kind) => `${kind} ${Retention.format(retention[kind])}`).join(", ")

/** Describes the counterexample in lines: who took part, what was done, what went wrong. */
export const renderCounterexample = ({ faults, plan, schedule }: Counterexample): ReadonlyArray<string> => {
  const { actions, brands, networkedStore, places, processes, pruning, retention, routing, scheduledFaults } =
    plan as unknown as Plan
  const lines = [
    ...(processes === undefined
      ? []
      : [
          `${processes.length} processes${processes.flatMap(({ older }, i) => (older ? `, process ${i + 1} of an older version` : "")).join("")}; requests spread: ${routing}`
        ]),
    ...(networkedStore === true ? ["the store behind a network"] : []),
    ...(places === undefined ? [] : [`places for attempts: ${places}`]),
    ...(retention === undefined ? [] : [`kept: ${renderedRetention(retention)}`]),
    ...(pruning === undefined ? [] : [renderedPruning(pruning)]),
    ...brands.map(
      ({ consumers }, i) =>
        `brand ${i} with ${consumers.length === 0 ? "no webhook" : `webhooks ${consumers.map(({ behaviour, ordering }) => (ordering === undefined ? behaviour : `${behaviour} in order`)).join(", ")}`}`
    )
  ]
  const timed = [
    ...actions.map((action) => [action.at, `brand ${action.brand}: ${describeAction(action)}`] as const),
    ...scheduledFaults.map(({ at, ...fault }) => {
      const amount = "millis" in fault ? ` (${fault.millis} ms)` : "rate" in fault ? ` (${fault.rate})` : ""
      const befallen = fault.process === undefined ? "" : ` of process ${fault.process + 1}`
      return [at, `! ${fault.fault}${befallen}${amount}`] as const
    })
  ].sort(([a], [b]) => a - b)
  for (const [at, text] of timed) lines.push(`${time(at).padStart(12)}  ${text}`)
  for (const fault of faults) lines.push(`           !  ${fault}`)
  if (schedule.kind === "seed") lines.push("           ~  scheduling steps in the seed's order")
  if (schedule.kind === "picks")
    lines.push(`           ~  ${schedule.picks.length} scheduling steps out of order`)
  return lines
}

export { time as renderedTime }
