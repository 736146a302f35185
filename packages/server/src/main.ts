/**
 * What `npm start`, `pnpm lead-signals` and the built file run: without words it serves, with words it is the command
 * line. Either loads what it takes, and no more: half of a short command's time would go into the server.
 */
import { help } from "./Help.ts"

const [word] = process.argv.slice(2)
if (word === "--help" || word === "-h") process.stdout.write(help)
else if (word === undefined) {
  const { serve } = await import("./Serve.ts")
  serve()
} else {
  const { runCommandLine } = await import("./cli/CommandLine.ts")
  runCommandLine()
}
