/** `lead-signals backup` and `check`: they work on a SQLite file or a Postgres database, whether servers run on it or not. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Either, Option } from "effect"
import { kindOf, readDatabase, renderedDatabase } from "../DatabaseLocation.ts"
import { readEncryption } from "../EncryptionSettings.ts"
import { checkDatabase } from "../Stores.ts"
import { valueOf } from "../Variables.ts"
import { progress } from "../Progress.ts"
import { defaultDatabase } from "../Settings.ts"
import { CommandProcess, leaf, usage } from "@lead-signals/command-line"
import { unusable } from "./DatabaseFailures.ts"
import { exitCodes } from "./ExitCodes.ts"
import { requireFolderOf, requireReadable } from "./NamedFiles.ts"
import { json } from "./OperatorCommand.ts"
import { print } from "./Output.ts"

/** The option of commands that open a database themselves, beside or without a server; `databaseOf` reads it. */
export const database = Options.text("database").pipe(
  Options.withDescription(
    "The SQLite file, or postgres://… [LEAD_SIGNALS_DATABASE, or .data/lead-signals.sqlite]"
  ),
  Options.optional
)

/** The path of a file that exists, or the URL of a Postgres database. */
export const databaseOf = (given: { readonly database: Option.Option<string> }) =>
  Effect.flatMap(CommandProcess, ({ env }) => {
    const named =
      Option.getOrUndefined(given.database) ?? valueOf(env, "LEAD_SIGNALS_DATABASE") ?? defaultDatabase
    return Either.match(readDatabase(named), {
      onLeft: (takes) => usage(`--database ${takes}.`),
      onRight: (read) =>
        kindOf(read) === "postgres"
          ? Effect.succeed(read)
          : requireReadable(read, "--database takes the path of a SQLite file, or postgres://…")
    })
  })

/** The encryption that the environment sets; null without a key. */
export const encryptionOfEnvironment = Effect.flatMap(CommandProcess, ({ env }) =>
  Either.match(readEncryption(env), { onLeft: usage, onRight: (read) => Effect.succeed(read) })
)

const toolsOfPostgres = [
  "Postgres copies its databases itself: pg_dump --format=custom --schema=lead_signals --file=TARGET URL copies the state of one moment;",
  "pg_basebackup with an archive of the write-ahead log can restore any moment. docs/scale.md says what a backup must keep to after an",
  "erasure. `lead-signals copy --from URL --to leads.sqlite` makes a SQLite file."
].join("\n")

const size = (bytes: number): string =>
  bytes < 1e6
    ? `${Math.ceil(bytes / 1e3)} kB`
    : bytes < 1e9
      ? `${(bytes / 1e6).toFixed(1)} MB`
      : `${(bytes / 1e9).toFixed(2)} GB`

/** Shows a progress line on standard error until the work ends. */
export const withProgressLine = <A, E>(
  work: (update: (fraction: number, text: string) => void) => Effect.Effect<A, E>
) =>
  Effect.flatMap(CommandProcess, ({ stderr }) => {
    const line = progress(stderr, () => performance.now())
    return Effect.ensuring(
      work((fraction, text) => line.update({ fraction, text })),
      Effect.sync(() => line.clear())
    )
  })

/** `lead-signals backup`: a SQLite file alone; Postgres has `pg_dump`. It refuses a target that exists. */
export const backupCommand = leaf(
  "backup",
  {
    summary: "Copies the SQLite file while the server runs on it",
    details: [
      "The copy has the state of one moment, is opened and read through, and only its owner can read it; that of an encrypted file is",
      "encrypted under the same key. It holds personal data: protect it as you protect the file. `restore` makes it the database again,",
      "without what was erased since. A backup that is killed leaves TARGET.ID.lead-signals-partial, which only its owner can read; the",
      "next backup into the same folder removes it. A server makes backups by itself with LEAD_SIGNALS_BACKUP_FOLDER."
    ],
    examples: [
      ["lead-signals backup /backups/leads-2026-01-31.sqlite", "copies the file in LEAD_SIGNALS_DATABASE"],
      ["LEAD_SIGNALS_DATABASE=/backups/leads-2026-01-31.sqlite npm start", "runs the server on a copy"]
    ]
  },
  {
    target: Args.text({ name: "TARGET" }).pipe(
      Args.withDescription("Path of the copy; no file is overwritten")
    ),
    database,
    json
  },
  (given) =>
    Effect.gen(function* () {
      const file = yield* databaseOf(given)
      if (kindOf(file) === "postgres") return yield* usage(toolsOfPostgres)
      const encryption = yield* encryptionOfEnvironment
      yield* requireFolderOf(given.target)
      const { bytes, counts, pages } = yield* withProgressLine((update) =>
        SqliteStore.backup(file, given.target, {
          encryption: encryption ?? undefined,
          onProgress: (fraction) => update(fraction, "copying")
        })
      )
      const value = { file, target: given.target, pages, bytes, counts }
      yield* print(given.json, value, `Copied ${file} (${size(bytes)}) to ${given.target}.`)
    }).pipe(
      Effect.catchTag("TargetExists", ({ target }) =>
        usage(
          target === given.target
            ? `${target} exists already: name another file, or remove it.`
            : `${target} is the log of a database that is gone, and would damage the copy: name another file, or move it.`
        )
      ),
      Effect.catchTag("@lead-signals/domain/StoreUnavailable", unusable)
    )
)

/** `lead-signals check`. Its exit code tells whether the database is sound, for scripts after a restore. */
export const checkCommand = leaf(
  "check",
  {
    summary: "Reads the whole database and says whether it is sound, with counts",
    details: [
      "The check takes seconds a gigabyte, changes nothing, leaves no files behind, and may run while the server does. On Postgres it",
      "compares references and derived tables; pages are Postgres' own concern (pg_amcheck)."
    ],
    examples: [
      ["lead-signals check --database /backups/leads-2026-01-31.sqlite", "checks a copy"],
      ["lead-signals check", "checks the database in LEAD_SIGNALS_DATABASE"]
    ]
  },
  { database, json },
  (given) =>
    Effect.gen(function* () {
      const file = yield* databaseOf(given)
      const isPostgres = kindOf(file) === "postgres"
      const what = isPostgres ? "database" : "file"
      const encryption = yield* encryptionOfEnvironment
      const checked = yield* withProgressLine((update) => checkDatabase(file, update, encryption))
      const { counts, newest, problems, version } = checked
      const width = Math.max(...Object.keys(counts).map((name) => name.length))
      const words = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
      const lines = [
        ...Object.entries(counts).map(
          ([name, n]) => `${words(name).padEnd(width + 1)} ${n.toLocaleString("en")}`
        ),
        ...(version < newest
          ? [`The ${what} has schema version ${version}; the next start migrates it to version ${newest}.`]
          : []),
        ...problems.map((problem) => `✗ ${problem}`),
        problems.length === 0
          ? `The ${what} is sound.`
          : `The ${what} is damaged: stop ${isPostgres ? "the servers" : "the server"}, keep the ${what}, and restore a sound backup.`
      ]
      yield* print(
        given.json,
        { file: renderedDatabase(file), sound: problems.length === 0, ...checked },
        lines.join("\n")
      )
      if (problems.length > 0) (yield* CommandProcess).exitCode = exitCodes.failed
    }).pipe(Effect.catchTag("@lead-signals/domain/StoreUnavailable", unusable))
)
