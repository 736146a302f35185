/** The history of changes of a file that was not written by its own store alone: a copy or a restored backup. */
import { randomBytes } from "node:crypto"
import type { DriverConnection } from "../connection/DriverConnection.ts"

/** Begins a history of changes that no reader of an earlier one goes on in, and gives each lead a position. [CHG-5] */
export const beginChangeEpoch = (sql: DriverConnection): void => {
  sql.run("UPDATE brand SET change_epoch = ?", [randomBytes(8).toString("hex")])
  sql.run(
    `INSERT OR IGNORE INTO changed_lead (lead_id, brand_id, position)
     SELECT l.id, l.brand_id, l.id - 1 - (SELECT max(id) FROM lead) FROM lead l
     WHERE NOT EXISTS (SELECT 1 FROM event e WHERE e.lead_id = l.id)`
  )
}
