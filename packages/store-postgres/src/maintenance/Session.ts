/** A connection of its own for work that takes longer than a transaction of the store may. */
import { StoreUnavailable } from "@lead-signals/domain"
import { Effect, type Scope } from "effect"
import pg from "pg"
import type { Connection, Param } from "../connection/Connection.ts"
import { QueryFailure, unavailable as unavailableOf } from "../connection/Failures.ts"
import { inSchema } from "../connection/StatementTexts.ts"
import { migrate } from "../schema/Migrations.ts"
import type { StoreKeys } from "../sealing/StoreKeys.ts"

/** The id of bigint among the types of Postgres. */
const int8 = 20
const types = {
  getTypeParser: ((oid: number, format?: "text") =>
    oid === int8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser
}

const connectMillis = 10_000

const unavailable = (failure: unknown): StoreUnavailable =>
  failure instanceof StoreUnavailable ? failure : unavailableOf(new QueryFailure(failure))

const sessionOf = (client: pg.Client, schema: string, keys: StoreKeys | null): Connection => {
  const query = (text: string, params: ReadonlyArray<Param> = []) =>
    client.query(inSchema(text, schema), [...params])
  const all = async <Row>(text: string, params?: ReadonlyArray<Param>): Promise<ReadonlyArray<Row>> =>
    (await query(text, params)).rows as ReadonlyArray<Row>
  return {
    all,
    get: async <Row>(text: string, params?: ReadonlyArray<Param>) => (await all<Row>(text, params))[0],
    run: async (text, params) => (await query(text, params)).rowCount ?? 0,
    keys
  }
}

const config = (url: string): pg.ClientConfig => ({
  connectionString: url,
  types,
  connectionTimeoutMillis: connectMillis,
  application_name: "lead-signals maintenance",
  keepAlive: true
})

/** Makes the tables in the schema. Rejects with `StoreUnavailable`. */
export const makeTables = async (url: string, schema: string): Promise<void> => {
  const pool = new pg.Pool({ ...config(url), max: 1 })
  try {
    await migrate(pool, schema, { onMigrating: () => {}, isPooled: false })
  } finally {
    await pool.end()
  }
}

/**
 * Connects to the database at the URL without the time limits of the store's own connections. `isShared` leaves a server's own limits: behind
 * a pooler what is set on a session stays for others. The connection ends with the scope. Fails with `StoreUnavailable` when it can't be made.
 */
export const session = (
  url: string,
  schema: string,
  keys: StoreKeys | null = null,
  isShared = false
): Effect.Effect<Connection, StoreUnavailable, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.tryPromise({
        try: async () => {
          const client = new pg.Client(config(url))
          client.on("error", () => {})
          await client.connect()
          if (isShared) return client
          // A server may have limits for all sessions. The work of one here takes minutes.
          await client.query("SET statement_timeout = 0")
          await client.query("SET idle_in_transaction_session_timeout = 0")
          return client
        },
        catch: unavailable
      }),
      (client) => Effect.promise(() => client.end().catch(() => {}))
    ),
    (client) => sessionOf(client, schema, keys)
  )

/** Runs the work in a transaction of the session. */
export const inTransaction = async <A>(sql: Connection, work: () => Promise<A>): Promise<A> => {
  await sql.run("BEGIN")
  try {
    const result = await work()
    await sql.run("COMMIT")
    return result
  } catch (failure) {
    await sql.run("ROLLBACK").catch(() => {})
    throw failure
  }
}

/** Runs statements of a session. Rejects with `StoreUnavailable`. */
export const run = async <A>(work: () => Promise<A>): Promise<A> => {
  try {
    return await work()
  } catch (failure) {
    throw unavailable(failure)
  }
}

/** Runs statements of a session. Fails with `StoreUnavailable`. */
export const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, StoreUnavailable> =>
  Effect.tryPromise({ try: work, catch: unavailable })
