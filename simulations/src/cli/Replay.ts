/** `simulate replay FILE`: runs a counterexample again, and says whether it still breaks its rule. */
import { usage } from "@lead-signals/command-line"
import { Effect, Option } from "effect"
import { readFileSync } from "node:fs"
import { shellWord } from "../report/ShellWord.ts"
import { replaySummary, runSummary } from "../report/Summary.ts"
import { run } from "../Run.ts"
import {
  compareReplay,
  inputOfCounterexample,
  readCounterexample,
  type Counterexample
} from "../Counterexample.ts"
import { writeReport } from "./KeepCounterexample.ts"
import { exitCodeOf, exitCodes } from "./ExitCodes.ts"
import type { Output } from "./Output.ts"
import { plantedBug } from "./PlantedProcess.ts"

/** Fails as wrong usage where the file can't be read or is no counterexample, with the reason. */
export const loadCounterexample = (file: string) =>
  Effect.try({
    try: () => readFileSync(file, "utf8"),
    catch: (error) => usage(`${file} can't be read: ${(error as NodeJS.ErrnoException).code ?? "unknown"}.`)
  }).pipe(
    Effect.flatMap((text) =>
      Effect.mapError(readCounterexample(text), (problem) =>
        usage(`${file} is not a counterexample: ${problem}`)
      )
    )
  )

/** The bug with which it is replayed: its own, unless another or `none` is named. */
export const replayedBug = (counterexample: Counterexample, named: Option.Option<string>): string | null => {
  const name = Option.getOrElse(named, () => counterexample.bug ?? "none")
  return name === "none" || plantedBug !== null ? null : name
}

/** Answers the exit code. */
export const replay = (
  output: Output,
  counterexample: Counterexample,
  { file, report }: { readonly file: string; readonly report: string | undefined }
): number => {
  const ran = run(inputOfCounterexample(counterexample), counterexample.store)
  const given = { ...counterexample, until: undefined, bug: plantedBug }
  const replayed = compareReplay(counterexample, ran)
  output.line(runSummary(ran, 0, given).split("\n  again:")[0]!.trimEnd())
  output.line(`\n${replaySummary(counterexample, replayed)}`)
  const command = `./lead-signals simulate replay ${shellWord(file)}${plantedBug === counterexample.bug ? "" : " --bug none"}`
  writeReport(output, report, given, ran, { counterexample, replay: command })
  output.line(`digest: ${ran.digest}`)
  if (ran.outcome !== "passed") return exitCodeOf(ran)
  return replayed.replayed === "passed" ? exitCodes.passed : exitCodes.vacuous
}
