/** The mark of the Idempotency-Key on whose behalf a transaction changes something. [IDEM-3] */
import { type Reservation, reservationLost } from "@lead-signals/domain"
import type { Connection } from "./Connection.ts"

/** Marks the record, whose answer is still to come; rejects when another call holds it. */
export const markApplied = async (sql: Connection, { holder, id }: Reservation): Promise<void> => {
  const changed = await sql.run(
    `UPDATE lead_signals.idempotency_record SET state = 'applied' WHERE id = $1 AND holder = $2 AND state <> 'answered'`,
    [id, holder]
  )
  if (changed === 0) throw reservationLost()
}
