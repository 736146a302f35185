/** `simulate mutants`: which changes made by syntax the simulator and the tests notice. */
import * as Options from "@effect/cli/Options"
import { type Failed, leaf, usage } from "@lead-signals/command-line"
import { Effect, Option } from "effect"
import { equivalentMutants, readEquivalents } from "../mutants/Equivalents.ts"
import type { Mutant } from "../mutants/Mutant.ts"
import type { Judged } from "../mutants/Judged.ts"
import { type CampaignOptions, judgeMutants, type TestedMutants } from "../mutants/MutantCampaign.ts"
import { mutantsTable, judgedLine, summaryOf, targets } from "../mutants/MutantsTable.ts"
import { CleanRunError } from "../mutants/MutantReach.ts"
import { Results } from "../mutants/Results.ts"
import { sample } from "../mutants/MutantSample.ts"
import { allMutants, mutantsBeside } from "../mutants/Sources.ts"
import { fateOf, tallyOf } from "../mutants/Tally.ts"
import { flag, integer, jobs, seed, text, working } from "./CommandOptions.ts"
import { exitCodes } from "./ExitCodes.ts"
import { Output } from "./Output.ts"

interface MutantsOptions {
  /** The seed of the sample. */
  readonly seed: number
  readonly size: number
  /** In place of a sample. */
  readonly only: ReadonlyArray<string> | null
  /** Prints the mutants, and judges none. */
  readonly isList: boolean
  /** Runs for a mutant. */
  readonly seeds: number
  /** CPU seconds for a mutant. */
  readonly seconds: number
  /** For all; null: until all are judged. */
  readonly minutes: number | null
  readonly tested: TestedMutants
  /** Files of tests for a mutant. */
  readonly testFiles: number
  readonly jobs: number
  /** The file of judgements. */
  readonly results: string
  /** The file of the page. */
  readonly write: string | undefined
}

const jsonLine = (judged: Judged): string => {
  const { equivalent, mutant, simulator, tests } = judged
  const { diff, file, id, kind } = mutant
  return JSON.stringify({ id, kind, file, diff, fate: fateOf(judged), simulator, tests, equivalent })
}

/** Zero only when all were judged and the targets are reached. */
const exitCodeOf = (judged: ReadonlyArray<Judged>, tested: TestedMutants): number => {
  const { byEither, bySimulator, fates, unsimulated } = tallyOf(judged)
  if (unsimulated > 0 || (tested !== "none" && fates.open > 0)) return exitCodes.vacuous
  const isReached =
    (bySimulator ?? 1) >= targets.bySimulator && (tested === "none" || (byEither ?? 1) >= targets.byEither)
  return isReached ? exitCodes.passed : exitCodes.violated
}

const chosen = (
  output: Output,
  all: ReadonlyArray<Mutant>,
  { only, seed, size }: MutantsOptions
): ReadonlyArray<Mutant> | null => {
  if (only === null) return sample(all, size, seed)
  const byId = new Map(all.map((mutant) => [mutant.id, mutant]))
  const unknown = only.filter((id) => !byId.has(id))
  if (unknown.length === 0) return only.map((id) => byId.get(id)!)
  output.error(`There is no mutant ${unknown.join(", ")}; --list prints those of a sample.`)
  return null
}

/** Answers the exit code. */
const runMutants = async (output: Output, options: MutantsOptions): Promise<number> => {
  const { progress } = output
  const all = options.only === null ? await allMutants() : await mutantsBeside(options.only)
  const mutants = chosen(output, all, options)
  if (mutants === null) return exitCodes.usage
  if (options.isList) {
    for (const mutant of mutants) {
      const { diff, file, id, kind } = mutant
      output.line(output.isJson ? JSON.stringify({ id, kind, file, diff }) : `${id}\n  ${diff}`)
    }
    output.text(`${mutants.length} of ${all.length} mutants`)
    return exitCodes.passed
  }
  const endsAt =
    options.minutes === null ? Number.POSITIVE_INFINITY : performance.now() + options.minutes * 60_000
  const campaign: CampaignOptions = {
    budget: { seeds: options.seeds, seconds: options.seconds },
    tested: options.tested,
    testFiles: options.testFiles,
    jobs: options.jobs,
    isTimeLeft: () => performance.now() < endsAt,
    onJudged: (mutant, { by, detail, outcome }) => {
      progress.clear()
      output.text(`  ${mutant.id}  ${by}: ${outcome}${detail === "" ? "" : ` (${detail})`}`)
    },
    onProgress: (share, what) => progress.update(share, what)
  }
  const equivalents = equivalentMutants(all, readEquivalents())
  let judged: ReadonlyArray<Judged>
  try {
    judged = await judgeMutants(mutants, equivalents, new Results(options.results), campaign)
  } catch (error) {
    if (!(error instanceof CleanRunError)) throw error
    progress.clear()
    output.error(error.message)
    return exitCodes.crashed
  }
  progress.clear()
  for (const each of judged) {
    if (output.isJson) output.line(jsonLine(each))
    else if (fateOf(each) === "neither") output.line(`${judgedLine(each)}\n  ${each.mutant.diff}`)
  }
  output.text(summaryOf(judged))
  if (options.write !== undefined) {
    const words = process.argv.slice(2).join(" ")
    const day = new Date().toISOString().slice(0, 10)
    output.file(
      options.write,
      mutantsTable(judged, {
        command: `simulate ${words}`,
        day,
        population: all.length,
        testFiles: options.testFiles
      })
    )
  }
  return exitCodeOf(judged, options.tested)
}

const minutes = Options.integer("minutes").pipe(
  Options.withDescription("Minutes after which no mutant starts [until all are judged]"),
  Options.optional,
  Options.map(
    Option.match({
      onNone: () => Effect.succeed(null),
      onSome: (value): Effect.Effect<number, Failed> =>
        value >= 1 && value <= 100_000
          ? Effect.succeed(value)
          : usage("--minutes takes an integer from 1 to 100000.")
    })
  )
)

/** It needs the sources of the repository and its development packages. */
export const mutantsCommand = leaf(
  "mutants",
  {
    summary: "Measures which changes of production code the simulator and the tests notice",
    details: [
      "A mutant is production code with one place changed by syntax. The command first counts which runs of the simulator come to which mutants. It runs those on each mutant until a rule breaks, and the project's tests on the mutants that survive. It judges a sample in which each package and each kind of change has its share.",
      "The command keeps its judgements, so that an interrupted campaign goes on. It judges a survivor again when the simulator or the tests have changed."
    ],
    examples: [
      ["simulate mutants --sample 500 --write simulations/MUTANTS.md", "runs the campaign of the project"],
      ["simulate mutants --sample 20 --list", "lists 20 mutants and judges none"]
    ]
  },
  {
    seed,
    sample: integer("sample", "How many mutants to judge", 500, [1, 1_000_000]),
    only: text("only", "Judges the mutants of these ids, separated by commas, instead of a sample"),
    list: flag("list", "Lists the mutants and judges none"),
    seeds: integer("seeds", "How many runs judge a mutant, of those that come to it", 100, [1, 100_000]),
    seconds: integer("seconds", "CPU seconds of a mutant after which no run starts", 30, [1, 100_000]),
    minutes,
    tests: Options.choice("tests", ["survivors", "all", "none"]).pipe(
      Options.withDescription("Mutants that the tests judge [survivors of the simulator]"),
      Options.withDefault("survivors" as const)
    ),
    testFiles: integer(
      "test-files",
      "How many test files to run on a mutant, the nearest first",
      1000,
      [1, 1000]
    ),
    jobs,
    results: Options.text("results").pipe(
      Options.withDescription("File of the judgements [.simulations/mutants.jsonl]"),
      Options.withDefault(".simulations/mutants.jsonl")
    ),
    write: text("write", "File for the table in Markdown"),
    json: flag("json", "Prints one line of JSON a mutant")
  },
  (given) =>
    Effect.gen(function* () {
      const options: MutantsOptions = {
        seed: yield* given.seed,
        size: yield* given.sample,
        only: Option.getOrNull(Option.map(given.only, (ids) => ids.split(","))),
        isList: given.list,
        seeds: yield* given.seeds,
        seconds: yield* given.seconds,
        minutes: yield* given.minutes,
        tested: given.tests,
        testFiles: yield* given.testFiles,
        jobs: yield* given.jobs,
        results: given.results,
        write: Option.getOrUndefined(given.write)
      }
      const output = new Output(given.json)
      yield* working(output, () => runMutants(output, options))
    })
)
