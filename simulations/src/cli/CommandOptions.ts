/** Options that several commands take, and how a command runs its work. */
import * as Options from "@effect/cli/Options"
import { type Failed, usage } from "@lead-signals/command-line"
import { Effect, Option } from "effect"
import { type Bug, bugNamed, bugs } from "../bugs/index.ts"
import { processors } from "../Campaign.ts"
import { exitCodes } from "./ExitCodes.ts"
import type { Output } from "./Output.ts"

/** A text that may be left out. */
export const text = (name: string, description: string) =>
  Options.text(name).pipe(Options.withDescription(description), Options.optional)

/** A switch that is off unless given. */
export const flag = (name: string, description: string) =>
  Options.boolean(name).pipe(Options.withDescription(description))

/** An integer within bounds, both included. */
export const integer = (
  name: string,
  description: string,
  otherwise: number,
  [min, max]: readonly [number, number]
) =>
  Options.integer(name).pipe(
    Options.withDescription(`${description} [${otherwise}]`),
    Options.withDefault(otherwise),
    Options.map((value): Effect.Effect<number, Failed> =>
      value >= min && value <= max
        ? Effect.succeed(value)
        : usage(`--${name} takes an integer from ${min} to ${max}.`)
    )
  )

/** A number that may be left out; `takes` says what `isTaken` accepts. */
const optional = (
  option: Options.Options<number>,
  name: string,
  isTaken: (value: number) => boolean,
  takes: string
) =>
  option.pipe(
    Options.optional,
    Options.map(
      Option.match({
        onNone: () => Effect.succeed<number | null>(null),
        onSome: (value): Effect.Effect<number | null, Failed> =>
          isTaken(value) ? Effect.succeed(value) : usage(`--${name} takes ${takes}.`)
      })
    )
  )

/** A number above 0 and up to `max`, which may be left out. */
export const amount = (name: string, description: string, max: number) =>
  optional(
    Options.float(name).pipe(Options.withDescription(description)),
    name,
    (value) => value > 0 && value <= max,
    `a number above 0, and at most ${max}`
  )

/** An integer within bounds, both included, which may be left out. */
export const optionalInteger = (name: string, description: string, min: number, max: number) =>
  optional(
    Options.integer(name).pipe(Options.withDescription(description)),
    name,
    (value) => value >= min && value <= max,
    `an integer from ${min} to ${max}`
  )

/** Seeds have at most twelve digits: they stay exact as a number, and short in a file name. */
export const maxSeed = 999_999_999_999

/** The first seed of the command; 1 unless given. */
export const seed = integer("seed", "The seed, or the first of several", 1, [0, maxSeed])

/** How many seeds follow from the first; a command says how many by default. */
export const seedsOf = (otherwise: number) => integer("seeds", "How many seeds", otherwise, [1, 1_000_000])

/** At most 256; the number of processors unless given. */
export const jobs = Options.integer("jobs").pipe(
  Options.withDescription("How many processes share the seeds [one for each processor]"),
  Options.optional,
  Options.map(
    Option.match({
      onNone: () => Effect.succeed(processors()),
      onSome: (value): Effect.Effect<number, Failed> =>
        value >= 1 && value <= 256 ? Effect.succeed(value) : usage("--jobs takes an integer from 1 to 256.")
    })
  )
)

/** Its name is judged by `bugOf`, so that the error can list what there is. */
export const bugName = text("bug", "Name of a planted bug")

/** A file, whose folder is made. */
export const report = text("report", "Writes an HTML page of the last run, or of the first that broke a rule")

/** Output for programs: no other line goes to standard output then. */
export const json = flag("json", "Prints one line of JSON a seed")

/** Real seconds, at most a day; a command says how many by default. */
export const shrinkSecondsOf = (otherwise: number) =>
  integer("shrink-seconds", "Seconds after which shrinking stops", otherwise, [1, 86_400])

/** For commands that shrink one counterexample. */
export const shrinkSeconds = shrinkSecondsOf(60)

/** Keeps the first counterexample, for runs whose shrinking would take too long. */
export const noShrink = flag("no-shrink", "Keeps the counterexample as it was found, without shrinking it")

/** The virtual hours of `--until`; undefined where it is not given. */
export const hoursOf = (until: string | undefined): Effect.Effect<number | undefined, Failed> => {
  if (until === undefined) return Effect.succeed(undefined)
  const [, n, unit] = /^([0-9]{1,6}(?:\.[0-9]{1,9})?)(m|h|d)$/.exec(until) ?? []
  return n === undefined || Number(n) === 0
    ? usage("--until takes a duration like 90m, 24h or 3d.")
    : Effect.succeed(Number(n) * { m: 1 / 60, h: 1, d: 24 }[unit as "m" | "h" | "d"])
}

/** The planted bug of that name; fails with the names that there are. */
export const bugOf = (name: string): Effect.Effect<Bug, Failed> => {
  const bug = bugNamed(name)
  return bug === undefined
    ? usage(`There is no bug "${name}"; the bugs are ${bugs.map((each) => each.name).join(", ")}.`)
    : Effect.succeed(bug)
}

/** Runs a command's work, whose exit code the process ends with. */
export const working = (output: Output, work: () => number | Promise<number>): Effect.Effect<void> =>
  Effect.promise(async () => {
    // When this fiber waits: a simulation runs fibers of its own, which must be the only ones.
    await Promise.resolve()
    try {
      process.exitCode = output.exitCode(await work())
    } catch (error) {
      output.error(`The simulator itself failed: ${(error as Error).stack ?? String(error)}`)
      process.exitCode = exitCodes.crashed
    }
  })
