/** Transactions over clients of a pool: bounded in time, run again after a conflict, and settled when a commit's answer is lost. */
import type { StoreUnavailable } from "@lead-signals/domain"
import type pg from "pg"
import { setTimeout as sleep } from "node:timers/promises"
import type { CheckedOut, Clients } from "./Clients.ts"
import type { StoreKeys } from "../sealing/StoreKeys.ts"
import type { Incarnations } from "./Incarnation.ts"
import { type Connection, connectionOf } from "./Connection.ts"
import {
  breaksConnection,
  isConflict,
  QueryFailure,
  refusesWrites,
  unavailable,
  unknownCommit
} from "./Failures.ts"
import type { StatementTexts } from "./StatementTexts.ts"

/** How a transaction that writes is run. */
export interface WriteOptions {
  /**
   * Whether the number of rows that it changes has no bound. A statement of it may then take `longWriteMillis`, and the transaction may last
   * that long before its next statement. Each wait for a lock has the limit of other statements.
   */
  readonly isLong?: boolean
}

/** Milliseconds that a long write may take. They are enough for millions of rows, and end the wait for a server that has fallen silent. */
export const longWriteMillis = 30 * 60_000

/** Runs the store's work; rejects with `StoreUnavailable`, or with what the work threw by itself. */
export interface Transactor {
  /** Runs statements, each of which sees its own state. */
  readonly read: <A>(work: (sql: Connection) => Promise<A>) => Promise<A>
  /** Runs statements that see one state. */
  readonly readSnapshot: <A>(work: (sql: Connection) => Promise<A>) => Promise<A>
  /** Runs the work in a transaction and commits it; the work may run again. */
  readonly write: <A>(work: (sql: Connection) => Promise<A>, options?: WriteOptions) => Promise<A>
}

/** Bounds of statements and transactions. */
export interface TransactionOptions {
  /** Milliseconds that one statement may take, and that a transaction may last before its next statement. */
  readonly statementTimeoutMillis: number
  /**
   * Whether connections are shared with others, by a pooler or with a host: then each transaction sets the server's limits of time, and asks
   * which server it reaches. Otherwise a connection has begun with both.
   */
  readonly isShared: boolean
  readonly incarnations: Incarnations
  /** Awaited before each statement of a transaction that writes, and before its commit. */
  readonly beforeStatement: ((text: string) => Promise<void>) | undefined
  /** The keys under which the database is encrypted; null where it is not. */
  readonly keys: StoreKeys | null
}

/** Attempts of a transaction that meets others: each time at least one of those in its way has gone on. */
const maxAttempts = 8
/** Attempts of work whose connection is lost before a commit. */
const maxLostAttempts = 3
/** Milliseconds for which a lost commit is asked about, while the server recovers. */
const askMillis = 5000
/** The client waits longer than the server, so that the server's answer comes first. */
const clientMarginMillis = 2000

const backOff = (attempt: number): Promise<void> => sleep(Math.random() * 5 * 2 ** Math.min(attempt, 6))

/** As the server answers for a statement of too long. */
const tookTooLong = () => new QueryFailure({ code: "57014", severity: "ERROR" })

/** Refuses further statements when the transaction has lasted too long: its locks keep others waiting. */
const bounded = (sql: Connection, millis: number): Connection => {
  const startedAt = performance.now()
  const within = <A>(run: () => Promise<A>): Promise<A> =>
    performance.now() - startedAt > millis ? Promise.reject(tookTooLong()) : run()
  return {
    all: (text, params) => within(() => sql.all(text, params)),
    get: (text, params) => within(() => sql.get(text, params)),
    run: (text, params) => within(() => sql.run(text, params)),
    keys: sql.keys
  }
}

/** Awaits something before each statement. */
const observed = (sql: Connection, before: TransactionOptions["beforeStatement"]): Connection =>
  before === undefined
    ? sql
    : {
        all: async (text, params) => (await before(text), sql.all(text, params)),
        get: async (text, params) => (await before(text), sql.get(text, params)),
        run: async (text, params) => (await before(text), sql.run(text, params)),
        keys: sql.keys
      }

/** A transaction as the server knows it. */
interface Begun {
  readonly xid: string
  /** Null where the server does not say. */
  readonly incarnation: string | null
}

/** A commit that was sent and never answered. */
class LostCommit {
  readonly failure: QueryFailure
  readonly xid: string
  readonly incarnation: string | null

  constructor(failure: QueryFailure, xid: string, incarnation: string | null) {
    this.failure = failure
    this.xid = xid
    this.incarnation = incarnation
  }
}

/** Runs each piece of work in a transaction of its own, on a connection of the pool. */
export class Transactions implements Transactor {
  private readonly timeoutMillis: number
  /** Statements that set a transaction's limits behind its `BEGIN`. */
  private readonly limits: string
  private readonly longLimits: string
  private readonly beforeStatement: TransactionOptions["beforeStatement"]
  private readonly keys: StoreKeys | null

  private readonly clients: Clients
  private readonly incarnations: Incarnations
  private readonly isShared: boolean
  private readonly texts: StatementTexts

  constructor(
    clients: Clients,
    texts: StatementTexts,
    { beforeStatement, incarnations, isShared, keys, statementTimeoutMillis }: TransactionOptions
  ) {
    this.incarnations = incarnations
    this.isShared = isShared
    this.keys = keys
    this.clients = clients
    this.texts = texts
    this.timeoutMillis = statementTimeoutMillis
    this.beforeStatement = beforeStatement
    const idleLimit = isShared
      ? `; SET LOCAL idle_in_transaction_session_timeout = ${statementTimeoutMillis}`
      : ""
    this.limits = isShared ? `; SET LOCAL statement_timeout = ${statementTimeoutMillis}${idleLimit}` : ""
    this.longLimits = `; SET LOCAL statement_timeout = ${longWriteMillis}; SET LOCAL lock_timeout = ${statementTimeoutMillis}${idleLimit}`
  }

  read<A>(work: (sql: Connection) => Promise<A>): Promise<A> {
    return this.again(() => this.withClient(({ client }) => work(this.connection(client))))
  }

  readSnapshot<A>(work: (sql: Connection) => Promise<A>): Promise<A> {
    return this.again(() =>
      this.withClient(async ({ client }) => {
        await this.command(client, `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY${this.limits}`)
        const result = await this.orRollBack(client, () =>
          work(bounded(this.connection(client), this.timeoutMillis))
        )
        await this.command(client, "COMMIT")
        return result
      })
    )
  }

  write<A>(work: (sql: Connection) => Promise<A>, { isLong = false }: WriteOptions = {}): Promise<A> {
    const limitMillis = isLong ? longWriteMillis : this.timeoutMillis
    return this.again(async () => {
      // The result of work whose commit was lost.
      let result: A
      try {
        return await this.withClient(async (out) => {
          const { client } = out
          const { incarnation, xid } = await this.begin(out, isLong ? this.longLimits : this.limits)
          const connection = bounded(this.connection(client, limitMillis), limitMillis)
          result = await this.orRollBack(client, () => work(observed(connection, this.beforeStatement)))
          await this.beforeStatement?.("COMMIT")
          await this.commit(client, { incarnation, xid }, limitMillis)
          return result
        })
      } catch (error) {
        if (!(error instanceof LostCommit)) throw error
        if (await this.isCommitted(error)) return result!
        throw error.failure
      }
    })
  }

  /** Runs the attempt again after a conflict, and after a connection that was lost before a commit. */
  private async again<A>(attempt: () => Promise<A>): Promise<A> {
    for (let count = 1; ; count++) {
      try {
        return await attempt()
      } catch (error) {
        if (!(error instanceof QueryFailure)) throw error
        const isLost = breaksConnection(error) || refusesWrites(error)
        const limit = isConflict(error) ? maxAttempts : isLost ? maxLostAttempts : 1
        if (count >= limit) throw unavailable(error)
        await backOff(count)
      }
    }
  }

  private async withClient<A>(work: (out: CheckedOut) => Promise<A>): Promise<A> {
    const out = await this.clients.checkOut()
    let failure: QueryFailure | null = null
    try {
      return await work(out)
    } catch (error) {
      if (error instanceof LostCommit) failure = error.failure
      else if (error instanceof QueryFailure) failure = error
      throw error
    } finally {
      out.release(failure)
    }
  }

  private connection(client: pg.PoolClient, limitMillis = this.timeoutMillis): Connection {
    return connectionOf(client, this.texts, limitMillis + clientMarginMillis, this.keys)
  }

  /** Runs commands without parameters, in one round trip. */
  private async command(
    client: pg.PoolClient,
    text: string,
    limitMillis = this.timeoutMillis
  ): Promise<pg.QueryResult> {
    try {
      const found: pg.QueryResult | ReadonlyArray<pg.QueryResult> = await client.query({
        text,
        query_timeout: limitMillis + clientMarginMillis
      } as pg.QueryConfig)
      return Array.isArray(found) ? found.at(-1) : found
    } catch (error) {
      throw new QueryFailure(error)
    }
  }

  /** Begins a transaction and answers its id and server, by which a lost commit is found. */
  private begin({ client, incarnation }: CheckedOut, limits: string): Promise<Begun> {
    return this.orRollBack(client, async () => {
      const requested = this.isShared ? `, ${this.incarnations.sql} AS incarnation` : ""
      const { rows } = await this.command(
        client,
        `BEGIN${limits}; SELECT pg_current_xact_id()::text AS xid${requested}`
      )
      return { incarnation, ...(rows[0] as Pick<Begun, "xid"> & Partial<Begun>) }
    })
  }

  private async orRollBack<A>(client: pg.PoolClient, work: () => Promise<A>): Promise<A> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof QueryFailure && breaksConnection(error))) await this.command(client, "ROLLBACK")
      throw error
    }
  }

  private async commit(
    client: pg.PoolClient,
    { incarnation, xid }: Begun,
    limitMillis: number
  ): Promise<void> {
    try {
      const { command } = await this.command(client, "COMMIT", limitMillis)
      if (command !== "COMMIT") throw new Error("the work went on after a statement of it had failed")
    } catch (error) {
      if (error instanceof QueryFailure && breaksConnection(error))
        throw new LostCommit(error, xid, incarnation)
      throw error
    }
  }

  /** Asks the server about the transaction on another connection. Rejects with `StoreUnavailable` when it can't tell. */
  private async isCommitted({ failure, incarnation, xid }: LostCommit): Promise<boolean> {
    for (const until = performance.now() + askMillis; performance.now() < until; await sleep(100)) {
      const status = await this.statusOf(xid, incarnation)
      if (status === "committed" || status === "aborted") return status === "committed"
      if (status === "unknown") break
    }
    throw unknownCommit(failure)
  }

  private async statusOf(xid: string, incarnation: string | null): Promise<string | null> {
    try {
      return await this.withClient(async (out) => {
        // Another server took over, or this one recovered from a crash: it gives ids again that it gave before to what it lost.
        if (incarnation === null || (!this.isShared && out.incarnation !== incarnation)) return "unknown"
        const row = await this.connection(out.client).get<{ readonly status: string | null }>(
          this.isShared
            ? `SELECT CASE WHEN ${this.incarnations.sql} = $2 THEN pg_xact_status($1::xid8) END AS status`
            : "SELECT pg_xact_status($1::xid8) AS status",
          this.isShared ? [xid, incarnation] : [xid]
        )
        return row?.status ?? "unknown"
      })
    } catch (error) {
      if (error instanceof QueryFailure) return null
      throw error
    }
  }
}

/** Tells a port's failure from what the work threw by itself. */
export const isUnavailable = (error: unknown): error is StoreUnavailable =>
  (error as { readonly _tag?: unknown } | null)?._tag === "@lead-signals/domain/StoreUnavailable"
