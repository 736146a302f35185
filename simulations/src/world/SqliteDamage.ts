/** Whether SQLite, and this project's own check of pages, references and derived tables, find a file whole. */
import * as SqliteStore from "@lead-signals/store-sqlite"
import { Effect, Either } from "effect"

/** What is wrong with the file, in one line; null where nothing is. */
export const damageOf = (
  filename: string,
  encryption: SqliteStore.EncryptionOptions | undefined
): string | null => {
  const checked = Effect.runSync(Effect.either(SqliteStore.check(filename, () => {}, encryption)))
  if (Either.isLeft(checked)) return `the file can't be read: ${checked.left.reason}`
  const { problems } = checked.right
  return problems.length === 0 ? null : `the file is damaged: ${problems[0]}`
}
