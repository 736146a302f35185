/** `pnpm lead-signals COMMAND`: the command line, from the sources. */
import { runCommandLine } from "./cli/CommandLine.ts"

await runCommandLine()
