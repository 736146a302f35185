/**
 * The store's work within a transaction that the host has begun on a client of its own: each piece is a savepoint, so that one that fails
 * leaves the host's transaction as it was. Nothing is committed here, and nothing runs again.
 */
import type pg from "pg"
import type { StoreKeys } from "../sealing/StoreKeys.ts"
import { type Connection, connectionOf } from "./Connection.ts"
import { QueryFailure, unavailable } from "./Failures.ts"
import type { StatementTexts } from "./StatementTexts.ts"
import { longWriteMillis, type Transactor, type WriteOptions } from "./Transactions.ts"

/** Bounds of what runs in a host's transaction. */
export interface HostTransactionOptions {
  readonly statementTimeoutMillis: number
  /** Settings that statements of the store change for their transaction. The host's have their values back afterwards. */
  readonly settings: ReadonlyArray<string>
  /** The keys under which the database is encrypted; null where it is not. */
  readonly keys: StoreKeys | null
}

const savepoint = "lead_signals"

/** Runs each piece of work within the transaction that the host has begun. */
export class HostTransaction implements Transactor {
  private readonly client: pg.ClientBase
  private readonly connection: Connection
  /** For writes whose number of rows has no bound. */
  private readonly longConnection: Connection
  private readonly settings: ReadonlyArray<string>
  /** Ends when the pieces before have ended: savepoints of two pieces at once would enclose each other. */
  private last: Promise<unknown> = Promise.resolve()

  constructor(
    client: pg.ClientBase,
    texts: StatementTexts,
    { keys, settings, statementTimeoutMillis }: HostTransactionOptions
  ) {
    this.client = client
    this.connection = connectionOf(client, texts, statementTimeoutMillis, keys)
    this.longConnection = connectionOf(client, texts, longWriteMillis, keys)
    this.settings = settings
  }

  read<A>(work: (sql: Connection) => Promise<A>): Promise<A> {
    return this.piece(work)
  }

  readSnapshot<A>(work: (sql: Connection) => Promise<A>): Promise<A> {
    return this.piece(work)
  }

  write<A>(work: (sql: Connection) => Promise<A>, { isLong = false }: WriteOptions = {}): Promise<A> {
    return this.piece(work, isLong ? this.longConnection : this.connection)
  }

  private piece<A>(work: (sql: Connection) => Promise<A>, connection = this.connection): Promise<A> {
    const run = () => this.withinSavepoint(() => work(connection))
    const piece = this.last.then(run, run)
    this.last = piece.catch(() => {})
    return piece
  }

  private async command(text: string): Promise<ReadonlyArray<Record<string, string>>> {
    try {
      const found: pg.QueryResult | ReadonlyArray<pg.QueryResult> = await this.client.query(text)
      return (Array.isArray(found) ? found.at(-1) : found).rows
    } catch (error) {
      throw new QueryFailure(error)
    }
  }

  private async withinSavepoint<A>(work: () => Promise<A>): Promise<A> {
    try {
      const names = this.settings.map((name, i) => `current_setting('${name}') AS s${i}`).join(", ")
      const [before] = await this.command(`SAVEPOINT ${savepoint}; SELECT ${names}`)
      const result = await this.orRollBack(work)
      const restored = this.settings.map(
        (name, i) => `set_config('${name}', ${this.client.escapeLiteral(before![`s${i}`]!)}, true)`
      )
      await this.command(`SELECT ${restored.join(", ")}; RELEASE SAVEPOINT ${savepoint}`)
      return result
    } catch (error) {
      throw error instanceof QueryFailure ? unavailable(error) : error
    }
  }

  private async orRollBack<A>(work: () => Promise<A>): Promise<A> {
    try {
      return await work()
    } catch (error) {
      await this.command(`ROLLBACK TO SAVEPOINT ${savepoint}; RELEASE SAVEPOINT ${savepoint}`)
      throw error
    }
  }
}
