/** `lead-signals encryption-key` and `rekey`: a fresh key, and a database under another one. [PII-4] */
import * as Options from "@effect/cli/Options"
import { CommandProcess, leaf, usage } from "@lead-signals/command-line"
import { generateEncryptionKey } from "@lead-signals/encryption"
import { Effect, Either, Option } from "effect"
import { renderedDatabase } from "../DatabaseLocation.ts"
import { type Encryption, readEncryption, readScope, readTarget, targetForms } from "../EncryptionSettings.ts"
import { rekeyDatabase } from "../Stores.ts"
import { databaseFailed } from "./DatabaseFailures.ts"
import { database, databaseOf, withProgressLine } from "./FileCommands.ts"
import { json } from "./OperatorCommand.ts"
import { print } from "./Output.ts"

/** `lead-signals encryption-key`. Prints the key alone, which `>` can write into a file, and keeps it nowhere. [PII-4] */
export const encryptionKeyCommand = leaf(
  "encryption-key",
  {
    summary: "Prints a fresh encryption key",
    details: [
      "32 random bytes as base64, for LEAD_SIGNALS_ENCRYPTION_KEY. Keep a copy apart from the database and its backups: what a lost key",
      "encrypts is lost, too."
    ],
    examples: [
      [
        "(umask 077; lead-signals encryption-key > /etc/lead-signals.key)",
        "for LEAD_SIGNALS_ENCRYPTION_KEY_FILE"
      ]
    ]
  },
  {},
  () =>
    Effect.flatMap(CommandProcess, ({ stdout }) =>
      Effect.sync(() => void stdout.write(`${generateEncryptionKey()}\n`))
    )
)

/** `lead-signals rekey`. It goes on after a kill when it is given the same keys. [PII-4] */
export const rekeyCommand = leaf(
  "rekey",
  {
    summary: "Gives a database another encryption key, encrypts it, or decrypts it",
    details: [
      "Without --to the database gets the key that is set; so a plain file is encrypted. With --to it leaves the key that is set for",
      "another one, or for none. Stop the servers first. A file needs as much free room again as it has. After a kill the same command",
      "goes on, and a database is whole under the one key or the other at any time. Backups keep the key that they were made under.",
      "A database on Postgres changes its key while nodes run that have LEAD_SIGNALS_ENCRYPTION_NEXT_KEY, too."
    ],
    examples: [
      ["lead-signals rekey", "encrypts a plain file under the key that is set"],
      [
        "lead-signals rekey --to file:/etc/lead-signals.new.key",
        "from the key that is set to that in the file"
      ],
      ["lead-signals rekey --to none", "decrypts"]
    ]
  },
  {
    to: Options.text("to").pipe(
      Options.withDescription(`Where the new key is: ${targetForms}`),
      Options.optional
    ),
    database,
    json
  },
  (given) =>
    Effect.gen(function* () {
      const { env } = yield* CommandProcess
      const settings = yield* Either.match(readEncryption(env), { onLeft: usage, onRight: Effect.succeed })
      const place = yield* databaseOf(given)
      let target: Encryption | null = settings
      if (Option.isSome(given.to)) {
        const key = yield* Either.match(readTarget(given.to.value, env), {
          onLeft: usage,
          onRight: Effect.succeed
        })
        const scope = yield* Either.match(readScope(env), { onLeft: usage, onRight: Effect.succeed })
        target = key === null ? null : { key, scope }
      } else if (settings === null) {
        return yield* usage(`No encryption key is set, and --to is missing; it takes ${targetForms}.`)
      }
      const { changed } = yield* withProgressLine((update) =>
        rekeyDatabase(place, settings?.key, target, update)
      )
      const rendered = renderedDatabase(place)
      yield* print(
        given.json,
        { database: rendered, changed, encrypted: target !== null },
        changed
          ? `${rendered} is ${target === null ? "not encrypted now" : "under the new encryption now"}. Set the servers' key before you start them.`
          : `${rendered} had that encryption already; nothing was changed.`
      )
    }).pipe(
      Effect.catchTag("@lead-signals/domain/StoreUnavailable", databaseFailed("The key was not changed"))
    )
)
