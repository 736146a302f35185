/** Idempotency-Keys. `Tables.write` binds the writes of other ports to their reservations. */
import { Idempotency, IdempotencyRecords, type Reserved } from "@lead-signals/domain"
import type { Tables } from "./Tables.ts"

export const idempotency = (tables: Tables): typeof IdempotencyRecords.Service => {
  const { idempotencyRecords } = tables
  return IdempotencyRecords.of({
    reserve: (request) =>
      tables.write((now): Reserved => {
        const kept = idempotencyRecords.get(request.id) ?? null
        const { isNew, put, reserved } = Idempotency.reserve(kept, request, now)
        const ofActor = () => idempotencyRecords.all().filter(({ actor }) => actor === request.actor).length
        if (isNew && ofActor() >= Idempotency.maxPerActor) return { type: "tooMany" }
        if (put !== null) idempotencyRecords.put(put.id, put)
        return reserved
      }),
    complete: (reservation, answer) =>
      tables.write(() => {
        const kept = idempotencyRecords.get(reservation.id)
        if (kept !== undefined && Idempotency.isHeld(kept, reservation))
          idempotencyRecords.put(kept.id, { ...kept, state: "answered", answer })
      }),
    release: (reservation) =>
      tables.write(() => {
        const kept = idempotencyRecords.get(reservation.id)
        if (kept !== undefined && Idempotency.isHeld(kept, reservation) && kept.state === "reserved")
          idempotencyRecords.remove(kept.id)
      }),
    prune: ({ before, limit }) =>
      tables.write(() => {
        const due = idempotencyRecords
          .all()
          .filter(({ createdAt }) => createdAt < before)
          .sort((a, b) => a.createdAt - b.createdAt)
          .slice(0, limit)
        for (const { id } of due) idempotencyRecords.remove(id)
        return due.length
      })
  })
}
