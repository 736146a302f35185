/** `lead-signals prune`: removes at once what was kept for its retention, or says how much that is. [RET-9] */
import * as Options from "@effect/cli/Options"
import { type DueCounts, RetentionRounds, Retention, type RetentionKind } from "@lead-signals/domain"
import { CommandProcess, leaf, usage } from "@lead-signals/command-line"
import { type Context, Effect, Either, Layer } from "effect"
import { renderedDatabase } from "../DatabaseLocation.ts"
import { readJournalFolder } from "../JournalSettings.ts"
import { readPooler } from "../PostgresSettings.ts"
import { readRetention, retentionVariables } from "../RetentionSettings.ts"
import { storeLayer } from "../Stores.ts"
import { databaseFailed, unusable } from "./DatabaseFailures.ts"
import { database, databaseOf, encryptionOfEnvironment, withProgressLine } from "./FileCommands.ts"
import { json } from "./OperatorCommand.ts"
import { print, table } from "./Output.ts"

const words: Readonly<Record<RetentionKind, string>> = {
  deliveries: "deliveries",
  deadLetters: "dead letters",
  events: "events",
  engagements: "engagements",
  leads: "leads",
  suppressions: "erasures"
}

const { retentionKinds } = Retention

const total = (counts: DueCounts): number => retentionKinds.reduce((sum, kind) => sum + counts[kind], 0)

/** Counts what is due, then removes it, showing how far it is. */
const prune = (
  store: Context.Context<Layer.Layer.Success<ReturnType<typeof storeLayer>>>,
  retention: Retention.Retention
) =>
  withProgressLine((update) =>
    Effect.flatMap(RetentionRounds.countDue(retention), (due) => {
      let done = 0
      return RetentionRounds.pruneNow(retention, ({ kind, removed }) => {
        done += removed
        update(Math.min(1, done / Math.max(1, total(due))), `removing ${words[kind]}`)
      })
    }).pipe(Effect.provide(store))
  )

/** `lead-signals prune`: one round of retention over a database, as the server's environment sets it. [RET-1] */
export const pruneCommand = leaf(
  "prune",
  {
    summary: "Removes what was kept for its retention at once",
    details: [
      "A server removes it in the background by itself; this is for before its first start, and to see what new settings would remove. It",
      "may run beside servers, in small transactions. The retentions are those of the environment:",
      `${Object.values(retentionVariables).slice(0, 3).join(", ")},`,
      `${Object.values(retentionVariables).slice(3).join(", ")}: give it the server's.`,
      "What is removed is gone: make a backup first. Freed room is used again; the file does not shrink. A database of an older version",
      "is brought to this version first."
    ],
    examples: [
      ["lead-signals prune --dry-run", "says what is due, and removes nothing"],
      [
        "LEAD_SIGNALS_RETENTION_LEADS=730d lead-signals prune --dry-run",
        "says what another setting would remove"
      ],
      ["lead-signals prune --database leads.sqlite --json", ""]
    ]
  },
  {
    dryRun: Options.boolean("dry-run").pipe(
      Options.withDescription("Counts what is due, and removes nothing")
    ),
    database,
    json
  },
  (given) =>
    Effect.gen(function* () {
      const { env, stderr } = yield* CommandProcess
      const retention = yield* Either.match(readRetention(env), {
        onLeft: usage,
        onRight: (read) => Effect.succeed(read)
      })
      const place = yield* databaseOf(given)
      const pooler = yield* Either.match(readPooler(env), { onLeft: usage, onRight: Effect.succeed })
      const journalFolder = yield* Either.match(readJournalFolder(env, place), {
        onLeft: usage,
        onRight: Effect.succeed
      })
      const layer = storeLayer(place, yield* encryptionOfEnvironment, {
        pooler,
        searchMemoryBytes: 0,
        journalFolder,
        progressOutput: stderr
      })
      const counts = yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* Effect.mapError(Layer.build(layer), unusable)
          return yield* given.dryRun
            ? Effect.provide(RetentionRounds.countDue(retention), store)
            : prune(store, retention)
        })
      )
      const rows = retentionKinds.map((kind) => [
        words[kind],
        Retention.format(retention[kind]),
        counts[kind].toLocaleString("en")
      ])
      const head = ["KIND", "KEPT", given.dryRun ? "DUE" : "REMOVED"]
      const kept = Object.fromEntries(retentionKinds.map((kind) => [kind, Retention.format(retention[kind])]))
      yield* print(
        given.json,
        {
          file: renderedDatabase(place),
          dryRun: given.dryRun,
          kept,
          [given.dryRun ? "due" : "removed"]: counts
        },
        table(head, rows)
      )
    }).pipe(
      Effect.catchTag(
        "@lead-signals/domain/StoreUnavailable",
        databaseFailed("The pruning stopped", "The same command goes on.")
      )
    )
)
