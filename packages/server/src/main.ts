/**
 * The entry of `npm start`, `./lead-signals` and the built file. It serves when there are no arguments,
 * and runs the command line otherwise. It imports only the one it needs: loading the server would take half
 * of a short command's time.
 */

if (process.argv.length === 2) {
  const { serve } = await import("./ServerProcess.ts")
  serve()
} else {
  const { runCommandLine } = await import("./cli/CommandLine.ts")
  runCommandLine()
}
