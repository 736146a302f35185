/** `lead-signals import FILE --brand ID`. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { Observation, UnknownFields } from "@lead-signals/domain"
import { Duration, Effect } from "effect"
import { type Counts, importFile, remainingTime } from "../ObservationImport.ts"
import { duration, progress } from "../Progress.ts"
import { stripControlCharacters, terminalSafeJson } from "../UntrustedText.ts"
import { CommandProcess, Failed, leaf, meant } from "@lead-signals/command-line"
import { exitCodes } from "./ExitCodes.ts"
import { requireReadable } from "./NamedFiles.ts"
import { resolveOperator } from "./OperatorClient.ts"
import { brand, json, token, url } from "./OperatorCommand.ts"

const file = Args.file({ name: "FILE", exists: "yes" }).pipe(
  Args.withDescription(
    "Observations as JSON, one a line, as POST /operator/brands/{id}/observations takes them"
  )
)
/** Rejections beyond this number are only counted on standard error; the file has them all. */
const maxPrintedRejections = 20

/** Ignored fields printed on standard error, at most; `--json` prints all of them. */
const maxPrintedFields = 10

const strict = Options.boolean("strict").pipe(
  Options.withDescription("Rejects a line with a field that no observation has, such as a misspelt one")
)

const knownPaths = UnknownFields.knownPaths(Observation)
const parentOf = (path: string): string => path.split(".").slice(0, -1).join(".")

/** A line for each field that was ignored, those of most observations first. The names come from the file. */
const ignoredFields = (unknownFields: ReadonlyMap<string, number>): ReadonlyArray<string> => {
  const all = [...unknownFields].sort(([, a], [, b]) => b - a)
  const lines = all.slice(0, maxPrintedFields).map(([path, count]) => {
    const near = meant(
      path,
      knownPaths.filter((known) => parentOf(known) === parentOf(path))
    )
    return `Ignored ${stripControlCharacters(path)} of ${count} ${count === 1 ? "observation" : "observations"}: no observation has this field.${near}`
  })
  return all.length <= maxPrintedFields
    ? lines
    : [...lines, `… and ${all.length - maxPrintedFields} more fields; --json has their names.`]
}

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
      "Correct them there and import that file, which then keeps only the lines that are rejected again. Fields that no observation has are",
      "ignored, and named at the end. A line that was recorded is a duplicate afterwards, and its field stays lost: use --strict to be safe."
    ],
    examples: [
      ["lead-signals import may.jsonl --brand 2", "with the operator token in LEAD_SIGNALS_OPERATOR_TOKEN"],
      ["lead-signals import may.jsonl --brand 2 --json", "the counts as JSON, for scripts"]
    ]
  },
  { file, brand, strict, url, token, json },
  (given) =>
    Effect.gen(function* () {
      const process = yield* CommandProcess
      const { stderr, stdout } = process
      const operator = yield* resolveOperator(given)
      yield* requireReadable(given.file, "FILE takes observations as JSON, one a line")
      const startedAt = performance.now()
      const progressLine = progress(stderr, () => performance.now())
      const secondsLeft = remainingTime()
      let rejectionCount = 0
      let sent = 0
      let counted = ""
      const { counts, rejectedFile, unknownFields } = yield* importFile(
        { file: given.file, brand: given.brand, strict: given.strict, ...operator },
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
            stderr.write(`Line ${rejection.line}: ${stripControlCharacters(rejection.message)}\n`)
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
          return new Failed({
            message: `${stripControlCharacters(message)}${rest}`,
            code: exitCodes[reason ?? "failed"]
          })
        })
      )
      const seconds = (performance.now() - startedAt) / 1000
      if (rejectionCount > maxPrintedRejections)
        stderr.write(`… and ${rejectionCount - maxPrintedRejections} more.\n`)
      if (counts.rejected > 0) {
        process.exitCode = exitCodes.failed
        stderr.write(`The rejected lines are in ${rejectedFile}: correct them there and import that file.\n`)
      }
      for (const line of ignoredFields(unknownFields)) stderr.write(`${line}\n`)
      stdout.write(
        given.json
          ? `${terminalSafeJson({ ...counts, unknownFields: Object.fromEntries(unknownFields), seconds })}\n`
          : `${formatCounts(counts)} in ${duration(seconds)}.\n`
      )
    })
)
