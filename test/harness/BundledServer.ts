/** The server as one file, as it is built, made before the tests begin: see `RunSetup.ts`. */
import { fileURLToPath } from "node:url"

/** Below the tests, where the native module is found by its name. */
export const bundledServer = fileURLToPath(new URL("../.bundle/server.mjs", import.meta.url))

/**
 * For processes that end soon: V8 enlarges its new space at each start anew, with many collections meanwhile, which take a quarter of
 * a command's time.
 */
export const nodeArguments = ["--min-semi-space-size=16"]

/** Where Node keeps what it compiled: the processes of a run start in less time than the first. */
export const compileCache = fileURLToPath(new URL("../.bundle/compiled", import.meta.url))
