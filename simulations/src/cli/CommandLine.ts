/** `simulate COMMAND`: all commands, and what each takes. */
import * as Args from "@effect/cli/Args"
import type * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { group, leaf, type Program } from "@lead-signals/command-line"
import { storeKinds } from "../Run.ts"
import { Effect, Option } from "effect"
import { bench } from "../Bench.ts"
import { bugs } from "../bugs/index.ts"
import { measureCoverage } from "./Coverage.ts"
import { exitCodeTable } from "./ExitCodes.ts"
import { huntBugs } from "./HuntBugs.ts"
import { mutantsCommand } from "./MutantsCommand.ts"
import { nightlyCommand } from "./NightlyCommand.ts"
import {
  amount,
  bugOf,
  flag,
  hoursOf,
  jobs,
  json,
  report,
  seed,
  seedsOf,
  shrinkSecondsOf,
  text,
  working
} from "./CommandOptions.ts"
import { reportOracles } from "./OracleReport.ts"
import { reportOrder } from "./OrderReport.ts"
import { Output } from "./Output.ts"
import { runPlanted } from "./PlantedProcess.ts"
import { loadCounterexample, replay, replayedBug } from "./Replay.ts"
import {
  fieldsCommand,
  fileCommand,
  listCommand,
  newCommand,
  scenarioCommands,
  schemaCommand,
  showCommand
} from "./ScenarioCommands.ts"
import { isScenarioFile } from "./ScenarioFiles.ts"
import { scenarioNamed, scenarioNames } from "../Scenarios.ts"

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
        return yield* working(output, () =>
          replay(output, found, { file: given.file, report: Option.getOrUndefined(given.report) })
        )
      }
      const bug = yield* bugOf(name)
      yield* working(output, () => runPlanted(output, bug, [], false))
    })
)

const bugsCommand = leaf(
  "bugs",
  {
    summary:
      "Measures which planted bugs the rules find, after how many seeds, and how small the counterexamples are"
  },
  {
    seeds: seedsOf(300),
    bug: text("bug", "Runs only this bug"),
    shrinkSeconds: shrinkSecondsOf(120),
    jobs,
    results: text("results", "File that keeps what was found: an interrupted hunt goes on"),
    write: text("write", "File for the table in Markdown"),
    json
  },
  (given) =>
    Effect.gen(function* () {
      const wanted = Option.isNone(given.bug) ? bugs : [yield* bugOf(given.bug.value)]
      const options = {
        seeds: yield* given.seeds,
        shrinkSeconds: yield* given.shrinkSeconds,
        jobs: yield* given.jobs,
        table: Option.getOrUndefined(given.write),
        results: Option.getOrUndefined(given.results)
      }
      const output = new Output(given.json)
      yield* working(output, () => huntBugs(output, wanted, options))
    })
)

/** The options of commands that run many seeds, and keep what they judged in a file. */
const campaignOptions = (usualSeeds: number, results: string) => ({
  seed,
  seeds: seedsOf(usualSeeds),
  store: Options.choice("store", storeKinds).pipe(
    Options.withDescription("The store that the service runs on [memory]"),
    Options.withDefault("memory" as const)
  ),
  jobs,
  minutes: amount("minutes", "Minutes after which no seed begins [all are run]", 10_000),
  results: Options.text("results").pipe(
    Options.withDescription("File that keeps what was judged"),
    Options.withDefault(results)
  ),
  write: text("write", "File for the page in Markdown")
})

/** What they ask for. */
const campaignOf = (given: Command.Command.ParseConfig<ReturnType<typeof campaignOptions>>) =>
  Effect.gen(function* () {
    return {
      firstSeed: yield* given.seed,
      seeds: yield* given.seeds,
      store: given.store,
      jobs: yield* given.jobs,
      minutes: yield* given.minutes,
      results: given.results,
      page: Option.getOrUndefined(given.write)
    }
  })

const coverageCommand = leaf(
  "coverage",
  {
    summary: "Which forms of inputs seeds of the swarm exercise, of all that the contract has",
    details: ["Seeds that the file of results holds are not run again; delete it to begin anew."],
    examples: [["simulate coverage --minutes 10 --write simulations/COVERAGE.md", "goes on for ten minutes"]]
  },
  campaignOptions(1000, ".simulations/coverage.jsonl"),
  (given) =>
    Effect.gen(function* () {
      const options = yield* campaignOf(given)
      const output = new Output()
      yield* working(output, () => measureCoverage(output, options))
    })
)

const orderReportCommand = leaf(
  "order-report",
  {
    summary: "What is judged of ordered webhooks, batches and CloudEvents in many seeds",
    details: [
      "Seeds that the file of results holds are not run again. The page shows every scenario, length and store that it holds."
    ],
    examples: [
      ["simulate order-report --minutes 30 --write simulations/ORDERING.md", "goes on for half an hour"],
      [
        "simulate order-report --scenario networked-store --seeds 600",
        "up to four processes over one store behind a network"
      ]
    ]
  },
  {
    scenario: Options.choice("scenario", scenarioNames()).pipe(
      Options.withDescription("The scenario [ordering, whose webhooks are all ordered]"),
      Options.withDefault("ordering")
    ),
    until: text("until", "Its length, such as 90m or 24h [as long as the scenario says]"),
    ...campaignOptions(10_000, ".simulations/ordering.jsonl")
  },
  (given) =>
    Effect.gen(function* () {
      const options = {
        ...(yield* campaignOf(given)),
        scenario: scenarioNamed(given.scenario)!,
        hours: (yield* hoursOf(Option.getOrUndefined(given.until))) ?? null
      }
      const output = new Output()
      yield* working(output, () => reportOrder(output, options))
    })
)

const oraclesCommand = leaf(
  "oracles",
  {
    summary: "How often each rule is judged in many seeds, and how often it is weakened, and why",
    details: [
      "Seeds that the file of results holds are not run again. Ends with 3 where a rule is weakened in more than 2 % of its checks."
    ],
    examples: [
      ["simulate oracles --minutes 30 --write simulations/ORACLES.md", "goes on for half an hour"],
      ["simulate oracles --scenario retention --seeds 20", "adds seeds of another scenario"]
    ]
  },
  {
    scenario: Options.choice("scenario", scenarioNames()).pipe(
      Options.withDescription("The scenario whose seeds are run [swarm]"),
      Options.withDefault("swarm")
    ),
    ...campaignOptions(1000, ".simulations/oracles.jsonl")
  },
  (given) =>
    Effect.gen(function* () {
      const options = {
        ...(yield* campaignOf(given)),
        scenario: given.scenario
      }
      const output = new Output()
      yield* working(output, () => reportOracles(output, options))
    })
)

const benchCommand = leaf(
  "bench",
  { summary: "Measures how fast the simulator runs" },
  {
    floor: flag("floor", "Measures the service without the simulator instead: no seed can be cheaper"),
    json
  },
  (given) => {
    const output = new Output(given.json)
    return working(output, () =>
      bench((line) => output.line(line), output.progress, { isFloor: given.floor, isJson: output.isJson })
    )
  }
)

/**
 * The command line for the words of a process. A scenario file is a command whose name is its path, so it takes all
 * options that a named scenario takes.
 */
export const programFor = (words: ReadonlyArray<string>): Program => {
  const command = words.find((word) => word !== "help")
  const files = command !== undefined && isScenarioFile(command) ? [fileCommand(command)] : []
  return {
    version: "0.2.0",
    exitCodes: exitCodeTable,
    variables: [],
    calledAs: "./lead-signals simulate",
    commandNoun: "scenario or command",
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
          ["simulate ./fair.json --seeds 20", "runs a scenario of your own"],
          ["simulate replay .simulations/swarm-7.json", "runs a counterexample that a run kept"]
        ]
      },
      [
        listCommand,
        ...scenarioCommands(),
        ...files,
        showCommand,
        newCommand,
        schemaCommand,
        fieldsCommand,
        replayCommand,
        nightlyCommand,
        bugsCommand,
        mutantsCommand,
        coverageCommand,
        orderReportCommand,
        oraclesCommand,
        benchCommand
      ]
    )
  }
}
