/** Writes that are committed together with the mark of the Idempotency-Key on whose behalf they are made. [IDEM-3] */
import { currentReservation, type Reservation, reservationLost } from "@lead-signals/domain"
import { Effect, FiberRef } from "effect"
import type { Connection } from "../connection/Connection.ts"
import type { Write } from "./Database.ts"

/** Marks the record, whose answer is still to come; throws when another call holds it. */
const markApplied = (sql: Connection, { holder, id }: Reservation): void => {
  const held = sql.get(
    "UPDATE idempotency_record SET state = 'applied' WHERE id = ? AND holder = ? AND state <> 'answered' RETURNING id",
    [id, holder]
  )
  if (held === undefined) throw reservationLost()
}

/** The same writes, bound to the reservation of the fiber that makes them. */
export const bound =
  (write: Write): Write =>
  (work) =>
    Effect.flatMap(FiberRef.get(currentReservation), (reservation) =>
      reservation === null
        ? write(work)
        : write((sql, now) => {
            markApplied(sql, reservation)
            return work(sql, now)
          })
    )
