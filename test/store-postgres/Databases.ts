/** An empty place for a store on Postgres, cheaper than a database: a schema of the file's own database. */
import { type EncryptionKey, generateEncryptionKey, parseEncryptionKey } from "@lead-signals/encryption"
import { Either } from "effect"
import { makeSchema } from "../harness/MadeSchema.ts"
import { newDatabase } from "../harness/Postgres.ts"

let database: Promise<string> | undefined
let schemas = 0

/** The URL of the database that the tests of this process share. */
export const sharedDatabase = (): Promise<string> => (database ??= newDatabase())

/** The name of a schema that no other test of this process has. */
export const newSchema = (): string => `s${++schemas}`

/** The name of another such schema, in which the store's tables are made already. */
export const madeSchema = async (): Promise<string> => {
  const schema = newSchema()
  await makeSchema(await sharedDatabase(), schema)
  return schema
}

/** A fresh encryption key. */
export const newKey = (): EncryptionKey => Either.getOrThrow(parseEncryptionKey(generateEncryptionKey()))
