/** `lead-signals restore`: makes a backup the database again, without what was erased, revoked and deleted since. [REST-3, REST-4] */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { CommandProcess, Failed, leaf, usage } from "@lead-signals/command-line"
import type { ReplayedByKind } from "@lead-signals/removal-journal"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Either, Option } from "effect"
import { dirname } from "node:path"
import { existsSync } from "node:fs"
import { kindOf, readDatabase } from "../DatabaseLocation.ts"
import { defaultDatabase } from "../Settings.ts"
import { valueOf } from "../Variables.ts"
import { encryptionOfEnvironment, withProgressLine } from "./FileCommands.ts"
import { json } from "./OperatorCommand.ts"
import { print, table } from "./Output.ts"

const otherwise = {
  memory: "A store in memory has no file: there is nothing to restore it from, or to.",
  postgres: [
    "Postgres restores its databases itself: pg_restore for a dump, or its archive of the write-ahead log for any moment. Before servers",
    "start, erase, revoke and delete again what was since: docs/scale.md says how."
  ].join("\n")
} as const

/** The path of a SQLite file, which need not exist. */
const targetOf = (to: Option.Option<string>) =>
  Effect.flatMap(CommandProcess, ({ env }) => {
    const named = Option.getOrUndefined(to) ?? valueOf(env, "LEAD_SIGNALS_DATABASE") ?? defaultDatabase
    return Either.match(readDatabase(named), {
      onLeft: (takes) => usage(`--to ${takes}.`),
      onRight: (read) => {
        const kind = kindOf(read)
        return kind === "sqlite" ? Effect.succeed(read) : usage(otherwise[kind])
      }
    })
  })

const words: Readonly<Record<keyof ReplayedByKind, string>> = {
  person: "persons erased",
  key: "keys revoked",
  token: "tokens of operators revoked",
  signal: "signals deleted",
  campaign: "campaigns deleted",
  webhook: "webhooks deleted",
  brand: "brands deleted"
}

const kinds = Object.keys(words) as ReadonlyArray<keyof ReplayedByKind>

const number = (n: number): string => n.toLocaleString("en")

interface Place {
  readonly file: string
  readonly target: string
  readonly dryRun: boolean
}

const report = (
  { dryRun, file, target }: Place,
  {
    counts,
    fromVersion,
    journal,
    pendingDeliveries,
    replacedAs,
    replayed,
    version,
    warnings
  }: SqliteStore.Restored
): string =>
  [
    table(
      ["SINCE THE COPY", "DONE AGAIN", "NOT IN THE COPY"],
      kinds.map((kind) => [words[kind], number(replayed[kind].done), number(replayed[kind].absent)])
    ),
    ...(journal === null ? [] : [`Read from ${journal}.`]),
    ...(fromVersion < version ? [`Migrated from schema version ${fromVersion} to ${version}.`] : []),
    ...warnings.map((warning) => `! ${warning}`),
    ...(pendingDeliveries === 0
      ? []
      : [
          `${number(pendingDeliveries)} deliveries wait, as they did in the copy. Those that arrived since are sent again, with the same webhook-id.`
        ]),
    dryRun
      ? `${file} can be restored to ${target}: ${number(counts["leads"] ?? 0)} leads. Nothing was changed.`
      : `Restored ${file} to ${target}: ${number(counts["leads"] ?? 0)} leads.`,
    ...(replacedAs === null
      ? []
      : [
          `The database that was there is ${replacedAs}. It holds personal data: delete it when you need it no more.`
        ])
  ].join("\n")

export const restoreCommand = leaf(
  "restore",
  {
    summary: "Makes a backup the database again, without what was erased since",
    details: [
      "Stop the servers first. The backup is checked, copied, brought to this version, and gets every erasure, revocation and deletion that",
      "the journal beside the database has recorded since; then it takes the database's place in one step. The backup stays as it is, and",
      "the database that was there is kept as …replaced-TIME. After a kill nothing is half done: run the same command again."
    ],
    examples: [
      ["lead-signals restore /backups/leads.sqlite --dry-run", "says what a restore would do"],
      ["lead-signals restore /backups/leads.sqlite --replace", "restores LEAD_SIGNALS_DATABASE"],
      ["lead-signals restore leads.sqlite --to new.sqlite --journal old.sqlite-removals", ""]
    ]
  },
  {
    file: Args.text({ name: "FILE" }).pipe(Args.withDescription("The backup")),
    to: Options.text("to").pipe(
      Options.withDescription(
        "The SQLite file to restore to [LEAD_SIGNALS_DATABASE, or .data/lead-signals.sqlite]"
      ),
      Options.optional
    ),
    journal: Options.text("journal").pipe(
      Options.withDescription("The journal of removals, where it is not beside the database"),
      Options.optional
    ),
    withoutJournal: Options.boolean("without-journal").pipe(
      Options.withDescription("Brings back what was erased, revoked and deleted since")
    ),
    acceptIncomplete: Options.boolean("accept-incomplete-journal").pipe(
      Options.withDescription("Uses what can be read of a damaged journal")
    ),
    replace: Options.boolean("replace").pipe(
      Options.withDescription("Restores over a database, which is kept under another name")
    ),
    dryRun: Options.boolean("dry-run").pipe(
      Options.withDescription("Does all of it on a copy, and changes nothing")
    ),
    json
  },
  (given) =>
    Effect.gen(function* () {
      const target = yield* targetOf(given.to)
      const { acceptIncomplete, dryRun, file, replace } = given
      const encryption = yield* encryptionOfEnvironment
      if (!existsSync(dirname(target))) return yield* usage(`There is no folder ${dirname(target)}.`)
      const named = Option.getOrUndefined(given.journal)
      if (given.withoutJournal && named !== undefined)
        return yield* usage("--journal and --without-journal exclude each other.")
      const journal = given.withoutJournal ? "none" : named === undefined ? "beside" : { file: named }
      const restored = yield* withProgressLine((update) =>
        SqliteStore.restore({
          file,
          target,
          journal,
          acceptIncomplete,
          replace,
          dryRun,
          encryption: encryption ?? undefined,
          onProgress: update
        })
      )
      const place = { file, target, dryRun }
      yield* print(given.json, { ...place, ...restored }, report(place, restored))
    }).pipe(
      Effect.catchTag("RestoreRefused", ({ reason }) =>
        Effect.fail(new Failed({ message: `Not restored: ${reason}.` }))
      ),
      Effect.catchTag("@lead-signals/domain/StoreUnavailable", ({ reason }) =>
        Effect.fail(new Failed({ message: `Not restored: ${reason}. The database is as it was.` }))
      )
    )
)
