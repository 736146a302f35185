/** What the command lines have in common: plain help where there is no terminal, exit codes, one line for an error. */
import * as Command from "@effect/cli/Command"
import * as ValidationError from "@effect/cli/ValidationError"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import { stripVTControlCharacters } from "node:util"

/** Wrong usage, whatever the command. */
export const usageExitCode = 2

export const fail = (message: string, code: number): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stderr.write(`${message}\n`)
    process.exitCode = code
  })

/** Runs the command over this process's arguments. */
export const runCommand = <Name extends string, A>(
  command: Command.Command<Name, NodeContext.NodeContext, never, A>,
  name: string
): void => {
  // The library colours its help always; what is not a terminal gets plain text.
  if (process.stdout.isTTY !== true) {
    const log = console.log.bind(console)
    console.log = (...texts: ReadonlyArray<unknown>) =>
      log(...texts.map((text) => stripVTControlCharacters(String(text))))
  }
  Command.run(command, { name, version: "0.1.0" })(process.argv).pipe(
    Effect.catchIf(ValidationError.isValidationError, () =>
      Effect.sync(() => {
        process.exitCode = usageExitCode
      })
    ),
    Effect.provide(NodeContext.layer),
    NodeRuntime.runMain({ disablePrettyLogger: true })
  )
}
