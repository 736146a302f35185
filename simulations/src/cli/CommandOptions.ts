/** Options that several commands take, and how a command runs its work. */
import * as Options from "@effect/cli/Options"
import { type Failed, usage } from "@lead-signals/command-line"
import { Effect, Option } from "effect"
import { processors } from "../Campaign.ts"
import { exitCodes } from "./ExitCodes.ts"
import type { Output } from "./Output.ts"

export const text = (name: string, description: string) =>
  Options.text(name).pipe(Options.withDescription(description), Options.optional)

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

export const seed = integer("seed", "The seed, or the first of several", 1, [0, 999_999_999_999])
export const seedsOf = (otherwise: number) => integer("seeds", "How many seeds", otherwise, [1, 1_000_000])
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
export const json = flag("json", "Prints one line of JSON a seed")

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
