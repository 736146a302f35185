/** `simulate COMMAND`: all commands, and what each takes. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { type Failed, group, leaf, type Node, type Program, usage } from "@lead-signals/command-line"
import { Effect, Option } from "effect"
import { bench } from "../Bench.ts"
import { type Bug, bugNamed, bugs } from "../bugs/index.ts"
import type { Scenario } from "../Scenario.ts"
import { scenarioNamed, scenarioNames } from "../Scenarios.ts"
import { flag, integer, jobs, json, seed, seedsOf, text, working } from "./CommandOptions.ts"
import { exitCodeTable } from "./ExitCodes.ts"
import { huntBugs } from "./HuntBugs.ts"
import { mutantsCommand } from "./MutantsCommand.ts"
import { runNightly } from "./Nightly.ts"
import { Output } from "./Output.ts"
import { runPlanted } from "./PlantedProcess.ts"
import { loadCounterexample, replay, replayedBug } from "./Replay.ts"
import { runScenario } from "./RunScenario.ts"

const bugName = text("bug", "Name of a planted bug")
const report = text("report", "Writes an HTML page of the last run, or of the first that broke a rule")
const counterexample = {
  counterexample: text(
    "counterexample",
    "File for the counterexample of a broken rule [.simulations/SCENARIO-SEED.json]"
  ),
  noShrink: flag("no-shrink", "Keeps the counterexample as it was found, without shrinking it")
}

const hoursOf = (until: string | undefined): Effect.Effect<number | undefined, Failed> => {
  if (until === undefined) return Effect.succeed(undefined)
  const [, n, unit] = /^([0-9]{1,6}(?:\.[0-9]{1,9})?)(m|h|d)$/.exec(until) ?? []
  return n === undefined || Number(n) === 0
    ? usage("--until takes a duration like 90m, 24h or 3d.")
    : Effect.succeed(Number(n) * { m: 1 / 60, h: 1, d: 24 }[unit as "m" | "h" | "d"])
}

const bugOf = (name: string): Effect.Effect<Bug, Failed> => {
  const bug = bugNamed(name)
  return bug === undefined
    ? usage(`There is no bug "${name}"; the bugs are ${bugs.map((each) => each.name).join(", ")}.`)
    : Effect.succeed(bug)
}

const firstSentence = (text: string): string => /^.*?(?=[.:](?: |$))/.exec(text)?.[0] ?? text

const scenarioCommand = (scenario: Scenario): Node =>
  leaf(
    scenario.name,
    { summary: firstSentence(scenario.about), details: [scenario.about] },
    {
      seed,
      seeds: seedsOf(1),
      store: Options.choice("store", ["memory", "sqlite"]).pipe(
        Options.withDescription("The store of the service [memory; a planted bug's own]"),
        Options.optional
      ),
      until: text("until", "Length of the run, like 90m, 24h or 3d [the scenario's own]"),
      bug: bugName,
      check: flag("check", "Runs each seed twice, and prints the first event that differs"),
      report,
      ...counterexample,
      jobs,
      json
    },
    (given) =>
      Effect.gen(function* () {
        const until = Option.getOrUndefined(given.until)
        const options = {
          firstSeed: yield* given.seed,
          seeds: yield* given.seeds,
          store: Option.getOrElse(given.store, () => "memory" as const),
          until,
          hours: yield* hoursOf(until),
          isChecked: given.check,
          jobs: yield* given.jobs,
          file: Option.getOrUndefined(given.counterexample),
          isShrunk: !given.noShrink,
          report: Option.getOrUndefined(given.report)
        }
        const output = new Output(given.json)
        if (Option.isNone(given.bug)) {
          return yield* working(output, () => runScenario(output, scenario, options))
        }
        const bug = yield* bugOf(given.bug.value)
        const store = Option.isNone(given.store) ? ["--store", bug.store] : []
        yield* working(output, () => runPlanted(bug, store))
      })
  )

const listCommand = leaf("list", { summary: "Lists the scenarios" }, {}, () =>
  Effect.sync(() => {
    for (const name of scenarioNames()) process.stdout.write(`${name}\n  ${scenarioNamed(name)!.about}\n\n`)
  })
)

const replayCommand = leaf(
  "replay",
  { summary: "Runs a counterexample again, and says whether it still breaks its rule" },
  {
    file: Args.text({ name: "FILE" }).pipe(Args.withDescription("File of a counterexample that a run kept")),
    bug: text(
      "bug",
      "Replays with this planted bug instead of the counterexample's own; none for the code as it is"
    ),
    report
  },
  (given) =>
    Effect.gen(function* () {
      const output = new Output()
      const found = yield* loadCounterexample(given.file)
      const name = replayedBug(found, given.bug)
      if (name === null) {
        return yield* working(output, () => replay(output, found, Option.getOrUndefined(given.report)))
      }
      const bug = yield* bugOf(name)
      yield* working(output, () => runPlanted(bug, []))
    })
)

const nightlyCommand = leaf(
  "nightly",
  { summary: "Runs every scenario, then seeds of swarm until the time is up" },
  {
    seed,
    minutes: integer("minutes", "How many minutes to run", 60, [1, 100_000]),
    jobs,
    ...counterexample
  },
  (given) =>
    Effect.gen(function* () {
      const options = {
        firstSeed: yield* given.seed,
        minutes: yield* given.minutes,
        jobs: yield* given.jobs,
        file: Option.getOrUndefined(given.counterexample),
        isShrunk: !given.noShrink,
        report: undefined
      }
      const output = new Output()
      yield* working(output, () => runNightly(output, options))
    })
)

const bugsCommand = leaf(
  "bugs",
  {
    summary:
      "Measures which planted bugs the oracles find, after how many seeds, and how small the counterexamples are"
  },
  {
    seeds: seedsOf(300),
    bug: text("bug", "Runs only this bug"),
    write: text("write", "File for the table in Markdown"),
    json
  },
  (given) =>
    Effect.gen(function* () {
      const wanted = Option.isNone(given.bug) ? bugs : [yield* bugOf(given.bug.value)]
      const options = { seeds: yield* given.seeds, table: Option.getOrUndefined(given.write) }
      const output = new Output(given.json)
      yield* working(output, () => huntBugs(output, wanted, options))
    })
)

const benchCommand = leaf("bench", { summary: "Measures how fast the simulator runs" }, { json }, (given) => {
  const output = new Output(given.json)
  return working(output, () => bench((line) => output.line(line), output.progress, output.isJson))
})

export const program: Program = {
  version: "0.1.0",
  exitCodes: exitCodeTable,
  variables: [],
  helpExample: "help swarm",
  root: group(
    "simulate",
    {
      summary: "Runs the whole service for hours and days of virtual time, from one seed, under faults.",
      details: [
        "The same scenario, seed and options give the same history everywhere, over either store. The last line is its digest."
      ],
      examples: [
        ["simulate swarm --seed 7", "runs one seed"],
        ["simulate swarm --seeds 200 --store sqlite", "runs many, over the SQLite store"],
        ["simulate replay .simulations/swarm-7.json", "runs a counterexample that a run kept"]
      ]
    },
    [
      listCommand,
      ...scenarioNames().map((name) => scenarioCommand(scenarioNamed(name)!)),
      replayCommand,
      nightlyCommand,
      bugsCommand,
      mutantsCommand,
      benchCommand
    ]
  )
}
