/** Runs the command that this process was given: one line for an error, exit codes, plain output where there is no terminal. */
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as ValidationError from "@effect/cli/ValidationError"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import type { Teardown } from "@effect/platform/Runtime"
import { Cause, Effect, Exit, Layer, Logger } from "effect"
import { bashCompletions } from "./BashCompletions.ts"
import { help, plain } from "./CommandHelp.ts"
import { type Failed, type Node, type Program, realConsole } from "./CommandTree.ts"
import { exitCodes } from "./ExitCodes.ts"
import { find } from "./Suggestions.ts"

const isColoured = (stream: NodeJS.WriteStream): boolean =>
  stream.isTTY === true && (process.env["NO_COLOR"] ?? "") === ""

/** The exit code after a signal. The platform's own teardown would exit with 0, as if the command had finished. */
const interruptible = ({ interrupted }: Node): Teardown => {
  let received: NodeJS.Signals | null = null
  const forget = (): void => {
    process.off("SIGINT", receive)
    process.off("SIGTERM", receive)
  }
  // Listens once: a second signal then ends the process at once.
  const receive = (signal: NodeJS.Signals): void => {
    received = signal
    forget()
  }
  process.on("SIGINT", receive)
  process.on("SIGTERM", receive)
  return (exit, onExit) => {
    forget()
    if (received === null) return onExit(Exit.isSuccess(exit) ? exitCodes.done : exitCodes.failed)
    // A command that finished before the signal took effect keeps its exit code.
    if (Exit.isSuccess(exit)) return onExit(Number(process.exitCode ?? exitCodes.done))
    return onExit(
      Exit.isInterrupted(exit)
        ? (interrupted ?? (received === "SIGINT" ? exitCodes.interrupted : exitCodes.terminated))
        : exitCodes.failed
    )
  }
}

/** Ends the process with the exit code of the command that `argv` names, as `process.argv` has it. */
export const run = (program: Program, argv: ReadonlyArray<string> = process.argv): void => {
  const { root, version } = program
  const words = argv.slice(2)
  const { isHelp, path, wrong } = find(root, words)
  const names = path.map(({ name }) => name).join(" ")
  const stop = (message: string, code: number) =>
    Effect.sync(() => {
      process.stderr.write(`${message}\n`)
      process.exitCode = code
    })
  const misused = (message: string) => stop(`${message} Run ${names} --help for usage.`, exitCodes.usage)
  if (isHelp) return void process.stdout.write(help(program, path, isColoured(process.stdout)))
  if (words.includes("--version")) return void process.stdout.write(`${version}\n`)
  if (words[0] === "--completions" && words[1] === "bash")
    return void process.stdout.write(bashCompletions(root))
  if (words[0] === "--completions" && !["zsh", "fish"].includes(words[1] ?? ""))
    return Effect.runSync(misused("--completions takes bash, zsh or fish."))
  if (wrong !== null) return Effect.runSync(misused(wrong))
  if (path.at(-1)!.children.length > 0 && !words.includes("--completions")) {
    process.stderr.write(help(program, path, isColoured(process.stderr)))
    process.exitCode = exitCodes.usage
    return
  }
  // The wizard reads a terminal, and without one would wait forever.
  if (words.includes("--wizard") && process.stdin.isTTY !== true)
    return Effect.runSync(misused("--wizard works on a terminal only."))
  Command.run(root.command as Command.Command<string, NodeContext.NodeContext, Failed, unknown>, {
    name: root.name,
    version,
    executable: root.name
  })([...argv]).pipe(
    // Mutes the library, which reports wrong usage in paragraphs: one line below replaces them.
    Effect.withConsole({ ...realConsole, error: () => Effect.void }),
    Effect.catchAllCause((cause) => {
      const failure = Cause.failureOption(cause)
      if (failure._tag === "None") {
        return Cause.isInterruptedOnly(cause)
          ? Effect.failCause(cause as Cause.Cause<never>)
          : stop(`This is a bug: ${Cause.pretty(cause)}`, exitCodes.failed)
      }
      const error = failure.value
      if (ValidationError.isValidationError(error))
        return misused(
          plain(error.error)
            .map((line) => line.replace(/\.?$/, "."))
            .join(" ")
        )
      return stop(error.message, error.code ?? exitCodes.failed)
    }),
    Effect.provide(
      Layer.mergeAll(
        NodeContext.layer,
        CliConfig.layer({ isCaseSensitive: true, finalCheckBuiltIn: true }),
        // Logs go to standard error, and so stay out of a command's output.
        Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.logfmtLogger))
      )
    ),
    NodeRuntime.runMain({
      disableErrorReporting: true,
      disablePrettyLogger: true,
      teardown: interruptible(path.at(-1)!)
    })
  )
}
