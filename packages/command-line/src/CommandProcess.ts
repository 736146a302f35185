/** The process as commands see it. Tests provide another, and so run commands in their own process. */
import { Context } from "effect"

export interface OutputStream {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly write: (text: string) => unknown
  readonly on: (event: "error", listener: () => void) => unknown
  readonly off: (event: "error", listener: () => void) => unknown
}

interface Process {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: { readonly isTTY?: boolean | undefined }
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
