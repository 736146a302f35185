/** `lead-signals simulate`: the command. */
import { run } from "@lead-signals/command-line"
import { programFor } from "./cli/CommandLine.ts"
import { exitCodes } from "./cli/ExitCodes.ts"

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // The reader of the output may close it early, as `head` does.
  if (error.code === "EPIPE") process.exit(exitCodes.passed)
  process.stderr.write(`The output can't be written: ${error.code ?? "unknown"}.\n`)
  process.exit(exitCodes.crashed)
})

run(programFor(process.argv.slice(2)))
