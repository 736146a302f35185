/**
 * `npm start` and `./lead-signals COMMAND`: runs the sources as they stand, as one file that is made when one of them
 * was changed. It starts in a quarter of the time that a loader takes for twelve hundred files.
 */
import { pathToFileURL } from "node:url"

const untilStartedMillis = 3000

/** Builds the console while the user reads what the server printed. A failure shows at the first request for it. */
const prepareConsole = () => {
  const prepare = async () => (await import("./console.mjs")).builtConsole().catch(() => {})
  setTimeout(() => void prepare(), untilStartedMillis).unref()
}

if (process.argv[2] === "simulate") {
  // Its command line is its own, and it puts parts of the sources together by itself.
  process.argv.splice(2, 1)
  await import("tsx")
  await import("../simulations/src/simulate.ts")
} else {
  const { bundleSource, sourceServer } = await import("./bundle.mjs")
  if (process.argv.length === 2) prepareConsole()
  const isWritten = await bundleSource().then(
    () => true,
    (failure) => {
      if (!["EACCES", "EPERM", "EROFS"].includes(failure?.code)) throw failure
      return false
    }
  )
  if (isWritten) await import(pathToFileURL(sourceServer).href)
  else {
    // Where nothing may be written beside the sources, they are loaded one by one.
    await import("tsx")
    await import("../packages/server/src/main.ts")
  }
}
