/** The server as one file, as it is built, made before the tests begin: see `RunSetup.ts`. */
import { fileURLToPath } from "node:url"

/** Below the tests, where the native module is found by its name. */
export const bundledServer = fileURLToPath(new URL("../.bundle/server.mjs", import.meta.url))
