/** The database of one store: transactions over a pool of connections. */
import {
  currentReservation,
  type Instant,
  type StoreStatus,
  type StoreUnavailable
} from "@lead-signals/domain"
import { type Clock, Context, Effect, Fiber, FiberRef, Layer, Queue, Schedule, type Scope } from "effect"
import pg from "pg"
import type { StoreKeys } from "../sealing/StoreKeys.ts"
import { type ClientPool, Clients } from "./Clients.ts"
import type { Connection } from "./Connection.ts"
import type { DatabaseClock } from "./DatabaseClock.ts"
import { markApplied } from "./HeldReservation.ts"
import { HostTransaction } from "./HostTransaction.ts"
import { Incarnations } from "./Incarnation.ts"
import { listen } from "./Notifications.ts"
import { StatementTexts } from "./StatementTexts.ts"
import { isUnavailable, Transactions, type Transactor, type WriteOptions } from "./Transactions.ts"
import { statusOf, Writability } from "./Writability.ts"

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
      work: (sql: Connection, now: Instant) => Promise<A>,
      options?: WriteOptions
    ) => Effect.Effect<A, StoreUnavailable>
    /** Filled after a commit that made deliveries due, of this process or of another. */
    readonly queued: Queue.Queue<void>
    /** Tells emitters, of this process and of others, that a commit has made deliveries due. Run after each such `write`. */
    readonly announceQueued: Effect.Effect<void>
    /** Whether the database can be read and written. Fails when it can't be read. */
    readonly status: Effect.Effect<StoreStatus, StoreUnavailable>
    /** Whether a write that no caller waits for may run after its caller has gone on. */
    readonly putsOff: boolean
    /** Brings the journal of removals up to the database; succeeds when it has what was committed. Run after each removal. [REST-1] */
    readonly journalRemovals: Effect.Effect<void, StoreUnavailable>
  }
>() {}

/** What keeps the journal of removals. */
export interface JournalSync extends Pick<typeof Database.Service, "journalRemovals"> {
  /** Why the journal lacks what the database has removed; null while it does not, undefined where none is kept. */
  readonly journalProblem: () => string | null | undefined
}

const withoutJournal: JournalSync = { journalRemovals: Effect.void, journalProblem: () => undefined }

/** A statement's and a transaction's time, and where tables are. */
export interface DatabaseOptions {
  readonly schema: string
  readonly preparedStatements: boolean
  readonly statementTimeoutMillis: number
  readonly beforeStatement: ((text: string) => Promise<void>) | undefined
  /** Gets the database's time at each new connection, and every half minute. */
  readonly clock: DatabaseClock | undefined
  /** Null leaves the schema as it is. */
  readonly migrate: ((pool: ClientPool) => Promise<void>) | null
  /** The keys under which the database is encrypted; null where it is not. */
  readonly keys: StoreKeys | null
  /** Encrypts an empty database when there is a key. */
  readonly beginEncryption: (transactor: Transactor) => Promise<void>
  /** Rejects with `StoreUnavailable` unless the keys are those of the database. */
  readonly verifyKeys: (sql: Connection) => Promise<void>
  /** Begins to keep the journal of removals, until the scope ends. */
  readonly openJournal: (transactor: Transactor) => Effect.Effect<JournalSync, StoreUnavailable, Scope.Scope>
}

/** Runs what rejects with `StoreUnavailable`; other failures are defects. It is not interrupted. */
export const effectOf = <A>(run: () => Promise<A>): Effect.Effect<A, StoreUnavailable> =>
  Effect.uninterruptible(
    Effect.catchAll(Effect.tryPromise({ try: run, catch: (error) => error }), (error) =>
      isUnavailable(error) ? Effect.fail(error) : Effect.die(error)
    )
  )

/** Milliseconds that each step of a store's end may wait for the server, which may be silent. */
const endMillis = 1000

/** Waits for a step of a store's end, a second at most. One that takes longer is left behind. In a fiber of its own: a finalizer can't be interrupted. */
export const withinEnd = (step: Effect.Effect<unknown, unknown>): Effect.Effect<void> =>
  Effect.timeoutOption(Effect.disconnect(Effect.ignore(step)), endMillis).pipe(
    Effect.interruptible,
    Effect.forkDaemon,
    Effect.flatMap(Fiber.await),
    Effect.asVoid
  )

/** Runs until the scope ends, which does not wait for a statement under way. */
export const forkBeside = <E>(work: Effect.Effect<unknown, E>): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(Effect.acquireRelease(Effect.forkDaemon(Effect.interruptible(work)), Fiber.interruptFork))

const timeSql = "SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now"
/**
 * Sets the limits of time on a new connection, and asks for the server's time and incarnation. The limits are no parameters of the
 * connection, as the driver would send them: PgBouncer refuses those that it does not know.
 */
const begin =
  (clock: DatabaseClock | undefined, incarnations: Incarnations, limitMillis: number | null) =>
  async (client: pg.PoolClient): Promise<string | null> => {
    const requestedAt = performance.now()
    const limits =
      limitMillis === null
        ? ""
        : `SET statement_timeout = ${limitMillis}; SET idle_in_transaction_session_timeout = ${limitMillis}; `
    const answered: pg.QueryResult | ReadonlyArray<pg.QueryResult> = await client.query(`${limits}${timeSql}`)
    const { rows } = Array.isArray(answered) ? answered.at(-1) : answered
    clock?.measured(Number(rows[0].now), requestedAt, performance.now())
    return incarnations.of(client)
  }

/** Milliseconds between measurements of the database's time. */
const measureMillis = 30_000

const keepTime = (clock: DatabaseClock, transactor: Transactor): Effect.Effect<void, never, Scope.Scope> => {
  const measure = effectOf(() =>
    transactor.read(async (sql) => {
      const requestedAt = performance.now()
      const row = await sql.get<{ readonly now: string }>(timeSql)
      clock.measured(Number(row!.now), requestedAt, performance.now())
    })
  )
  return forkBeside(Effect.repeat(Effect.ignore(measure), Schedule.spaced(measureMillis)))
}

/** The service over a transactor. `announce` tells other nodes. */
const databaseOf = (
  transactor: Transactor,
  verifyKeys: DatabaseOptions["verifyKeys"],
  queued: Queue.Queue<void>,
  announce: () => void,
  { journalProblem, journalRemovals }: JournalSync = withoutJournal
): typeof Database.Service => {
  const writability = new Writability()
  const write: (typeof Database.Service)["write"] = (work, options) =>
    Effect.flatMap(FiberRef.get(currentReservation), (reservation) =>
      Effect.clockWith((clock: Clock.Clock) =>
        writability.watch(
          effectOf(() =>
            transactor.write(async (sql) => {
              if (reservation !== null) await markApplied(sql, reservation)
              return work(sql, clock.unsafeCurrentTimeMillis())
            }, options)
          )
        )
      )
    )
  return {
    read: (work) => effectOf(() => transactor.read(work)),
    readSnapshot: (work) => effectOf(() => transactor.readSnapshot(work)),
    write,
    queued,
    announceQueued: Effect.zipRight(Queue.offer(queued, undefined), Effect.sync(announce)),
    status: Effect.map(
      statusOf(transactor, verifyKeys, effectOf, writability),
      ({ writeProblem }): StoreStatus => {
        const problem = journalProblem()
        return problem === undefined
          ? { writeProblem }
          : { writeProblem: writeProblem ?? problem, journalProblem: problem }
      }
    ),
    putsOff: true,
    journalRemovals
  }
}

/** The channel on which nodes tell each other that deliveries are due. */
const queuedChannel = (schema: string): string => `${schema}_queued`

/** How the store's own pool connects. */
export interface ConnectOptions {
  readonly config: pg.PoolConfig
  /** Whether a pooler stands between: it may hand a connection to others between transactions. */
  readonly isPooled: boolean
  /** Whether this process listens to others. */
  readonly notifications: boolean
}

/** `isShared`: what is set on a session may reach others, and a session may be another one in the next transaction. */
const open = (pool: ClientPool, options: DatabaseOptions, isShared: boolean) =>
  Effect.gen(function* () {
    const { beforeStatement, clock, openJournal, keys, migrate, preparedStatements, schema } = options
    const { statementTimeoutMillis } = options
    const incarnations = new Incarnations()
    const clients = new Clients(pool, begin(clock, incarnations, isShared ? null : statementTimeoutMillis))
    const texts = new StatementTexts(schema, preparedStatements)
    if (migrate !== null) yield* effectOf(() => migrate(pool))
    const transactor = new Transactions(clients, texts, {
      beforeStatement,
      incarnations,
      isShared,
      keys,
      statementTimeoutMillis
    })
    // Fails here, and not at the first request, where the database can't be reached or the tables are missing.
    yield* effectOf(() => options.beginEncryption(transactor))
    yield* effectOf(() => transactor.read(options.verifyKeys))
    if (clock !== undefined) yield* keepTime(clock, transactor)
    return { transactor, journal: yield* openJournal(transactor) }
  })

/** The database, over a pool of the store's own. Fails when it can't be reached or migrated. */
export const layer = (
  options: DatabaseOptions,
  { config, isPooled, notifications }: ConnectOptions
): Layer.Layer<Database, StoreUnavailable> =>
  Layer.scoped(
    Database,
    Effect.gen(function* () {
      const { schema } = options
      const pool = new pg.Pool(config)
      // Statements under way keep their connections, for longer than a stop may take where the server is silent.
      yield* Effect.addFinalizer(() => withinEnd(Effect.tryPromise(() => pool.end())))
      const { journal, transactor } = yield* open(pool, options, isPooled)
      const queued = yield* Queue.sliding<void>(1)
      if (!notifications) return databaseOf(transactor, options.verifyKeys, queued, () => {}, journal)
      const others = listen(config, queuedChannel(schema), () => Queue.unsafeOffer(queued, undefined))
      yield* Effect.addFinalizer(() => Effect.promise(others.close))
      return databaseOf(transactor, options.verifyKeys, queued, others.announce, journal)
    })
  )

/** The database, over a pool that a host has and closes. */
export const layerOverPool = (
  pool: ClientPool,
  options: DatabaseOptions
): Layer.Layer<Database, StoreUnavailable> =>
  Layer.scoped(
    Database,
    Effect.gen(function* () {
      const { journal, transactor } = yield* open(pool, options, true)
      return databaseOf(transactor, options.verifyKeys, yield* Queue.sliding<void>(1), () => {}, journal)
    })
  )

/**
 * The database within a transaction that the host has begun on the client, and ends. `settings` are those that statements of the store
 * change for their transaction.
 */
export const layerOverClient = (
  client: pg.ClientBase,
  options: DatabaseOptions,
  settings: ReadonlyArray<string>
): Layer.Layer<Database, StoreUnavailable> =>
  Layer.effect(
    Database,
    Effect.gen(function* () {
      const { keys, preparedStatements, schema, statementTimeoutMillis, verifyKeys } = options
      const texts = new StatementTexts(schema, preparedStatements)
      const transactor = new HostTransaction(client, texts, { keys, settings, statementTimeoutMillis })
      yield* effectOf(() => options.beginEncryption(transactor))
      yield* effectOf(() => transactor.read(verifyKeys))
      const queued = yield* Queue.sliding<void>(1)
      const database = databaseOf(transactor, verifyKeys, queued, () => {})
      return {
        ...database,
        // The server sends it when the host commits, and drops it with the transaction.
        announceQueued: Effect.ignore(
          effectOf(() =>
            transactor.write((sql) => sql.run("SELECT pg_notify($1, '')", [queuedChannel(schema)]))
          )
        ),
        putsOff: false
      }
    })
  )
