/** What a run says of itself on a terminal: what happened, what it met, and how to see it again. */
import type { TraceEvent } from "@lead-signals/simulator"
import type { Scenario } from "./Scenario.ts"
import type { RunReport } from "./Run.ts"

const lastEvents = 12

const shownTime = (millis: number): string => {
  const seconds = Math.floor(millis / 1000)
  const part = (n: number): string => String(n).padStart(2, "0")
  return `${Math.floor(seconds / 3600)}:${part(Math.floor(seconds / 60) % 60)}:${part(seconds % 60)}.${String(millis % 1000).padStart(3, "0")}`
}

const shownEvent = ({ at, fields, kind, party }: TraceEvent): string =>
  `  ${shownTime(at).padStart(13)}  ${party.padEnd(12)} ${kind}  ${Object.entries(fields)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(" ")}`

/** What a run was given besides its scenario and its seed. */
export interface Given {
  readonly hours: number | undefined
  readonly bug: string | undefined
}

/** One line that repeats the run on any machine. */
export const repeatLine = ({ scenario, seed }: RunReport, { bug, hours }: Given): string =>
  [
    `pnpm simulate ${scenario} --seed ${seed}`,
    ...(hours === undefined ? [] : [`--until ${hours}h`]),
    ...(bug === undefined ? [] : [`--bug ${bug}`])
  ].join(" ")

export const runSummary = (report: RunReport, wallSeconds: number, given: Given): string => {
  const { counts, marks, outcome, scenario, seed, trace, violation } = report
  return [
    `${scenario} · seed ${seed} · ${outcome}`,
    `  ${counts.simulatedHours} h in ${wallSeconds.toFixed(1)} s: ${counts.engagements} engagements, ${counts.requests} requests, ${counts.posts} posts, ${counts.kills} kills`,
    ...(marks.size === 0 ? [] : [`  met: ${[...marks].sort().join(", ")}`]),
    ...(outcome === "held"
      ? []
      : [
          "",
          violation === null
            ? "  After the faults had stopped, something that was owed did not come about."
            : `  ${violation.oracle}: ${violation.message}`,
          "",
          ...trace.slice(-lastEvents).map(shownEvent),
          "",
          `  again: ${repeatLine(report, given)}`
        ])
  ].join("\n")
}

/** How many of the seeds met each mark; those that the scenario declares and none met are told apart. */
export const marksTable = (
  scenario: Scenario,
  met: ReadonlyMap<string, number>,
  seeds: number
): ReadonlyArray<string> => {
  const names = [...new Set([...scenario.marks, ...met.keys()])].sort()
  const width = Math.max(...names.map((name) => name.length), 0)
  return names.map((name) => {
    const count = met.get(name) ?? 0
    const missed = count === 0 && scenario.marks.includes(name) ? "   never reached" : ""
    return `  ${name.padEnd(width)}  ${String(count).padStart(String(seeds).length)} of ${seeds}${missed}`
  })
}
