/**
 * What `npm start`, `pnpm lead-signals` and the built file run: without words it serves, which loads nothing else; with
 * words it is the command line.
 */
import { help } from "./Help.ts"
import { serve } from "./Serve.ts"

const [word] = process.argv.slice(2)
if (word === undefined) serve()
else if (word === "--help" || word === "-h") process.stdout.write(help)
else {
  const { runCommandLine } = await import("./cli/CommandLine.ts")
  runCommandLine()
}
