/** `lead-signals restore`: a backup becomes the database again, without what was erased, revoked and deleted since. [REST-3, REST-4, REST-7] */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { CommandProcess, Failed, leaf, usage } from "@lead-signals/command-line"
import type { ReplayedByKind } from "@lead-signals/removal-journal"
import type { Restored as PostgresRestored } from "@lead-signals/store-postgres"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Either, Option } from "effect"
import { basename } from "node:path"
import { existsSync, statSync } from "node:fs"
import { kindOf, readDatabase, renderedDatabase } from "../DatabaseLocation.ts"
import { journalVariable, readJournalFolder, sqliteJournalIn } from "../JournalSettings.ts"
import { defaultDatabase } from "../Settings.ts"
import { restorePostgres } from "../Stores.ts"
import { valueOf } from "../Variables.ts"
import { databaseFailed } from "./DatabaseFailures.ts"
import { encryptionOfEnvironment, withProgressLine } from "./FileCommands.ts"
import { requireFolderOf, requireReadable } from "./NamedFiles.ts"
import { json } from "./OperatorCommand.ts"
import { print, table } from "./Output.ts"

/** The path of a SQLite file, which need not exist, or the URL of a Postgres database. */
const targetOf = (to: Option.Option<string>) =>
  Effect.flatMap(CommandProcess, ({ env }) => {
    const named = Option.getOrUndefined(to) ?? valueOf(env, "LEAD_SIGNALS_DATABASE") ?? defaultDatabase
    return Either.match(readDatabase(named), {
      onLeft: (takes) => usage(`--to ${takes}.`),
      onRight: (read) =>
        kindOf(read) === "memory"
          ? usage("A store in memory has no file: there is nothing to restore it from, or to.")
          : Effect.succeed(read)
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

const replayedTable = (since: string, without: string, replayed: ReplayedByKind): string =>
  table(
    [since, "DONE AGAIN", without],
    kinds.map((kind) => [words[kind], number(replayed[kind].done), number(replayed[kind].absent)])
  )

const warned = (warnings: ReadonlyArray<string>): ReadonlyArray<string> =>
  warnings.map((warning) => `! ${warning}`)

const waiting = (deliveries: number, where: string): ReadonlyArray<string> =>
  deliveries === 0
    ? []
    : [
        `${number(deliveries)} deliveries wait, as they did in the ${where}. Those that arrived since are sent again, with the same webhook-id.`
      ]

interface Place {
  readonly file: string
  readonly target: string
  readonly dryRun: boolean
}

/** What a restore of a file did, or would do, in words for the operator. */
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
    replayedTable("SINCE THE COPY", "NOT IN THE COPY", replayed),
    ...(journal === null ? [] : [`Read from ${journal}.`]),
    ...(fromVersion < version ? [`Migrated from schema version ${fromVersion} to ${version}.`] : []),
    ...warned(warnings),
    ...waiting(pendingDeliveries, "copy"),
    dryRun
      ? `${file} can be restored to ${target}: ${number(counts["leads"] ?? 0)} leads. Nothing was changed.`
      : `Restored ${file} to ${target}: ${number(counts["leads"] ?? 0)} leads.`,
    ...(replacedAs === null
      ? []
      : [
          `The database that was there is ${replacedAs}. It holds personal data: delete it when you need it no more.`
        ])
  ].join("\n")

const postgresReport = (
  rendered: string,
  { fromVersion, journals, lacking, pendingDeliveries, replayed, version, warnings }: PostgresRestored
): string =>
  [
    replayed === null
      ? table(
          ["SINCE THE DUMP", "TO BE DONE AGAIN"],
          kinds.map((kind) => [words[kind], number(lacking[kind])])
        )
      : replayedTable("SINCE THE DUMP", "NOT IN THE DUMP", replayed),
    ...journals.map((journal) => `Read from ${journal}.`),
    ...(fromVersion < version ? [`Migrated from schema version ${fromVersion} to ${version}.`] : []),
    ...warned(warnings),
    ...waiting(pendingDeliveries, "dump"),
    replayed === null
      ? `Nothing was changed in ${rendered}.`
      : `${rendered} has no more of what was removed since. Servers may start.`
  ].join("\n")

interface Given {
  readonly file: Option.Option<string>
  readonly to: Option.Option<string>
  readonly journal: ReadonlyArray<string>
  readonly withoutJournal: boolean
  readonly acceptIncomplete: boolean
  readonly replace: boolean
  readonly dryRun: boolean
  readonly json: boolean
}

/** The folder that the environment sets for the journal; null without one. */
const journalFolderFor = (target: string) =>
  Effect.flatMap(CommandProcess, ({ env }) =>
    Either.match(readJournalFolder(env, target), { onLeft: usage, onRight: Effect.succeed })
  )

/** Where a file's journal is looked for. */
const sqliteJournal = ({ journal, withoutJournal }: Given, target: string, folder: string | null) => {
  if (withoutJournal) return Effect.succeed("none" as const)
  const [named, ...more] = journal
  if (more.length > 0) return usage("A SQLite file has one journal: give --journal once.")
  if (named !== undefined) {
    return Effect.succeed(
      existsSync(named) && statSync(named).isDirectory()
        ? { own: sqliteJournalIn(named, target) }
        : { file: named }
    )
  }
  return Effect.succeed(folder === null ? ("beside" as const) : { own: sqliteJournalIn(folder, target) })
}

/** Restores a SQLite file: all checks come before the copy takes the database's place. */
const restoreFile = (given: Given, target: string) =>
  Effect.gen(function* () {
    const { acceptIncomplete, dryRun, replace } = given
    const file = Option.getOrUndefined(given.file)
    if (file === undefined)
      return yield* usage(
        "FILE is missing: give the backup, as in lead-signals restore /backups/leads.sqlite."
      )
    yield* requireReadable(file, "FILE takes a backup of a SQLite file")
    yield* requireFolderOf(target)
    const encryption = yield* encryptionOfEnvironment
    const journal = yield* sqliteJournal(given, target, yield* journalFolderFor(target))
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
    return yield* print(given.json, { ...place, ...restored }, report(place, restored))
  }).pipe(
    Effect.catchTag(
      "@lead-signals/domain/StoreUnavailable",
      databaseFailed("Not restored", "The database is as it was.")
    )
  )

/** Does again on Postgres what a restored dump lacks. FILE and --replace are refused, as pg_restore has their part. */
const restoreDatabase = (given: Given, url: string) =>
  Effect.gen(function* () {
    const { acceptIncomplete, dryRun } = given
    const rendered = renderedDatabase(url)
    if (Option.isSome(given.file)) {
      return yield* usage(
        [
          `Postgres restores its databases itself. First: pg_restore --clean --if-exists --dbname=URL ${basename(given.file.value)}, or its archive of`,
          "the write-ahead log for any moment. Then: lead-signals restore --journal FOLDER, without FILE."
        ].join("\n")
      )
    }
    if (given.replace) {
      return yield* usage(
        "--replace is for SQLite files: pg_restore --clean has replaced what was in the database."
      )
    }
    if (given.withoutJournal) {
      return yield* usage(
        "--without-journal is for SQLite files: what pg_restore has restored serves without a journal when you start a server without one."
      )
    }
    const folder = yield* journalFolderFor(url)
    const journals = given.journal.length > 0 ? given.journal : folder === null ? [] : [folder]
    if (journals.length === 0) {
      return yield* usage(
        `--journal is missing: give the folder of the nodes' journals, as in lead-signals restore --journal /var/lib/lead-signals/removals, or set ${journalVariable}.`
      )
    }
    const encryption = yield* encryptionOfEnvironment
    const restored = yield* withProgressLine((update) =>
      restorePostgres({
        url,
        journals,
        acceptIncomplete,
        dryRun,
        encryptionKey: encryption?.key,
        onProgress: update
      })
    )
    return yield* print(
      given.json,
      { target: rendered, dryRun, ...restored },
      postgresReport(rendered, restored)
    )
  }).pipe(
    Effect.catchTag(
      "@lead-signals/domain/StoreUnavailable",
      databaseFailed("Not restored", "The same command goes on.")
    )
  )

/** `lead-signals restore`. After a kill the same command goes on. [REST-1] */
export const restoreCommand = leaf(
  "restore",
  {
    summary: "Makes a backup the database again, without what was erased since",
    details: [
      "Stop the servers first. A backup of a SQLite file is checked, copied, brought to this version, and gets every erasure, revocation and",
      "deletion that the journal of removals has recorded since; then it takes the database's place in one step. The backup stays as it is,",
      "and the database that was there is kept as …replaced-TIME. On Postgres restore the dump with pg_restore first; then this command,",
      "without FILE, does again what the journals of its nodes have recorded since. After a kill run the same command again."
    ],
    examples: [
      ["lead-signals restore /backups/leads.sqlite --dry-run", "says what a restore would do"],
      ["lead-signals restore /backups/leads.sqlite --replace", "restores LEAD_SIGNALS_DATABASE"],
      ["lead-signals restore leads.sqlite --to new.sqlite --journal old.sqlite-removals", ""],
      ["lead-signals restore --to postgres://… --journal node-1/ --journal node-2/", "after pg_restore"]
    ]
  },
  {
    file: Args.text({ name: "FILE" }).pipe(
      Args.withDescription("The backup of a SQLite file; none on Postgres"),
      Args.optional
    ),
    to: Options.text("to").pipe(
      Options.withDescription(
        "The SQLite file to restore to, or postgres://… [LEAD_SIGNALS_DATABASE, or .data/lead-signals.sqlite]"
      ),
      Options.optional
    ),
    journal: Options.text("journal").pipe(
      Options.withDescription(
        "The journal of removals, or its folder [LEAD_SIGNALS_REMOVAL_JOURNAL, or beside the SQLite file]; several on Postgres"
      ),
      Options.repeated
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
      Options.withDescription("Says what a restore would do, and changes nothing")
    ),
    json
  },
  (given) =>
    Effect.gen(function* () {
      const target = yield* targetOf(given.to)
      if (given.withoutJournal && given.journal.length > 0)
        return yield* usage("--journal and --without-journal exclude each other.")
      const missing = given.journal.find((journal) => !existsSync(journal))
      if (missing !== undefined)
        return yield* usage(
          `There is no file or folder ${missing}; --journal takes a journal of removals, or its folder.`
        )
      return yield* kindOf(target) === "postgres"
        ? restoreDatabase(given, target)
        : restoreFile(given, target)
    }).pipe(
      Effect.catchTag("RestoreRefused", ({ reason }) =>
        Effect.fail(new Failed({ message: `Not restored: ${reason}.` }))
      )
    )
)
