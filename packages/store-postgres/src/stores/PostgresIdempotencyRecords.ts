/** Idempotency-Keys on Postgres, which all nodes share. */
import { Idempotency, type IdempotencyRecord, IdempotencyRecords, type Reserved } from "@lead-signals/domain"
import { idempotencyRecordOf, type IdempotencyRow } from "@lead-signals/sql-rows"
import { Effect, Layer } from "effect"
import type { Connection } from "../connection/Connection.ts"
import { Database } from "../connection/Database.ts"

const columns = "id, actor, fingerprint, holder, state, created_at, lease_until, answer"

const valuesOf = (record: IdempotencyRecord) => [
  record.id,
  record.actor,
  record.fingerprint,
  record.holder,
  record.state,
  record.createdAt,
  record.leaseUntil,
  record.answer
]

/** Whether the new record is there. Another node's is not replaced. */
const inserted = async (sql: Connection, record: IdempotencyRecord): Promise<boolean> =>
  (await sql.run(
    `INSERT INTO lead_signals.idempotency_record (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
    valuesOf(record)
  )) === 1

const replace = (sql: Connection, record: IdempotencyRecord): Promise<number> =>
  sql.run(
    `UPDATE lead_signals.idempotency_record SET actor = $2, fingerprint = $3, holder = $4, state = $5, created_at = $6,
       lease_until = $7, answer = $8 WHERE id = $1`,
    valuesOf(record)
  )

const reserve = async (
  sql: Connection,
  request: Idempotency.ReserveRequest,
  now: number
): Promise<Reserved> => {
  for (;;) {
    // Waits for a change that is being committed under the key.
    const row = await sql.get<IdempotencyRow>(
      `SELECT ${columns} FROM lead_signals.idempotency_record WHERE id = $1 FOR UPDATE`,
      [request.id]
    )
    const kept = row === undefined ? null : idempotencyRecordOf(row)
    const { isNew, put, reserved } = Idempotency.reserve(kept, request, now)
    if (put === null) return reserved
    if (!isNew) {
      await replace(sql, put)
      return reserved
    }
    const counted = await sql.get<{ readonly n: number }>(
      "SELECT count(*) AS n FROM lead_signals.idempotency_record WHERE actor = $1",
      [request.actor]
    )
    if (counted!.n >= Idempotency.maxPerActor) return { type: "tooMany" }
    if (await inserted(sql, put)) return reserved
  }
}

const make = Effect.map(Database, (database) =>
  IdempotencyRecords.of({
    reserve: (request) => database.write((sql, now) => reserve(sql, request, now)),
    complete: ({ holder, id }, answer) =>
      database.write(async (sql) => {
        await sql.run(
          `UPDATE lead_signals.idempotency_record SET state = 'answered', answer = $3
           WHERE id = $1 AND holder = $2 AND state <> 'answered'`,
          [id, holder, answer]
        )
      }),
    release: ({ holder, id }) =>
      database.write(async (sql) => {
        await sql.run(
          "DELETE FROM lead_signals.idempotency_record WHERE id = $1 AND holder = $2 AND state = 'reserved'",
          [id, holder]
        )
      }),
    prune: ({ before, limit }) =>
      database.write((sql) =>
        // Two nodes that prune at once take different records.
        sql.run(
          `DELETE FROM lead_signals.idempotency_record WHERE id IN
             (SELECT id FROM lead_signals.idempotency_record WHERE created_at < $1 ORDER BY created_at LIMIT $2
              FOR UPDATE SKIP LOCKED)`,
          [before, limit]
        )
      )
  })
)

/** The port of Idempotency-Keys. Needs the `Database`. */
export const layer = Layer.effect(IdempotencyRecords, make)
