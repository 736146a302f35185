/** Idempotency-Keys on SQLite. */
import { Idempotency, type IdempotencyRecord, IdempotencyRecords, type Reserved } from "@lead-signals/domain"
import { Effect, Layer } from "effect"
import { Database } from "../database/Database.ts"
import { idempotencyRecordOf, type IdempotencyRow } from "@lead-signals/sql-rows"

const make = Effect.map(Database, (database) =>
  IdempotencyRecords.of({
    reserve: (request) =>
      database.write((sql, now): Reserved => {
        const row = sql.get<IdempotencyRow>("SELECT * FROM idempotency_record WHERE id = ?", [request.id])
        const kept: IdempotencyRecord | null = row === undefined ? null : idempotencyRecordOf(row)
        const { isNew, put, reserved } = Idempotency.reserve(kept, request, now)
        const ofActor = () =>
          sql.value<number>("SELECT count(*) FROM idempotency_record WHERE actor = ?", [request.actor])!
        if (isNew && ofActor() >= Idempotency.maxPerActor) return { type: "tooMany" }
        if (put !== null) {
          sql.run(
            `INSERT OR REPLACE INTO idempotency_record
               (id, actor, fingerprint, holder, state, created_at, lease_until, answer) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
            [
              put.id,
              put.actor,
              put.fingerprint,
              put.holder,
              put.state,
              put.createdAt,
              put.leaseUntil,
              put.answer
            ]
          )
        }
        return reserved
      }),
    complete: ({ holder, id }, answer) =>
      database.write((sql) => {
        sql.run(
          "UPDATE idempotency_record SET state = 'answered', answer = ? WHERE id = ? AND holder = ? AND state <> 'answered'",
          [answer, id, holder]
        )
      }),
    release: ({ holder, id }) =>
      database.write((sql) => {
        sql.run("DELETE FROM idempotency_record WHERE id = ? AND holder = ? AND state = 'reserved'", [
          id,
          holder
        ])
      }),
    prune: ({ before, limit }) =>
      database.write(
        (sql) =>
          sql.all(
            `DELETE FROM idempotency_record WHERE id IN
               (SELECT id FROM idempotency_record WHERE created_at < ? ORDER BY created_at LIMIT ?) RETURNING id`,
            [before, limit]
          ).length
      )
  })
)

/** The port of Idempotency-Keys. Needs the file's `Database`. */
export const layer = Layer.effect(IdempotencyRecords, make)
