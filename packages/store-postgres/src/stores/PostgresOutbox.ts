/** The emitter's side of the outbox, on Postgres: takes due deliveries and records attempts. [DELIV-2, DELIV-7] */
import {
  type AttemptTransitions,
  type Leased,
  type LeaseRequest,
  Outbox,
  type StoreUnavailable
} from "@lead-signals/domain"
import { Clock, Effect, Layer, Queue } from "effect"
import { Database } from "../connection/Database.ts"
import { recordAttempts } from "../writes/AttemptRecord.ts"
import { lease } from "../writes/DeliveryLeases.ts"
import { sharesOf } from "../writes/DeliveryShares.ts"

/** The port over a database. */
export const outboxOver = (
  database: Pick<typeof Database.Service, "queued" | "read" | "write">
): typeof Outbox.Service => {
  const leaseDue = (request: LeaseRequest): Effect.Effect<Leased, StoreUnavailable> =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const found = yield* database.read((sql) => sharesOf(sql, request, now))
      if (found.shares.length === 0) return { leases: [], nextDueAt: found.nextDueAt }
      const leased = yield* database.write((sql, at) => lease(sql, request, found, at))
      // Each turn has set waiting events aside, so that turns come to an end.
      return leased ?? (yield* leaseDue(request))
    })
  return Outbox.of({
    lease: leaseDue,
    record: (attempts: ReadonlyArray<AttemptTransitions.FinishedAttempt>) =>
      database.write((sql, now) => recordAttempts(sql, attempts, now)),
    queued: Queue.take(database.queued)
  })
}

/** The port of the outbox. Needs the `Database`. */
export const layer = Layer.effect(Outbox, Effect.map(Database, outboxOver))
