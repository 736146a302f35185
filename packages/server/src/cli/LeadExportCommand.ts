/** `lead-signals leads export`. */
import * as Options from "@effect/cli/Options"
import { CommandProcess, Failed, leaf } from "@lead-signals/command-line"
import { Effect, Option, Stream } from "effect"
import { exportLeads } from "../LeadExport.ts"
import { retrySchedule } from "../ObservationImport.ts"
import { duration, progress } from "../Progress.ts"
import { stripControlCharacters, terminalSafeJson } from "../UntrustedText.ts"
import { csvLine } from "./Csv.ts"
import { exitCodes } from "./ExitCodes.ts"
import { filterOptions, parametersOf } from "./LeadOptions.ts"
import { csvColumns } from "./LeadOutput.ts"
import { callOperator, type Json, type Operator, resolveOperator } from "./OperatorClient.ts"
import { brand, pathOf, token, url } from "./OperatorCommand.ts"
import { write } from "./Output.ts"
import { fileSink, type Sink } from "./WholeFile.ts"

const format = Options.choice("format", ["csv", "jsonl"] as const).pipe(
  Options.withDescription("csv, for spreadsheets, or jsonl, one lead a line with all fields [csv]"),
  Options.withDefault("csv" as const)
)
const out = Options.text("out").pipe(
  Options.withDescription(
    "The file to write, which only you can read; it gets its name when it is whole [standard output]"
  ),
  Options.optional
)

/** `lead-signals leads export`. A file is there under its name only when it is whole. */
export const leadExportCommand = leaf(
  "export",
  {
    summary: "Writes every lead that passes a filter as CSV or JSONL, in the order of creation",
    details: [
      "It reads page by page, tries again for about a minute while the server does not answer, and writes each lead once, also when leads come",
      "and go meanwhile. In CSV, a text that a spreadsheet would take for a formula begins with an apostrophe; jsonl has every text as it is."
    ],
    examples: [
      ["lead-signals leads export --brand 2 --qualified true --out leads.csv", ""],
      ["lead-signals leads export --brand 2 --format jsonl | jq .name", ""]
    ]
  },
  { brand, ...filterOptions, format, out, url, token },
  (given) =>
    Effect.scoped(
      Effect.gen(function* () {
        const { stderr, stdout } = yield* CommandProcess
        const operator: Operator = yield* resolveOperator(given)
        const file = Option.getOrNull(given.out)
        const sink: Sink = file === null ? { write, finish: Effect.void } : yield* fileSink(file)
        const path = pathOf(given.brand, "leads")
        const filter = Object.fromEntries(
          Object.entries(parametersOf(given)).flatMap(([name, value]) =>
            Option.isSome(value) ? [[name, String(value.value)]] : []
          )
        )
        // On a terminal alone, where it could steer.
        const rendered = (value: unknown): unknown =>
          file === null && stdout.isTTY === true && typeof value === "string"
            ? stripControlCharacters(value)
            : value
        const lineOf = (lead: Json): string =>
          given.format === "jsonl"
            ? `${terminalSafeJson(lead)}\n`
            : csvLine(Object.values(csvColumns).map((of) => rendered(of(lead))))
        const bar = progress(stderr, Date.now)
        yield* Effect.addFinalizer(() => Effect.sync(() => bar.clear()))
        const startedAt = Date.now()
        let count = 0
        let last: string | null = null
        const read = (query: Readonly<Record<string, string>>) =>
          callOperator(operator, { method: "GET", path: `${path}?${new URLSearchParams(query)}` }).pipe(
            Effect.retry({
              schedule: retrySchedule,
              while: ({ code }) => code === exitCodes.unreachable
            })
          )
        // With the first answer: a refused export writes nothing.
        let head = given.format === "csv" ? csvLine(Object.keys(csvColumns)) : ""
        yield* exportLeads<Json, Failed>(read, filter).pipe(
          Stream.runForEach(({ leads, total }) =>
            Effect.gen(function* () {
              yield* sink.write(head + leads.map(lineOf).join(""))
              head = ""
              count += leads.length
              last = leads.at(-1)?.createdAt ?? last
              if (file === null) return
              const fraction = total === 0 ? 1 : Math.min(1, count / total)
              const rest = ((Date.now() - startedAt) / 1000) * (1 / Math.max(fraction, 1e-9) - 1)
              bar.update({ fraction, text: `${count} leads, ${duration(rest)} left` })
            })
          ),
          Effect.mapError(
            (failure) =>
              new Failed({
                ...failure,
                message:
                  file !== null || last === null
                    ? `${failure.message} The export ended before its end.`
                    : `${failure.message} The export ended after ${count} leads; --created-after ${last} continues it, and repeats those of that instant.`
              })
          )
        )
        yield* sink.finish
        bar.clear()
        if (file !== null) yield* write(`${count} leads are in ${stripControlCharacters(file)}.\n`)
      })
    )
)
