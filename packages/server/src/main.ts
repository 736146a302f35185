/**
 * What `npm start`, `pnpm lead-signals` and the built file run: without words it serves, with words it is the command
 * line. Either loads what it takes, and no more: half of a short command's time would go into the server.
 */

if (process.argv.length === 2) {
  const { serve } = await import("./Serve.ts")
  serve()
} else {
  const { runCommandLine } = await import("./cli/CommandLine.ts")
  runCommandLine()
}
