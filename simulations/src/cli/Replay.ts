/** `simulate replay FILE`: runs a counterexample again, and says whether it still breaks its rule. */
import { usage } from "@lead-signals/command-line"
import { Effect, Option } from "effect"
import { readFileSync } from "node:fs"
import { replaySummary, runSummary } from "../report/Summary.ts"
import { run } from "../Run.ts"
import { compareReplay, inputOfStory, readStory, type Story } from "../Story.ts"
import { writeReport } from "./Counterexamples.ts"
import { exitCodeOf, exitCodes } from "./ExitCodes.ts"
import type { Output } from "./Output.ts"
import { plantedBug } from "./PlantedProcess.ts"

export const readCounterexample = (file: string) =>
  Effect.try({
    try: () => readFileSync(file, "utf8"),
    catch: (error) => usage(`${file} can't be read: ${(error as NodeJS.ErrnoException).code ?? "unknown"}.`)
  }).pipe(
    Effect.flatMap((text) =>
      Effect.mapError(readStory(text), (problem) => usage(`${file} is no counterexample: ${problem}`))
    )
  )

/** The bug with which it is replayed: its own, unless another or `none` is named. */
export const replayedBug = (story: Story, named: Option.Option<string>): string | null => {
  const name = Option.getOrElse(named, () => story.bug ?? "none")
  return name === "none" || plantedBug !== null ? null : name
}

/** Answers the exit code. */
export const replay = (output: Output, story: Story, report: string | undefined): number => {
  const ran = run(inputOfStory(story), story.store)
  const given = { ...story, until: undefined, bug: plantedBug }
  const replayed = compareReplay(story, ran)
  output.line(runSummary(ran, 0, given).split("\n  again:")[0]!.trimEnd())
  output.line(`\n${replaySummary(story, replayed)}`)
  writeReport(output, report, given, ran, story)
  output.line(`digest: ${ran.digest}`)
  if (ran.outcome !== "held") return exitCodeOf(ran)
  return replayed.replayed === "held" ? exitCodes.held : exitCodes.vacuous
}
