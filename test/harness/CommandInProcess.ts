/** Runs a command line in this process, with streams and an environment of its own. */
import { CommandProcess, execute, type Program } from "@lead-signals/command-line"
import { Effect, Exit, Fiber } from "effect"
import { EventEmitter } from "node:events"
import { PassThrough } from "node:stream"

export interface Ran {
  readonly code: number
  readonly out: string
  /** Without the lines of progress: how many come on a pipe depends on the speed of the machine. */
  readonly err: string
}

const isProgress = (text: string): boolean => /^\d+ % {2}.*\n$/.test(text)

/** A terminal instead of pipes: its columns, and what is typed at it. */
export interface InProcessTerminal {
  readonly columns: number
  readonly typed?: string
}

/** Starts the command. `onOutput` hears of all that it writes. */
export const startInProcess = (
  program: Program,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  onOutput: (text: string) => void = () => {},
  terminal?: InProcessTerminal
): { readonly ended: Promise<Ran>; readonly interrupt: () => void } => {
  const written = { out: "", err: "" }
  const stream = (name: "out" | "err") =>
    Object.assign(new EventEmitter(), {
      write: (text: string) => {
        if (name === "out" || !isProgress(text)) written[name] += text
        onOutput(text)
      },
      ...(terminal === undefined ? {} : { isTTY: true, columns: terminal.columns })
    })
  const stdin =
    terminal === undefined ? {} : Object.assign(new PassThrough(), { isTTY: true }).end(terminal.typed ?? "")
  const commandProcess: typeof CommandProcess.Service = {
    env,
    stdin,
    stdout: stream("out"),
    stderr: stream("err")
  }
  const fiber = Effect.runFork(Effect.provideService(execute(program, args), CommandProcess, commandProcess))
  const ended = Effect.runPromise(Fiber.await(fiber)).then((exit) => {
    if (Exit.isFailure(exit) && !Exit.isInterrupted(exit)) throw new Error(String(exit))
    return { code: Number(commandProcess.exitCode ?? 0), ...written }
  })
  return { ended, interrupt: () => fiber.unsafeInterruptAsFork(fiber.id()) }
}
