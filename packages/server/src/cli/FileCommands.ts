/** `lead-signals backup` and `check`: they work on a SQLite file, whether a server runs on it or not. */
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Option } from "effect"
import { existsSync } from "node:fs"
import { dirname } from "node:path"
import { valueOf } from "../Variables.ts"
import { progress } from "../Progress.ts"
import { defaultDatabase } from "../Settings.ts"
import { Failed, leaf, usage } from "@lead-signals/command-line"
import { exitCodes } from "./ExitCodes.ts"
import { json } from "./OperatorCommand.ts"
import { print } from "./Output.ts"

const database = Options.text("database").pipe(
  Options.withDescription("The SQLite file [LEAD_SIGNALS_DATABASE, or .data/lead-signals.sqlite]"),
  Options.optional
)

const fileOf = (given: { readonly database: Option.Option<string> }) => {
  const file =
    Option.getOrUndefined(given.database) ?? valueOf(process.env, "LEAD_SIGNALS_DATABASE") ?? defaultDatabase
  return existsSync(file)
    ? Effect.succeed(file)
    : usage(`There is no file ${file}; --database takes the path of a SQLite file.`)
}

const size = (bytes: number): string =>
  bytes < 1e6
    ? `${Math.ceil(bytes / 1e3)} kB`
    : bytes < 1e9
      ? `${(bytes / 1e6).toFixed(1)} MB`
      : `${(bytes / 1e9).toFixed(2)} GB`

/** Shows a progress line on standard error until the work ends. */
const withProgressLine = <A, E>(
  work: (update: (fraction: number, text: string) => void) => Effect.Effect<A, E>
) =>
  Effect.suspend(() => {
    const line = progress(process.stderr, () => performance.now())
    return Effect.ensuring(
      work((fraction, text) => line.update({ fraction, text })),
      Effect.sync(() => line.clear())
    )
  })

const unusable = ({ reason }: { readonly reason: string }) =>
  new Failed({ message: `The file can't be used: ${reason}.` })

export const backupCommand = leaf(
  "backup",
  {
    summary: "Copies the SQLite file while the server runs on it",
    details: [
      "The copy has the state of one moment, and only its owner can read it. It holds personal data: protect it as you protect the",
      "file, and delete it when an erasure is due. A backup that is killed leaves TARGET.PID.lead-signals-partial, which only its",
      "owner can read; the next backup into the same folder removes it."
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
      const file = yield* fileOf(given)
      const folder = dirname(given.target)
      if (!existsSync(folder))
        return yield* usage(`There is no folder ${folder}: make it, or name a copy in another folder.`)
      const { bytes, pages } = yield* withProgressLine((update) =>
        SqliteStore.backup(file, given.target, (fraction) => update(fraction, "copying"))
      )
      const value = { file, target: given.target, pages, bytes }
      yield* print(given.json, value, `Copied ${file} (${size(bytes)}) to ${given.target}.`)
    }).pipe(
      Effect.catchTag("TargetExists", ({ target }) =>
        usage(`${target} exists already: name another file, or remove it.`)
      ),
      Effect.catchTag("@lead-signals/domain/StoreUnavailable", unusable)
    )
)

export const checkCommand = leaf(
  "check",
  {
    summary: "Reads the whole SQLite file and says whether it is sound, with counts",
    details: [
      "The check takes seconds a gigabyte, changes nothing, leaves no files behind, and may run while the server does."
    ],
    examples: [["lead-signals check --database /backups/leads-2026-01-31.sqlite", "checks a copy"]]
  },
  { database, json },
  (given) =>
    Effect.gen(function* () {
      const file = yield* fileOf(given)
      const checked = yield* withProgressLine((update) => SqliteStore.check(file, update))
      const { counts, newest, problems, version } = checked
      const width = Math.max(...Object.keys(counts).map((name) => name.length))
      const words = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
      const lines = [
        ...Object.entries(counts).map(
          ([name, n]) => `${words(name).padEnd(width + 1)} ${n.toLocaleString("en")}`
        ),
        ...(version < newest
          ? [`The file has schema version ${version}; the next start migrates it to version ${newest}.`]
          : []),
        ...problems.map((problem) => `✗ ${problem}`),
        problems.length === 0
          ? "The file is sound."
          : "The file is damaged: stop the server, keep the file, and restore a sound backup."
      ]
      yield* print(given.json, { file, sound: problems.length === 0, ...checked }, lines.join("\n"))
      if (problems.length > 0) process.exitCode = exitCodes.failed
    }).pipe(Effect.catchTag("@lead-signals/domain/StoreUnavailable", unusable))
)
