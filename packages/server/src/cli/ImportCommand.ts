/** `lead-signals import FILE --brand ID`. */
import * as Args from "@effect/cli/Args"
import { Duration, Effect } from "effect"
import { type Counts, importFile, remainingTime } from "../ObservationImport.ts"
import { duration, progress } from "../Progress.ts"
import { CommandProcess, Failed, leaf } from "@lead-signals/command-line"
import { exitCodes } from "./ExitCodes.ts"
import { resolveOperator } from "./OperatorClient.ts"
import { brand, json, token, url } from "./OperatorCommand.ts"

const file = Args.file({ name: "FILE", exists: "yes" }).pipe(
  Args.withDescription(
    "Observations as JSON, one a line, as POST /operator/brands/{id}/observations takes them"
  )
)
/** Rejections beyond this number are only counted on standard error; the file has them all. */
const maxPrintedRejections = 20

const formatCounts = (counts: Counts): string =>
  `${counts.recorded} recorded, ${counts.duplicate} duplicates, ${counts.suppressed} suppressed, ${counts.rejected} rejected`

/** `lead-signals import`. It reads the file as it sends it: a file may be larger than memory. */
export const importCommand = leaf(
  "import",
  {
    summary: "Sends a file of observations, of any size, to a running server",
    details: [
      "An import can be repeated: an observation that was recorded before is a duplicate and changes nothing. The import prints",
      "rejected lines by number and keeps them in FILE.rejected.jsonl, or in FILE.rejected.2.jsonl and so on where that exists.",
      "Correct them there and import that file, which then keeps only the lines that are rejected again."
    ],
    examples: [
      ["lead-signals import may.jsonl --brand 2", "with the operator token in LEAD_SIGNALS_OPERATOR_TOKEN"],
      ["lead-signals import may.jsonl --brand 2 --json", "the counts as JSON, for scripts"]
    ]
  },
  { file, brand, url, token, json },
  (given) =>
    Effect.gen(function* () {
      const process = yield* CommandProcess
      const { stderr, stdout } = process
      const operator = yield* resolveOperator(given)
      const startedAt = performance.now()
      const progressLine = progress(stderr, () => performance.now())
      const secondsLeft = remainingTime()
      let rejectionCount = 0
      let sent = 0
      let counted = ""
      const { counts, rejectedFile } = yield* importFile(
        { file: given.file, brand: given.brand, ...operator },
        {
          onProgress: (state) => {
            const elapsed = Duration.millis(performance.now() - startedAt)
            sent = Object.values(state.counts).reduce((sum, n) => sum + n, 0)
            counted = formatCounts(state.counts)
            const rate = Math.round(sent / Math.max(0.001, Duration.toSeconds(elapsed)))
            progressLine.update({
              fraction: state.bytesDone / Math.max(1, state.bytesInAll),
              text: `${rate}/s, ${duration(secondsLeft(state, elapsed))} left: ${counted}`
            })
          },
          onRejected: (rejection) => {
            if (++rejectionCount > maxPrintedRejections) return
            progressLine.clear()
            stderr.write(`Line ${rejection.line}: ${rejection.message}\n`)
          }
        }
      ).pipe(
        Effect.ensuring(Effect.sync(() => progressLine.clear())),
        Effect.onInterrupt(() =>
          Effect.sync(() => {
            if (sent > 0) stderr.write(`Stopped after ${counted}; run the import again to record the rest.\n`)
          })
        ),
        Effect.mapError(({ message, reason }) => {
          const rest =
            sent === 0
              ? ""
              : " The store has what was counted so far; run the import again to record the rest."
          return new Failed({ message: `${message}${rest}`, code: exitCodes[reason ?? "failed"] })
        })
      )
      const seconds = (performance.now() - startedAt) / 1000
      if (rejectionCount > maxPrintedRejections)
        stderr.write(`… and ${rejectionCount - maxPrintedRejections} more.\n`)
      if (counts.rejected > 0) {
        process.exitCode = exitCodes.failed
        stderr.write(`The rejected lines are in ${rejectedFile}: correct them there and import that file.\n`)
      }
      stdout.write(
        given.json
          ? `${JSON.stringify({ ...counts, seconds })}\n`
          : `${formatCounts(counts)} in ${duration(seconds)}.\n`
      )
    })
)
