/** The process as commands see it. Tests provide another, and so run commands in their own process. */
import { Context } from "effect"

/** What the command line needs of `process.stdout`. */
export interface OutputStream {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  /** False: its reader is behind, and `drain` says when it is not any more. */
  readonly write: (text: string) => unknown
  readonly on: (event: "error" | "drain", listener: (error?: NodeJS.ErrnoException) => void) => unknown
  readonly off: (event: "error" | "drain", listener: (error?: NodeJS.ErrnoException) => void) => unknown
}

/** What people type comes from here; a test that types nothing gives an object without it. */
export interface InputStream extends Partial<NodeJS.ReadableStream> {
  readonly isTTY?: boolean | undefined
}

interface Process {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: InputStream
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  /** Commands set it; unset means 0. */
  exitCode?: number | string | null | undefined
}

/** Node's `process` by default. */
export class CommandProcess extends Context.Reference<CommandProcess>()(
  "@lead-signals/command-line/CommandProcess",
  { defaultValue: (): Process => process }
) {}
