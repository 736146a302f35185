/** `lead-signals copy`: moves the content of one store into a new one, from a SQLite file to Postgres or back. */
import * as Options from "@effect/cli/Options"
import { Failed, leaf, usage } from "@lead-signals/command-line"
import { Effect, Either } from "effect"
import { copyStore } from "../copy/CopyStore.ts"
import { kindOf, readDatabase, renderedDatabase } from "../DatabaseLocation.ts"
import { copySource, copyTarget, removeUnfinishedCopy } from "../Stores.ts"
import { databaseFailed } from "./DatabaseFailures.ts"
import { encryptionOfEnvironment, withProgressLine } from "./FileCommands.ts"
import { requireReadable } from "./NamedFiles.ts"
import { json } from "./OperatorCommand.ts"
import { print, table } from "./Output.ts"

const read = (option: string, value: string) =>
  Either.match(readDatabase(value), {
    onLeft: (takes) => usage(`${option} ${takes}.`),
    onRight: (database) =>
      kindOf(database) === "memory"
        ? usage(`${option} takes a SQLite file or postgres://…: a store in memory ends with its server.`)
        : Effect.succeed(database)
  })

const unusableOf = (option: string) => databaseFailed(`The database of ${option} can't be used`)

/** `lead-signals copy`: between SQLite and Postgres, in either direction. The target can't be served before its tables are compared. */
export const copyCommand = leaf(
  "copy",
  {
    summary: "Copies everything from one database into a new one, of either kind",
    details: [
      "All ids, keys, webhooks and pending deliveries stay as they are. Stop the servers of the source first: until the copy ends, a server",
      "on it could read and not write. The copy compares every table of both sides before the target can be served. After a kill the same",
      "command goes on where it stopped. Rate windows are not copied: budgets begin afresh. The encryption key",
      "that is set is that of both sides."
    ],
    examples: [
      [
        'lead-signals copy --from .data/lead-signals.sqlite --to "$LEAD_SIGNALS_DATABASE"',
        "moves to Postgres"
      ],
      ['lead-signals copy --from "$LEAD_SIGNALS_DATABASE" --to leads.sqlite', "moves back to a file"]
    ]
  },
  {
    from: Options.text("from").pipe(Options.withDescription("The SQLite file or postgres://… to read")),
    to: Options.text("to").pipe(
      Options.withDescription("The new SQLite file, or postgres://… without leads")
    ),
    restart: Options.boolean("restart").pipe(
      Options.withDescription("Removes an unfinished copy from the target first")
    ),
    json
  },
  (given) =>
    Effect.gen(function* () {
      const from = yield* read("--from", given.from)
      const to = yield* read("--to", given.to)
      if (kindOf(from) === "sqlite")
        yield* requireReadable(from, "--from takes a SQLite file or postgres://…")
      const encryption = yield* encryptionOfEnvironment
      if (given.restart) yield* removeUnfinishedCopy(to)
      const copied = yield* withProgressLine((update) =>
        Effect.scoped(
          Effect.gen(function* () {
            const source = yield* Effect.mapError(copySource(from, encryption), unusableOf("--from"))
            const target = yield* Effect.mapError(copyTarget(to, encryption), unusableOf("--to"))
            return yield* copyStore(source, target, update)
          })
        )
      )
      const [renderedFrom, renderedTo] = [renderedDatabase(from), renderedDatabase(to)]
      const rows = copied.map(({ digest, rows, table }) => [
        table,
        rows.toLocaleString("en"),
        digest.slice(0, 16)
      ])
      yield* print(
        given.json,
        { from: renderedFrom, to: renderedTo, tables: copied },
        `${table(["TABLE", "ROWS", "SHA-256"], rows)}\nCopied ${renderedFrom} to ${renderedTo}; both sides have the same rows.`
      )
    }).pipe(
      Effect.catchTag("CopyRefused", ({ message }) => Effect.fail(new Failed({ message }))),
      Effect.catchTag(
        "@lead-signals/domain/StoreUnavailable",
        databaseFailed("The copy stopped", "The same command goes on.")
      )
    )
)
