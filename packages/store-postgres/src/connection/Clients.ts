/** Clients of a pool: the store's own, or one that a host has. */
import pg from "pg"
import { breaksAllConnections, breaksConnection, QueryFailure, refusesWrites } from "./Failures.ts"

/** A pool as `pg` has it, or another with the same methods. */
export type ClientPool = Pick<pg.Pool, "connect" | "on">

/** A client that a transaction has for itself. */
export interface CheckedOut {
  readonly client: pg.PoolClient
  /** Changes when another server takes over, or this one starts again; null where the server does not say. */
  readonly incarnation: string | null
  /** Gives the client back. The failure that ended its work, if one did, says whether it or all clients are closed. */
  readonly release: (failure: QueryFailure | null) => void
}

const ignore = (): void => {}

/**
 * Keeps a lost connection from ending the process, as an error event of a client without a listener does. The pool adds the listener to each
 * new client before it hands it out: a server that shuts down can send its error together with the last message of the connection's start.
 * The next statement of whoever uses the client fails. [HEALTH-2]
 */
export const ignoreLosses = (pool: ClientPool): void => {
  pool.on("error", ignore)
  pool.on("connect", (client) => client.on("error", ignore))
}

/**
 * Milliseconds between two looks for another server while this one is read-only: each makes all connections anew, however many writes
 * are refused meanwhile.
 */
const readOnlyMillis = 1000

/** What is known of a client since it was connected. */
interface Session {
  readonly generation: number
  readonly incarnation: string | null
}

/** Checks clients out of a pool, and closes those that were connected before the last failure of the server. */
export class Clients {
  /** Counts failures that concern every client. */
  private generation = 0
  /** When all clients were last closed because the server is read-only, by `performance.now()`. */
  private leftReadOnlyAt = Number.NEGATIVE_INFINITY
  private readonly sessions = new WeakMap<pg.PoolClient, Session>()

  /** `onConnected` runs once on each new client, before its first transaction, and answers the server's incarnation. */
  private readonly pool: ClientPool
  private readonly onConnected: (client: pg.PoolClient) => Promise<string | null>

  constructor(pool: ClientPool, onConnected: (client: pg.PoolClient) => Promise<string | null>) {
    this.pool = pool
    this.onConnected = onConnected
    ignoreLosses(pool)
  }

  /** Fails with `QueryFailure`. */
  async checkOut(): Promise<CheckedOut> {
    for (;;) {
      const client = await this.connect()
      const session = this.sessions.get(client) ?? (await this.begin(client))
      if (session.generation === this.generation) {
        return {
          client,
          incarnation: session.incarnation,
          release: (failure) => this.release(client, failure)
        }
      }
      client.release(true)
    }
  }

  private async connect(): Promise<pg.PoolClient> {
    try {
      return await this.pool.connect()
    } catch (error) {
      throw new QueryFailure(error)
    }
  }

  private async begin(client: pg.PoolClient): Promise<Session> {
    // A host's pool can have connected it before.
    client.on("error", ignore)
    const { generation } = this
    try {
      const session = { generation, incarnation: await this.onConnected(client) }
      this.sessions.set(client, session)
      return session
    } catch (error) {
      client.release(true)
      throw new QueryFailure(error)
    }
  }

  private release(client: pg.PoolClient, failure: QueryFailure | null): void {
    const isOfNow = this.sessions.get(client)!.generation === this.generation
    // One that was connected before says nothing about those that were connected since.
    const isOver = isOfNow && failure !== null && this.endsGeneration(failure)
    if (isOver) this.generation++
    if (isOver || !isOfNow || (failure !== null && breaksConnection(failure))) client.release(true)
    else client.release()
  }

  private endsGeneration(failure: QueryFailure): boolean {
    if (!refusesWrites(failure)) return breaksAllConnections(failure)
    const now = performance.now()
    if (now - this.leftReadOnlyAt < readOnlyMillis) return false
    this.leftReadOnlyAt = now
    return true
  }
}
