/** `simulate nightly`: its options. */
import * as Options from "@effect/cli/Options"
import { leaf, usage } from "@lead-signals/command-line"
import { Effect, Option } from "effect"
import { join } from "node:path"
import {
  amount,
  bugName,
  bugOf,
  flag,
  maxSeed,
  jobs,
  noShrink,
  optionalInteger,
  working
} from "./CommandOptions.ts"
import { defaultFolder } from "./KeepCounterexample.ts"
import { runNightly } from "./Nightly.ts"
import { Output } from "./Output.ts"
import { runPlanted } from "./PlantedProcess.ts"

const defaultCorpus = join(defaultFolder, "nightly")
const maxMinutes = 100_000

/** Its exit code tells of new findings; each is new once. */
export const nightlyCommand = leaf(
  "nightly",
  {
    summary: "Replays the corpus of earlier nights, and explores new seeds until the time is up",
    details: [
      "It prints one line for each new finding. What it covers and finds is kept in a folder, and the next night goes on from there."
    ],
    examples: [["simulate nightly --hours 8", "a night; killed and started again, it goes on"]]
  },
  {
    corpus: Options.text("corpus").pipe(
      Options.withDescription(`The folder of the corpus and the findings [${defaultCorpus}]`),
      Options.withDefault(defaultCorpus)
    ),
    minutes: amount("minutes", "How many minutes to run [60]", maxMinutes),
    hours: amount("hours", "How many hours to run, instead of minutes", maxMinutes / 60),
    seeds: optionalInteger("seeds", "Explores at most so many seeds [as many as fit]", 1, 1_000_000_000),
    seed: optionalInteger("seed", "First seed to explore [the one after the last night's]", 0, maxSeed),
    jobs,
    bug: bugName,
    noShrink,
    json: flag("json", "Prints lines of JSON: started, mended, corpus, finding, summary")
  },
  (given) =>
    Effect.gen(function* () {
      const [minutes, hours] = [yield* given.minutes, yield* given.hours]
      if (minutes !== null && hours !== null) return yield* usage("--minutes and --hours exclude each other.")
      const options = {
        folder: given.corpus,
        firstSeed: yield* given.seed,
        minutes: minutes ?? (hours === null ? 60 : hours * 60),
        seeds: (yield* given.seeds) ?? Infinity,
        jobs: yield* given.jobs,
        isShrunk: !given.noShrink
      }
      const output = new Output(given.json)
      if (Option.isNone(given.bug)) return yield* working(output, () => runNightly(output, options))
      const bug = yield* bugOf(given.bug.value)
      yield* working(output, () => runPlanted(output, bug, [], true))
    })
)
