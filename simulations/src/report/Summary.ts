/** What runs say of themselves on a terminal: what happened, what they met, and how to see it again. */
import type { RunReport, StoreKind } from "../Run.ts"
import type { Scenario } from "../Scenario.ts"
import { shellWord } from "./ShellWord.ts"
import { type Replayed, type Counterexample, livelock } from "../Counterexample.ts"
import { renderCounterexample } from "../CounterexampleText.ts"

/** What a run was given besides its scenario. */
export interface Given {
  readonly scenario: string
  readonly seed: number
  /** Instead of the scenario's hours, as it was typed. */
  readonly until: string | undefined
  readonly store: StoreKind
  readonly bug: string | null
}

/** One line that repeats the run on any machine. */
export const repeatLine = ({ bug, scenario, seed, store, until }: Given): string =>
  [
    `./lead-signals simulate ${shellWord(scenario)} --seed ${seed}`,
    ...(until === undefined ? [] : [`--until ${until}`]),
    ...(store === "memory" ? [] : [`--store ${store}`]),
    ...(bug === null ? [] : [`--bug ${bug}`])
  ].join(" ")

const lasting = (seconds: number): string =>
  seconds < 7200
    ? `${Math.round(seconds / 60)} min`
    : seconds < 172_800
      ? `${Math.round(seconds / 3600)} h`
      : `${Math.round(seconds / 86_400)} days`

/** Lines for a terminal. `wallSeconds` are real seconds. */
export const runSummary = (
  {
    counts,
    coverageMarks,
    outcome,
    violation
  }: Omit<RunReport, "trace" | "picks" | "coverageMarks" | "exercised" | "faults"> & {
    readonly coverageMarks: Iterable<string>
  },
  wallSeconds: number,
  given: Given
): string => {
  const met = [...coverageMarks].sort()
  return [
    `${given.scenario} · seed ${given.seed} · ${outcome}`,
    `  ${lasting(counts.simulatedSeconds)} in ${wallSeconds.toFixed(1)} s: ${counts.actions} actions, ${counts.engagements} engagements, ${counts.requests} requests, ${counts.posts} posts, ${counts.faults} faults, ${counts.kills} kills`,
    ...(met.length === 0 ? [] : [`  met: ${met.join(", ")}`]),
    ...(outcome === "passed"
      ? []
      : [
          "",
          `  ${(violation ?? livelock).oracle}: ${(violation ?? livelock).message}`,
          "",
          `  again: ${repeatLine(given)}`
        ])
  ].join("\n")
}

const maxCounterexampleLines = 30

/** Its first lines, what it breaks, and the command that replays `file`. */
export const counterexampleSummary = (counterexample: Counterexample, runs: number, file: string): string => {
  const lines = renderCounterexample(counterexample)
  const { actions, scheduledFaults } = counterexample.plan
  return [
    `  the counterexample, after ${runs} runs: ${actions.length} actions, ${counterexample.faults.length + scheduledFaults.length} faults`,
    "",
    ...lines.slice(0, maxCounterexampleLines).map((line) => `    ${line}`),
    ...(lines.length > maxCounterexampleLines
      ? [`    … ${lines.length - maxCounterexampleLines} more lines in the file`]
      : []),
    "",
    `  ${counterexample.violates.oracle}: ${counterexample.violates.message}`,
    "",
    `  replay: ./lead-signals simulate replay ${shellWord(file)}`
  ].join("\n")
}

/** Says whether the rule still breaks, and from where on the run differs. */
export const replaySummary = (counterexample: Counterexample, replayed: Replayed): string => {
  const { message, oracle } = counterexample.violates
  switch (replayed.replayed) {
    case "same":
      return [
        `  in the counterexample: ${oracle}: ${message}`,
        ...(replayed.partsAt === null
          ? []
          : [
              `  The run broke the same rule. From decision ${replayed.partsAt} on it differs from the counterexample.`
            ])
      ].join("\n")
    case "passed":
      return `  Every decision is that of the counterexample, and the rule "${oracle}" holds now.`
    case "other":
      return `  Every decision is that of the counterexample, but the run broke "${replayed.oracle}", not "${oracle}".`
    case "parted":
      return [
        `  The rule "${oracle}" holds, but the counterexample no longer applies: decision ${replayed.decision} of ${counterexample.decisions.length} differs.`,
        `    in the counterexample: ${replayed.expected ?? "none"}`,
        `    in this run:  ${replayed.actual ?? "none"}`
      ].join("\n")
  }
}

/** How many of the seeds met each mark; those that the scenario declares and none met are marked. */
export const coverageTable = (
  declared: ReadonlyArray<string>,
  met: ReadonlyMap<string, number>,
  seeds: number
): ReadonlyArray<string> => {
  const names = [...new Set([...declared, ...met.keys()])].sort()
  const width = Math.max(...names.map((name) => name.length), 0)
  return names.map((name) => {
    const count = met.get(name) ?? 0
    const missed = count === 0 && declared.includes(name) ? "   never reached" : ""
    return `  ${name.padEnd(width)}  ${String(count).padStart(String(seeds).length)} of ${seeds}${missed}`
  })
}

/** The marks that the scenario declares and no run met. */
export const missedCoverage = (
  { coverageMarks }: Pick<Scenario, "coverageMarks">,
  met: ReadonlyMap<string, number>
) => coverageMarks.filter((mark) => !met.has(mark))
