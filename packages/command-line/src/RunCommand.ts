/** Runs the command that this process was given: one line for an error, exit codes, plain output where there is no terminal. */
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as ValidationError from "@effect/cli/ValidationError"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import type { Teardown } from "@effect/platform/Runtime"
import { Cause, Effect, Exit, Layer, Logger } from "effect"
import { help, helpTree, plain } from "./CommandHelp.ts"
import { completionsFor, isShell } from "./Completions.ts"
import { CommandProcess, type OutputStream } from "./CommandProcess.ts"
import { callOf, Failed, type Node, type Program, realConsole } from "./CommandTree.ts"
import { exitCodes } from "./ExitCodes.ts"
import { argumentMistake, find } from "./Suggestions.ts"

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

/**
 * Ends when standard output takes nothing more. Its reader has gone, as in `list | head`: it has all that it wants. Anything else, such as
 * a full disk, is a failure. [CLI-12]
 */
const outputEnded = ({ stdout }: typeof CommandProcess.Service): Effect.Effect<void, Failed> =>
  Effect.async((resume) => {
    const end = (error?: NodeJS.ErrnoException): void =>
      resume(
        error?.code === undefined || error.code === "EPIPE"
          ? Effect.void
          : new Failed({ message: `Standard output can't be written: ${error.code}.` })
      )
    stdout.on("error", end)
    return Effect.sync(() => void stdout.off("error", end))
  })

/** Executes the command that `words` name, the arguments after the program; sets the exit code of its `CommandProcess`. */
export const execute = (program: Program, words: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.gen(function* () {
    const process = yield* CommandProcess
    const { stderr, stdout } = process
    const { root, version } = program
    const end = words.indexOf("--")
    /** What may be an option: behind `--` stand values alone. */
    const options = new Set(end < 0 ? words : words.slice(0, end))
    const { isHelp, path, wrong } = find(root, words, program.commandNoun)
    const isColoured = (stream: OutputStream): boolean =>
      stream.isTTY === true && (process.env["NO_COLOR"] ?? "") === ""
    const stop = (message: string, code: number): void => {
      stderr.write(`${message}\n`)
      process.exitCode = code
    }
    const misused = (message: string): void =>
      stop(`${message} Run ${callOf(program, path)} --help for usage.`, exitCodes.usage)
    if (isHelp && options.has("--tree")) return void stdout.write(helpTree(program))
    if (isHelp) return void stdout.write(help(program, path, isColoured(stdout)))
    if (options.has("--version")) return void stdout.write(`${version}\n`)
    if (words[0] === "--completions") {
      if (!isShell(words[1])) return misused("--completions takes bash, zsh or fish.")
      return void stdout.write(completionsFor(words[1], root))
    }
    if (wrong !== null) return misused(wrong)
    if (path.at(-1)!.children.length > 0) {
      stderr.write(help(program, path, isColoured(stderr)))
      process.exitCode = exitCodes.usage
      return
    }
    // The wizard reads a terminal, and without one would wait forever.
    if (options.has("--wizard") && process.stdin.isTTY !== true)
      return misused("--wizard works on a terminal only.")
    yield* Command.run(root.command as Command.Command<string, NodeContext.NodeContext, Failed, unknown>, {
      name: root.name,
      version,
      executable: root.name
    })(["node", root.name, ...words]).pipe(
      Effect.raceFirst(outputEnded(process)),
      // Mutes the library, which reports wrong usage in paragraphs: one line below replaces them.
      Effect.withConsole({ ...realConsole, error: () => Effect.void }),
      Effect.catchAllCause((cause) => {
        const failure = Cause.failureOption(cause)
        if (failure._tag === "None") {
          return Cause.isInterruptedOnly(cause)
            ? Effect.failCause(cause as Cause.Cause<never>)
            : Effect.sync(() => stop(`This is a bug: ${Cause.pretty(cause)}`, exitCodes.failed))
        }
        const error = failure.value
        return Effect.sync(() =>
          ValidationError.isValidationError(error)
            ? misused(
                plain(error.error)
                  .map((line) => argumentMistake(line.replace(/\.?$/, "."), words.slice(path.length - 1)))
                  .join(" ")
              )
            : stop(error.message, error.code ?? exitCodes.failed)
        )
      }),
      Effect.provide(
        Layer.mergeAll(
          NodeContext.layer,
          CliConfig.layer({ isCaseSensitive: true, finalCheckBuiltIn: true }),
          // Logs go to standard error, and so stay out of a command's output.
          Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.logfmtLogger))
        )
      )
    )
  })

/** Ends the process with the exit code of the command that `argv` names, as `process.argv` has it. */
export const run = (program: Program, argv: ReadonlyArray<string> = process.argv): void => {
  const words = argv.slice(2)
  // An error can come after the command has ended, and would end the process with a stack.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  NodeRuntime.runMain(execute(program, words), {
    disableErrorReporting: true,
    disablePrettyLogger: true,
    teardown: interruptible(find(program.root, words, program.commandNoun).path.at(-1)!)
  })
}
