/** `pnpm import-observations FILE.jsonl --brand ID`: the command line of the import. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import { Duration, Effect, Option } from "effect"
import { fail, runCommand, usageExitCode } from "./CommandLine.ts"
import { type Counts, eta, importFile, rejectedFileOf } from "./Import.ts"
import { duration, progress } from "./Progress.ts"

const exitCodes = { done: 0, someRejected: 1, usage: usageExitCode, failed: 3 }

const file = Args.file({ name: "FILE.jsonl", exists: "yes" }).pipe(
  Args.withDescription(
    "Observations as JSON, one a line, as POST /operator/brands/{id}/observations takes them"
  )
)
const brand = Options.text("brand").pipe(Options.withDescription("Id of the brand that they belong to"))
const url = Options.text("url").pipe(
  Options.withDescription("Where the server runs"),
  Options.withDefault("http://127.0.0.1:4000")
)
const token = Options.text("token").pipe(
  Options.withDescription(
    "The operator token; LEAD_SIGNALS_OPERATOR_TOKEN otherwise, which no process list shows"
  ),
  Options.optional
)
const json = Options.boolean("json").pipe(Options.withDescription("Print the counts as one line of JSON"))

/** So many rejections are told one by one; all of them are in the file. */
const rejectionsTold = 20

const shown = (counts: Counts): string =>
  `${counts.recorded} recorded, ${counts.duplicate} duplicates, ${counts.suppressed} suppressed, ${counts.rejected} rejected`

const command = Command.make("import-observations", { file, brand, url, token, json }, (given) =>
  Effect.gen(function* () {
    const operatorToken = Option.getOrUndefined(given.token) ?? process.env["LEAD_SIGNALS_OPERATOR_TOKEN"]
    if (operatorToken === undefined) {
      return yield* fail(
        "--token is needed, or LEAD_SIGNALS_OPERATOR_TOKEN; the server prints it when it starts.",
        exitCodes.usage
      )
    }
    const startedAt = performance.now()
    const line = progress(process.stderr, () => performance.now())
    let told = 0
    const counts = yield* importFile(
      { file: given.file, brand: given.brand, url: given.url.replace(/\/+$/, ""), token: operatorToken },
      {
        onProgress: (state) => {
          const elapsed = Duration.millis(performance.now() - startedAt)
          const lines = Object.values(state.counts).reduce((sum, n) => sum + n, 0)
          const rate = Math.round(lines / Math.max(0.001, Duration.toSeconds(elapsed)))
          line.update({
            fraction: state.bytesDone / Math.max(1, state.bytesInAll),
            text: `${rate}/s, ${duration(eta(state, elapsed))} left: ${shown(state.counts)}`
          })
        },
        onRejected: (rejection) => {
          if (++told > rejectionsTold) return
          line.clear()
          process.stderr.write(`Line ${rejection.line}: ${rejection.message}\n`)
        }
      }
    ).pipe(Effect.ensuring(Effect.sync(() => line.clear())))
    const seconds = (performance.now() - startedAt) / 1000
    if (told > rejectionsTold) process.stderr.write(`… and ${told - rejectionsTold} more.\n`)
    if (counts.rejected > 0) {
      process.exitCode = exitCodes.someRejected
      process.stderr.write(
        `The rejected lines are in ${rejectedFileOf(given.file)}: mend them there and import that file.\n`
      )
    }
    process.stdout.write(
      given.json
        ? `${JSON.stringify({ ...counts, seconds })}\n`
        : `${shown(counts)} in ${duration(seconds)}.\n`
    )
  }).pipe(
    Effect.catchTag("ImportFailed", ({ message }) =>
      fail(
        `${message} What was counted so far is in the store; running this again goes on from there.`,
        exitCodes.failed
      )
    )
  )
).pipe(
  Command.withDescription(
    HelpDoc.blocks([
      HelpDoc.p("Streams a file of observations of any size into a running server."),
      HelpDoc.p("Run it again at any time: what was recorded before is a duplicate and costs nothing."),
      HelpDoc.p(
        "Exit codes: 0 all lines taken, 1 some rejected, 2 wrong usage, 3 ended before the end of the file."
      )
    ])
  )
)

runCommand(command, "import-observations")
