/** Ends this process when it uses more CPU time than it is allowed: a loop that never ends lets its own thread do nothing. */
import { Worker } from "node:worker_threads"

/** CPU seconds of this process so far, user and system. */
export const cpuSeconds = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1e6
}

/**
 * Answers how to allow so many more CPU seconds from now on. When they are used up, another thread ends the process by SIGKILL. It
 * counts CPU time, so that a busy machine does not matter.
 */
export const cpuLimit = (): ((seconds: number) => void) => {
  const limit = new Float64Array(new SharedArrayBuffer(8))
  limit[0] = Number.POSITIVE_INFINITY
  new Worker(
    `const { workerData: limit } = require("node:worker_threads")
     setInterval(() => {
       const { system, user } = process.cpuUsage()
       if ((system + user) / 1e6 > limit[0]) process.kill(process.pid, "SIGKILL")
     }, 250)`,
    { eval: true, workerData: limit }
  ).unref()
  return (seconds) => {
    limit[0] = cpuSeconds() + seconds
  }
}
