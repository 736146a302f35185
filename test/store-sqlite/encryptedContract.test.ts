/** The store's contract over an encrypted file. */
import { parseEncryptionKey } from "@lead-signals/encryption"
import { contractCases } from "@lead-signals/store-contract"
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Either } from "effect"
import { copyFileSync } from "node:fs"
import { describe, it } from "vitest"
import { madeOnce } from "../harness/MadeOnce.ts"
import { temporaryFile } from "../harness/TemporaryFolder.ts"
import { isThorough } from "../harness/Thoroughness.ts"

/** The same in all processes of a run: they share a file. */
const contractKey = Either.getOrThrow(parseEncryptionKey("c0".repeat(32)))

/** The parts of the contract that write most, read secrets and open files again; all of it in a thorough run. */
const isRepresentative = (title: string): boolean =>
  isThorough || /PII-3|DELIV-1|STORE-2\b|LIST-5/.test(title)

describe("an encrypted store keeps the contract", async () => {
  const template = await madeOnce("encrypted.sqlite", (filename) =>
    Effect.runPromise(
      Effect.provide(
        Effect.void,
        SqliteStore.layer({ filename, synced: false, encryption: { key: contractKey } })
      )
    )
  )
  const encrypted = {
    name: "SQLite, encrypted",
    layer: () => {
      const filename = temporaryFile("encrypted.sqlite")
      copyFileSync(template, filename)
      return SqliteStore.layer({ filename, synced: false, maxEffort: 200, encryption: { key: contractKey } })
    },
    survivesReopening: true,
    leadHistories: isThorough ? 100 : 1,
    deliveryHistories: isThorough ? 50 : 1
  }
  for (const { group, run, title } of contractCases(encrypted)) {
    if (isRepresentative(title)) it(`${group}: ${title}`, run, 600_000)
  }
})
