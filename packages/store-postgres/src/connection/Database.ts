/** The database of one store: transactions over a pool of connections. */
import { type Instant, StoreUnavailable } from "@lead-signals/domain"
import { Clock, Context, Effect, Layer, Queue } from "effect"
import pg from "pg"
import type { Connection } from "./Connection.ts"

/** The port of the store's modules to the database. */
export class Database extends Context.Tag("@lead-signals/store-postgres/Database")<
  Database,
  {
    /** Runs statements, each of which sees its own state. For a read of one statement. */
    readonly read: <A>(work: (sql: Connection) => Promise<A>) => Effect.Effect<A, StoreUnavailable>
    /** Runs statements that see one state of the database. */
    readonly readSnapshot: <A>(work: (sql: Connection) => Promise<A>) => Effect.Effect<A, StoreUnavailable>
    /**
     * Runs `work` in a transaction (READ COMMITTED) and commits. It may run again, after a deadlock or a lost connection, so it must
     * change nothing but the database. `now` is the time of the transaction.
     */
    readonly write: <A>(
      work: (sql: Connection, now: Instant) => Promise<A>
    ) => Effect.Effect<A, StoreUnavailable>
    /** Filled after a commit that made deliveries due, of this process or of another. */
    readonly queued: Queue.Queue<void>
  }
>() {}

const connectionOf = (client: pg.ClientBase | pg.Pool): Connection => {
  const all = async <Row>(text: string, params: ReadonlyArray<unknown> = []): Promise<ReadonlyArray<Row>> =>
    (await client.query(text, [...params])).rows as ReadonlyArray<Row>
  return {
    all,
    get: async <Row>(text: string, params?: ReadonlyArray<unknown>) => (await all<Row>(text, params))[0],
    run: async (text, params = []) => (await client.query(text, [...params])).rowCount ?? 0
  }
}

const int8 = 20
const types = {
  getTypeParser: ((oid: number, format?: "text") =>
    oid === int8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser
}

const unavailable = (cause: unknown): StoreUnavailable => new StoreUnavailable({ reason: String(cause) })

/** The database at a URL, `postgres://user:password@host:port/name`. Its schema exists. */
export const layer = (url: string): Layer.Layer<Database> =>
  Layer.scoped(
    Database,
    Effect.gen(function* () {
      const pool = new pg.Pool({ connectionString: url, max: 10, types })
      pool.on("error", () => {})
      yield* Effect.addFinalizer(() => Effect.promise(() => pool.end()))
      const queued = yield* Queue.sliding<void>(1)
      const within = async <A>(begin: string, work: (sql: Connection) => Promise<A>): Promise<A> => {
        const client = await pool.connect()
        try {
          await client.query(begin)
          const result = await work(connectionOf(client))
          await client.query("COMMIT")
          return result
        } catch (error) {
          await client.query("ROLLBACK")
          throw error
        } finally {
          client.release()
        }
      }
      const attempt = <A>(work: () => Promise<A>) =>
        Effect.uninterruptible(Effect.tryPromise({ try: work, catch: unavailable }))
      return {
        read: (work) => attempt(() => work(connectionOf(pool))),
        readSnapshot: (work) =>
          attempt(() => within("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", work)),
        write: (work) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            attempt(() => within("BEGIN", (sql) => work(sql, now)))
          ),
        queued
      }
    })
  )
