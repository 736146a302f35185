/** HTML as text. */
import type { TraceEvent } from "@lead-signals/simulation-kernel"
import { renderedTime } from "../CounterexampleText.ts"

/** Safe as text and within quoted attributes. */
export const escaped = (text: string): string =>
  text.replace(
    /[&<>"]/g,
    (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[character]!
  )

/** A time to the second: a run's marks and attempts need no milliseconds. */
export const clock = (millis: number): string => renderedTime(millis).replace(/\.\d+$/, "")

/** `webhook https://b0-1-flaky.example/hook` is `→ b0-1-flaky`. */
export const laneName = (party: string): string =>
  party.replace(/^webhook https:\/\//, "→ ").replace(/\.example\/hook$/, "")

/** An event in one line. */
export const eventLine = ({ at, fields, kind, party }: TraceEvent): string =>
  `${renderedTime(at)} ${laneName(party)}: ${kind} ${Object.entries(fields)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(" ")}`

/** How an answer ended. Each has a shape and a colour of its own. */
export type AnswerKind = "good" | "refused" | "error" | "none"

/** How an HTTP status is drawn; what is no number is no answer. */
export const answerKind = (status: unknown): AnswerKind => {
  if (typeof status !== "number") return "none"
  return status < 400 ? "good" : status < 500 ? "refused" : "error"
}
