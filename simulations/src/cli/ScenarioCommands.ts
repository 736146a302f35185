/** `simulate NAME` and `simulate ./FILE.json`: the scenarios of the project, and those of one's own. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { type Failed, leaf, type Node, usage } from "@lead-signals/command-line"
import { storeKinds } from "../Run.ts"
import { Effect, Either, Option } from "effect"
import type { Scenario } from "../Scenario.ts"
import { fieldTable } from "../scenario-file/FieldReference.ts"
import { oversized } from "../scenario-file/RunSize.ts"
import { scenarioNamed, scenarioNames } from "../Scenarios.ts"
import {
  bugName,
  bugOf,
  flag,
  hoursOf,
  jobs,
  json,
  noShrink,
  report,
  seed,
  seedsOf,
  shrinkSeconds,
  text,
  working
} from "./CommandOptions.ts"
import { Output } from "./Output.ts"
import { runPlanted } from "./PlantedProcess.ts"
import { runScenario } from "./RunScenario.ts"
import { loadScenario, newScenarioFile, schemaText, renderedScenario } from "./ScenarioFiles.ts"

const firstSentence = (of: string): string => /^.*?(?=[.:](?: |$))/.exec(of)?.[0] ?? of

/** `called` is what names it on the command line. `load` may fail: a file of one's own can be wrong. */
const runCommand = (called: string, about: string, load: Effect.Effect<Scenario, Failed>): Node =>
  leaf(
    called,
    { summary: firstSentence(about), details: [about] },
    {
      seed,
      seeds: seedsOf(1),
      store: Options.choice("store", storeKinds).pipe(
        Options.withDescription("The store of the service [memory; a planted bug's own]"),
        Options.optional
      ),
      until: text("until", "Length of the run, like 90m, 24h or 3d [the scenario's own]"),
      bug: bugName,
      check: flag("check", "Runs each seed twice, and prints the first event that differs"),
      report,
      counterexample: text(
        "counterexample",
        "File for the counterexample of a broken rule [.simulations/SCENARIO-SEED.json]"
      ),
      noShrink,
      shrinkSeconds,
      jobs,
      oracles: flag("oracles", "How often each rule was judged, and how often only in part"),
      json
    },
    (given) =>
      Effect.gen(function* () {
        const scenario = yield* load
        const until = Option.getOrUndefined(given.until)
        const hours = yield* hoursOf(until)
        const tooMuch = oversized(scenario, hours)
        if (tooMuch.length > 0) return yield* usage([`${called} is too large.`, ...tooMuch].join("\n  "))
        const options = {
          called,
          firstSeed: yield* given.seed,
          seeds: yield* given.seeds,
          store: Option.getOrElse(given.store, () => "memory" as const),
          until,
          hours,
          isChecked: given.check,
          areOraclesListed: given.oracles,
          jobs: yield* given.jobs,
          file: Option.getOrUndefined(given.counterexample),
          isShrunk: !given.noShrink,
          shrinkSeconds: yield* given.shrinkSeconds,
          report: Option.getOrUndefined(given.report)
        }
        const output = new Output(given.json)
        if (Option.isNone(given.bug)) {
          return yield* working(output, () => runScenario(output, scenario, options))
        }
        const bug = yield* bugOf(given.bug.value)
        const store = Option.isNone(given.store) ? ["--store", bug.store] : []
        yield* working(output, () => runPlanted(output, bug, store, options.seeds > 1))
      })
  )

/** One command for each scenario of the project, with the help that its `about` gives. */
export const scenarioCommands = (): ReadonlyArray<Node> =>
  scenarioNames().map((name) => {
    const scenario = scenarioNamed(name)!
    return runCommand(name, scenario.about, Effect.succeed(scenario))
  })

/** The command of a scenario of one's own, whose name is its path. */
export const fileCommand = (path: string): Node => {
  const loaded = loadScenario(path)
  return runCommand(
    path,
    Either.match(loaded, { onLeft: () => "A scenario of one's own.", onRight: ({ about }) => about }),
    Either.match(loaded, {
      onLeft: (message) => usage(message),
      onRight: (scenario) => Effect.succeed(scenario)
    })
  )
}

/** Prints each scenario of the project with what it is about. */
export const listCommand = leaf("list", { summary: "Lists the scenarios" }, {}, () =>
  Effect.sync(() => {
    for (const name of scenarioNames()) process.stdout.write(`${name}\n  ${scenarioNamed(name)!.about}\n\n`)
  })
)

const printed = (result: Either.Either<string, string>): Effect.Effect<void, Failed> =>
  Either.match(result, {
    onLeft: (message) => usage(message),
    onRight: (rendered) => Effect.sync(() => void process.stdout.write(rendered))
  })

/** What it prints can begin a file of one's own. Fails for a name or file that there is not. */
export const showCommand = leaf(
  "show",
  { summary: "Prints a scenario as JSON: of the project, of a file, or of a counterexample of such a file" },
  {
    scenario: Args.text({ name: "SCENARIO" }).pipe(Args.withDescription("A name, or the path of a file"))
  },
  ({ scenario }) => Effect.suspend(() => printed(renderedScenario(scenario)))
)

/** Writes no file over another. */
export const newCommand = leaf(
  "new",
  {
    summary: "Writes a scenario file to begin with",
    examples: [["simulate new ./fair.json --from sync-race", "a copy of sync-race that is called fair"]]
  },
  {
    file: Args.text({ name: "FILE" }).pipe(
      Args.withDescription("A path that ends in .json; nothing is written over")
    ),
    from: Options.text("from").pipe(
      Options.withDescription("The scenario that it is a copy of [quiet-day]"),
      Options.withDefault("quiet-day")
    )
  },
  ({ file, from }) => Effect.suspend(() => printed(newScenarioFile(file, from)))
)

/** The same text as simulations/scenario.schema.json. */
export const schemaCommand = leaf(
  "schema",
  { summary: "Prints the JSON Schema of scenario files, which editors complete and check them by" },
  {},
  () => Effect.sync(() => void process.stdout.write(schemaText()))
)

/** The same table as in docs/simulator.md. */
export const fieldsCommand = leaf(
  "fields",
  { summary: "Prints every field of a scenario file: its unit, what it takes, its default and effect" },
  {},
  () => Effect.sync(() => void process.stdout.write(fieldTable()))
)
