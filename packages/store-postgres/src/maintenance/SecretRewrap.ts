/** Wraps the secrets of webhooks and brands under another encryption key. */
import { secretContexts, wrappingKeyId } from "@lead-signals/encryption"
import type { Connection } from "../connection/Connection.ts"
import type { StoreKeys } from "../sealing/StoreKeys.ts"
import { inTransaction } from "./Session.ts"

/** The secrets of rows, with what they are bound to. */
const secretColumns = [
  {
    read: "SELECT id AS brand_id, id, suppression_secret AS secret FROM lead_signals.brand ORDER BY id FOR NO KEY UPDATE",
    write: "UPDATE lead_signals.brand SET suppression_secret = $1 WHERE id = $2",
    contextOf: ({ id }: SecretRow) => secretContexts.suppression(id)
  },
  {
    read: "SELECT brand_id, id, secrets AS secret FROM lead_signals.webhook ORDER BY id FOR NO KEY UPDATE",
    write: "UPDATE lead_signals.webhook SET secrets = $1 WHERE id = $2",
    contextOf: ({ brand_id, id }: SecretRow) => secretContexts.webhook(brand_id, id)
  }
] as const

interface SecretRow {
  readonly brand_id: number
  readonly id: number
  readonly secret: string
}

/** Wraps all secrets that are not wrapped under the target. */
export const rewrapSecrets = async (sql: Connection, keys: StoreKeys, targetId: string): Promise<void> => {
  for (const { contextOf, read, write } of secretColumns) {
    await inTransaction(sql, async () => {
      for (const row of await sql.all<SecretRow>(read)) {
        if (row.secret === "" || wrappingKeyId(row.secret) === targetId) continue
        const context = contextOf(row)
        await sql.run(write, [
          keys.wrapSecret(targetId, keys.unwrapSecret(row.secret, context), context),
          row.id
        ])
      }
    })
  }
}
