/** What a command writes: lines, files, and how far it has come. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { Progress } from "../report/Progress.ts"
import { exitCodes } from "./ExitCodes.ts"

/** Lines go to standard output, errors and progress to standard error. */
export class Output {
  readonly progress: Progress
  /** A file that can't be written keeps no line from being printed, but the command has failed. */
  private isUnwritten = false

  /** With `isJson` there is no line but JSON. */
  constructor(readonly isJson = false) {
    this.progress = new Progress(isJson)
  }

  line(text: string): void {
    process.stdout.write(`${text}\n`)
  }

  /** A line for people. */
  text(text: string): void {
    if (!this.isJson) this.line(text)
  }

  error(message: string): void {
    process.stderr.write(`${message}\n`)
  }

  file(path: string, content: string): void {
    try {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
    } catch (error) {
      this.isUnwritten = true
      this.error(`${path} can't be written: ${(error as NodeJS.ErrnoException).code ?? "unknown"}.`)
    }
  }

  /** The exit code of a command that ends with `code`. */
  exitCode(code: number): number {
    return code === exitCodes.passed && this.isUnwritten ? exitCodes.usage : code
  }
}
