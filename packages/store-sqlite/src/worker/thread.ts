/** The program of a worker thread: runs jobs, one after the other, over a connection of its own. */
import { parentPort, workerData } from "node:worker_threads"
import { DriverConnection } from "../connection/DriverConnection.ts"
import { DatabaseProblem } from "../connection/DatabaseProblem.ts"
import type { Migrating } from "../schema/Migrations.ts"
import { leaveMerges } from "../search/SegmentMerge.ts"
import { type Job, type Report, runJob } from "./Jobs.ts"
import type { ThreadOptions } from "./ThreadOptions.ts"

const { acknowledged, busyMillis, filename, key, pragmas, readonly } = workerData as ThreadOptions
const acknowledgement = new Int32Array(acknowledged)

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
const post = (report: Report): void => parentPort!.postMessage(report)

const open = (): DriverConnection => {
  const connection = new DriverConnection(filename, { readonly, busyMillis, key })
  try {
    for (const pragma of pragmas) connection.pragma(pragma)
    // The serving thread schedules them.
    leaveMerges(connection, () => {})
    return connection
  } catch (failure) {
    connection.close()
    throw failure
  }
}

/** Waits until the serving thread has handled the report, so that an aborted job commits nothing. */
const reportProgress = (progress: Migrating): void => {
  Atomics.store(acknowledgement, 0, 0)
  post({ kind: "progress", progress })
  Atomics.wait(acknowledgement, 0, 0)
}

let sql: DriverConnection | null = null

parentPort!.on("message", async (job: Job) => {
  try {
    sql ??= open()
    const output = runJob(sql, job, reportProgress)
    post({ kind: "done", output: output instanceof Promise ? await output : output })
  } catch (failure) {
    const code = (failure as { readonly code?: unknown }).code
    post({
      kind: "failed",
      code: typeof code === "string" ? code : (failure as Error).name,
      reason: failure instanceof DatabaseProblem ? failure.message : null
    })
  }
})
