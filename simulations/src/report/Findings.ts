/** Findings of a night on a terminal: one line each. */
import type { Finding } from "../nightly/NightlyFolder.ts"
import { shellWord } from "./ShellWord.ts"

/** `1 seed`, `2 seeds`. */
export const counted = (n: number, what: string, many = `${what}s`): string => `${n} ${n === 1 ? what : many}`

const maxMessage = 160

const shortened = (message: string): string => {
  const line = message.replace(/\s+/g, " ")
  return line.length <= maxMessage ? line : `${line.slice(0, maxMessage - 1)}…`
}

const replayOf = ({ scenario, seed, store }: Finding, file: string | null): string =>
  file === null
    ? `./lead-signals simulate ${scenario} --seed ${seed}${store === "memory" ? "" : ` --store ${store}`}`
    : `./lead-signals simulate replay ${shellWord(file)}`

/** The rule, how it broke, and the command that shows it again. */
export const findingLine = (finding: Finding, file: string | null): string =>
  `${finding.rule}: ${shortened(finding.message)} · ${replayOf(finding, file)}`

/** A line of the list of all findings. */
export const findingSummary = (finding: Finding, file: string | null): string =>
  `  ${finding.isReported ? "known" : "new  "}  ${finding.rule}, ${counted(finding.times, "run")}, ${finding.outcome} · ${replayOf(finding, file)}`
