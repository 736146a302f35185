/** `lead-signals leads …`. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { eventTypes } from "@lead-signals/domain"
import { CommandProcess, Failed, group, leaf, usage } from "@lead-signals/command-line"
import { Effect, Option, Stream } from "effect"
import { closeSync, existsSync, openSync, renameSync, rmSync, writeSync } from "node:fs"
import { createInterface } from "node:readline/promises"
import { exportLeads } from "../LeadExport.ts"
import { retrySchedule } from "../ObservationImport.ts"
import { duration, progress } from "../Progress.ts"
import { stripControlCharacters, terminalSafeJson } from "../UntrustedText.ts"
import { csvLine } from "./Csv.ts"
import { exitCodes } from "./ExitCodes.ts"
import { callOperator, type Json, type Operator, resolveOperator } from "./OperatorClient.ts"
import {
  brand,
  calling,
  flagOption,
  integerOption,
  keyedOptions,
  listing,
  listingOptions,
  operatorOptions,
  pageListing,
  pageOptions,
  pathOf,
  printResource,
  queryOf,
  readingOne,
  readingOptions,
  textOption,
  token,
  url
} from "./OperatorCommand.ts"
import { type Columns, described, tableOf, write } from "./Output.ts"

const id = Args.text({ name: "LEAD-ID" }).pipe(Args.withDescription("Id of the lead; `leads list` shows it"))

/** Which leads: the parameters of the list by the names of their options. */
const filterOptions = {
  search: textOption("search", "Part of the name or of the headline, in any letter case"),
  signal: textOption("signal", "Leads with an engagement from this signal, by its id"),
  qualified: flagOption("qualified", "Leads with this flag"),
  exported: flagOption("exported", "Leads with this flag"),
  employee: flagOption("employee", "Leads with this flag"),
  createdAfter: textOption("created-after", "Leads created at this time or later, like 2026-01-31"),
  createdBefore: textOption("created-before", "Leads created at this time or earlier"),
  updatedAfter: textOption("updated-after", "Leads updated at this time or later"),
  updatedBefore: textOption("updated-before", "Leads updated at this time or earlier"),
  engagements: Options.boolean("engagements").pipe(
    Options.withDescription("Adds up to 20 newest engagements to each lead, in JSON")
  ),
  engagementDetail: Options.boolean("engagement-detail").pipe(
    Options.withDescription("Adds the post's author and the source to each of these engagements")
  )
}

interface Filter {
  readonly search: Option.Option<string>
  readonly signal: Option.Option<string>
  readonly qualified: Option.Option<string>
  readonly exported: Option.Option<string>
  readonly employee: Option.Option<string>
  readonly createdAfter: Option.Option<string>
  readonly createdBefore: Option.Option<string>
  readonly updatedAfter: Option.Option<string>
  readonly updatedBefore: Option.Option<string>
  readonly engagements: boolean
  readonly engagementDetail: boolean
}

const switched = (isOn: boolean): Option.Option<boolean> => (isOn ? Option.some(true) : Option.none())

const engagementParametersOf = ({
  engagementDetail,
  engagements
}: Pick<Filter, "engagements" | "engagementDetail">) => ({
  includeEngagements: switched(engagements || engagementDetail),
  includeEngagementDetail: switched(engagementDetail)
})

const parametersOf = (given: Filter): Readonly<Record<string, Option.Option<string | boolean>>> => ({
  search: given.search,
  signalId: given.signal,
  qualified: given.qualified,
  exported: given.exported,
  isEmployee: given.employee,
  createdAfter: given.createdAfter,
  createdBefore: given.createdBefore,
  updatedAfter: given.updatedAfter,
  updatedBefore: given.updatedBefore,
  ...engagementParametersOf(given)
})

const columns: Columns = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  title: ({ headline, title1 }) => title1 ?? headline,
  company: ({ leadCompany }) => leadCompany?.name,
  score: ({ score1 }) => score1,
  qualified: ({ qualified }) => (qualified ? "yes" : "no"),
  exported: ({ exported }) => (exported ? "yes" : "no"),
  signals: ({ signalIds }) => signalIds,
  created: ({ createdAt }) => createdAt
}

/** As the console exports them. */
const csvColumns: Columns = {
  id: ({ id }) => id,
  extId: ({ extId }) => extId,
  name: ({ name }) => name,
  headline: ({ headline }) => headline,
  title1: ({ title1 }) => title1,
  username: ({ username }) => username,
  liProfileUrl: ({ liProfileUrl }) => liProfileUrl,
  companyName: ({ leadCompany }) => leadCompany?.name,
  companyDomain: ({ leadCompany }) => leadCompany?.domain,
  qualified: ({ qualified }) => qualified,
  exported: ({ exported }) => exported,
  isEmployee: ({ isEmployee }) => isEmployee,
  score1: ({ score1 }) => score1,
  signalIds: ({ signalIds }) => signalIds.join(" "),
  createdAt: ({ createdAt }) => createdAt,
  updatedAt: ({ updatedAt }) => updatedAt
}

const changeColumns: Columns = {
  change: ({ type }) => type,
  id: ({ id, lead }) => lead?.id ?? id,
  name: ({ lead }) => lead?.name,
  qualified: ({ lead }) => (lead === undefined ? null : lead.qualified ? "yes" : "no"),
  exported: ({ lead }) => (lead === undefined ? null : lead.exported ? "yes" : "no"),
  time: ({ lead, removedAt }) => lead?.updatedAt ?? removedAt
}

const engagementColumns: Columns = {
  tracked: ({ trackedAt }) => trackedAt,
  type: ({ reactionType, type }) => (reactionType === null ? type : `${type} ${reactionType}`),
  text: ({ commentText }) => commentText,
  post: ({ postUrl }) => postUrl
}

/** A lead and its newest engagements, for people. */
const describeLead =
  (lead: Json) =>
  (terminalColumns: number): string => {
    const { engagements, engagementsMeta, ...person } = lead
    const more = engagementsMeta?.truncated === true ? "\nThere are more engagements than these." : ""
    return [
      described(
        {
          id: person.id,
          name: person.name,
          headline: person.headline,
          title: person.title1,
          company: person.leadCompany?.name,
          profile: person.liProfileUrl,
          "external id": person.extId,
          qualified: person.qualified ? "yes" : "no",
          exported: person.exported ? "yes" : "no",
          employee: person.isEmployee ? "yes" : "no",
          score: person.score1,
          signals: person.signalIds,
          created: person.createdAt,
          updated: person.updatedAt
        },
        terminalColumns
      ),
      "",
      engagements.length === 0
        ? "No engagements."
        : tableOf(engagementColumns, engagements, terminalColumns) + more
    ].join("\n")
  }

/* The feed of changes */

const changesLeaf = leaf(
  "changes",
  {
    summary: "Lists what changed since a cursor, in the order of commits, with leads that are gone",
    details: [
      "Without --cursor it begins with the brand's first lead. meta.cursor of the JSON, or the line under the table, is where the next call goes",
      "on. On `cursor_expired` begin again without one, and drop the leads that do not come. The audit log has the calls."
    ],
    examples: [
      ["lead-signals leads changes --brand 2 --output table", "the first hundred"],
      ["lead-signals leads changes --brand 2 --cursor $(cat cursor) | jq -r .meta.cursor", ""]
    ]
  },
  {
    brand,
    cursor: textOption("cursor", "Where the call before ended [the first lead]"),
    pageSize: integerOption("page-size", "How many at most, to 100, or 25 with engagements [100]"),
    engagements: filterOptions.engagements,
    engagementDetail: filterOptions.engagementDetail,
    ...listingOptions
  },
  listing((call, given) =>
    Effect.map(
      call(
        "GET",
        pathOf(given.brand, "changes") +
          queryOf({ cursor: given.cursor, pageSize: given.pageSize, ...engagementParametersOf(given) })
      ),
      (answer) => ({
        value: answer,
        items: answer.data,
        columns: changeColumns,
        footer: `${answer.meta.hasMore ? "More follow" : "These are all"}: --cursor ${answer.meta.cursor}`
      })
    )
  )
)

/* Changes */

const score = Options.text("score").pipe(
  Options.withDescription("The score, a number; none takes it away"),
  Options.filterMap((text) => {
    const score = Number(text)
    if (text === "none") return Option.some(null)
    return text.trim() !== "" && Number.isFinite(score) ? Option.some(score) : Option.none()
  }, "--score takes a number, or none."),
  Options.optional
)

const setLeaf = leaf(
  "set",
  {
    summary: "Sets flags and score of a lead; what is not named stays",
    examples: [["lead-signals leads set 41 --qualified true --score 8.5 --brand 2", ""]]
  },
  {
    id,
    brand,
    qualified: flagOption("qualified", "Whether the brand calls the lead qualified"),
    exported: flagOption("exported", "Whether the lead was taken over into another system"),
    employee: flagOption("employee", "Whether the lead works for the brand itself"),
    score,
    ...operatorOptions
  },
  calling((call, given) =>
    Effect.gen(function* () {
      const flags = { qualified: given.qualified, exported: given.exported, isEmployee: given.employee }
      const body = {
        ...Object.fromEntries(
          Object.entries(flags).flatMap(([name, flag]) =>
            Option.isSome(flag) ? [[name, flag.value === "true"]] : []
          )
        ),
        ...(Option.isSome(given.score) ? { score1: given.score.value } : {})
      }
      if (Object.keys(body).length === 0)
        return yield* usage("Nothing to set: --qualified, --exported, --employee or --score is required.")
      return printResource(({ exported, id, isEmployee, qualified, score1 }) => {
        const flag = (name: string, isSet: boolean): string => `${isSet ? "" : "not "}${name}`
        return `Lead ${id} is ${flag("qualified", qualified)}, ${flag("exported", exported)}, ${flag("an employee", isEmployee)}, score ${score1 ?? "none"}.`
      })(yield* call("PATCH", pathOf(given.brand, "leads", given.id), body))
    })
  )
)

const confirm = Options.text("confirm").pipe(
  Options.withDescription("The lead's id again, to confirm; on a terminal it can be typed"),
  Options.optional
)

/** What the person at the terminal types. Null: they ended the input. */
const typedAt = (question: string): Effect.Effect<string | null, never> =>
  Effect.flatMap(CommandProcess, ({ stderr, stdin }) =>
    Effect.async<string | null>((resume) => {
      stderr.write(question)
      // Only a terminal comes here, and a terminal is a stream.
      const lines = createInterface({ input: stdin as NodeJS.ReadableStream })
      lines.once("line", (line) => {
        resume(Effect.succeed(line.trim()))
        lines.close()
      })
      lines.once("close", () => resume(Effect.succeed(null)))
      return Effect.sync(() => lines.close())
    })
  )

const eraseLeaf = leaf(
  "erase",
  {
    summary: "Erases a person: the lead, its engagements, events and deliveries",
    details: [
      "Nothing brings the person back. A keyed hash stays, by which the brand refuses later observations of the person. Copies elsewhere",
      "stay: backups, your CRM, receivers of webhooks. The lead's id confirms it, typed on a terminal or with --confirm. A name does",
      "not: it would stay in the shell's history and stand in the list of processes."
    ],
    examples: [["lead-signals leads erase 41 --confirm 41 --brand 2", "in a script"]]
  },
  { id, brand, confirm, ...operatorOptions },
  calling((call, given) =>
    Effect.gen(function* () {
      const { stderr, stdin } = yield* CommandProcess
      const path = pathOf(given.brand, "leads", given.id)
      const mismatch = `--confirm takes the lead's id again, ${stripControlCharacters(given.id)}.`
      if (Option.isSome(given.confirm)) {
        if (given.confirm.value !== given.id) return yield* usage(mismatch)
      } else {
        if (stdin.isTTY !== true) return yield* usage(mismatch)
        const { data } = yield* call("GET", path)
        const about = [data.name, data.headline, data.leadCompany?.name].filter(Boolean).join(", ")
        stderr.write(`Lead ${data.id}: ${stripControlCharacters(about)}\nNothing brings the person back.\n`)
        const typed = yield* typedAt(`Type the lead's id, ${data.id}, to erase the person: `)
        if (typed !== String(data.id))
          return yield* new Failed({ message: "That is not the lead's id. Nothing was erased." })
      }
      yield* call("DELETE", path)
      return { value: { id: given.id, erased: true }, text: `Lead ${given.id} is erased.` }
    })
  )
)

/* Export */

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

interface Sink {
  readonly write: (text: string) => Effect.Effect<void, Failed>
  readonly finish: Effect.Effect<void, Failed>
}

const fileFailed = (file: string, error: unknown): Failed =>
  new Failed({ message: `${file} can't be written: ${(error as NodeJS.ErrnoException).code ?? "unknown"}.` })

/** A file that is there under its name when it is whole; of an export that ends before, nothing is left. */
const fileSink = (file: string) => {
  const part = `${file}.part`
  const attempt = <A>(work: () => A) => Effect.try({ try: work, catch: (error) => fileFailed(file, error) })
  return Effect.gen(function* () {
    if (existsSync(file))
      return yield* usage(`${file} is there, and no export overwrites a file: name another with --out.`)
    let isWhole = false
    const handle = yield* Effect.acquireRelease(
      attempt(() => openSync(part, "w", 0o600)),
      (opened) =>
        Effect.sync(() => {
          if (isWhole) return
          closeSync(opened)
          rmSync(part, { force: true })
        })
    )
    return {
      write: (text) => attempt(() => void writeSync(handle, text)),
      finish: attempt(() => {
        closeSync(handle)
        isWhole = true
        renameSync(part, file)
      })
    } satisfies Sink
  })
}

const exportLeaf = leaf(
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
          callOperator(operator, "GET", `${path}?${new URLSearchParams(query)}`).pipe(
            Effect.retry({
              schedule: retrySchedule,
              while: ({ code }) => code === exitCodes.unreachable
            })
          )
        if (given.format === "csv") yield* sink.write(csvLine(Object.keys(csvColumns)))
        yield* exportLeads<Json, Failed>(read, filter).pipe(
          Stream.runForEach(({ leads, total }) =>
            Effect.gen(function* () {
              yield* sink.write(leads.map(lineOf).join(""))
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

export const leadsCommand = group(
  "leads",
  {
    summary: "Lists, shows, changes, exports and erases the leads of a brand",
    examples: [
      ["lead-signals leads list --brand 2 --search ada --sort score1:desc", ""],
      ["lead-signals leads list --brand 2 --watch", "the newest, again every two seconds"],
      ["lead-signals leads export --brand 2 --out leads.csv", ""]
    ]
  },
  [
    leaf(
      "list",
      {
        summary: "Lists leads, a page at a time; `leads export` has all of them",
        examples: [["lead-signals leads list --brand 2 --qualified true --created-after 2026-01-31", ""]]
      },
      {
        brand,
        ...filterOptions,
        sort: textOption("sort", "createdAt, updatedAt, name or score1, with :asc or :desc [createdAt:desc]"),
        ...pageOptions,
        ...listingOptions
      },
      listing((call, given) =>
        Effect.map(
          call(
            "GET",
            pathOf(given.brand, "leads") +
              queryOf({
                ...parametersOf(given),
                sort: given.sort,
                page: given.page,
                pageSize: given.pageSize
              })
          ),
          (answer) => pageListing(columns, answer, csvColumns)
        )
      )
    ),
    leaf(
      "show",
      { summary: "Shows a lead with its newest engagements" },
      { id, brand, ...readingOptions },
      readingOne((call, given) =>
        Effect.map(call("GET", pathOf(given.brand, "leads", given.id)), ({ data }) => ({
          value: data,
          text: describeLead(data)
        }))
      )
    ),
    changesLeaf,
    setLeaf,
    exportLeaf,
    leaf(
      "data",
      {
        summary: "Prints everything that is held about a person, as JSON, for their own request",
        details: ["The audit log has the call."]
      },
      { id, brand, ...operatorOptions },
      calling((call, given) =>
        Effect.map(call("GET", pathOf(given.brand, "leads", given.id, "export")), ({ data }) => ({
          value: data,
          text: JSON.stringify(data, null, 2)
        }))
      )
    ),
    leaf(
      "resend",
      { summary: "Sends a lead's newest event of a type to one webhook again" },
      {
        id,
        brand,
        webhook: Options.text("webhook").pipe(
          Options.withDescription("Id of the webhook; `webhooks list` shows it")
        ),
        event: Options.choice("event", eventTypes).pipe(Options.withDescription("The event's type")),
        ...keyedOptions
      },
      calling((call, given) =>
        Effect.map(
          call("POST", pathOf(given.brand, "leads", given.id, "resend"), {
            webhookId: given.webhook,
            event: given.event
          }),
          printResource(({ deliveryId }) => `Queued as ${deliveryId}.`)
        )
      )
    ),
    eraseLeaf
  ]
)
