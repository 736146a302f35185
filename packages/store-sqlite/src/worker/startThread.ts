/**
 * Starts a thread with the program beside this module. A bundler that puts everything into one file must replace this
 * module, as `scripts/bundle.mjs` does, or leave `@lead-signals/store-sqlite` outside.
 */
import { existsSync } from "node:fs"
import { Worker } from "node:worker_threads"
import type { ThreadOptions } from "./ThreadOptions.ts"

const isSource = import.meta.url.endsWith(".ts")

const program = new URL(isSource ? "./thread.ts" : "./thread.js", import.meta.url)

/** Node before 22.18 strips types on demand only. A thread has no loader that its process may use. */
const flags =
  isSource && process.versions.deno === undefined && !process.features.typescript
    ? { execArgv: ["--experimental-strip-types", "--disable-warning=ExperimentalWarning"] }
    : {}

/** Whether the program is there: a bundle may have left it behind. */
export const isThreadAvailable = (): boolean => existsSync(program)

/** Starts a thread of `thread.ts`, from the sources or the bundle, whichever this file is part of. */
export const startThread = (workerData: ThreadOptions): Worker =>
  new Worker(program, { ...flags, workerData })
