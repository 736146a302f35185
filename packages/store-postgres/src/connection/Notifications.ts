/**
 * Tells the other nodes that deliveries are due. A connection of its own listens and notifies, and is made again when it is lost: a
 * NOTIFY within a commit would let commits wait for each other. A notification can be lost; emitters look every second all the same.
 */
import pg from "pg"
import { randomUUID } from "node:crypto"

/** Milliseconds within which further commits share a notification. */
const debounceMillis = 20
/** Milliseconds from a lost connection to the next one, at least and at most. */
const retryMillis = [250, 10_000] as const

/** Milliseconds within which the server ends the connection, before it is cut. */
const endMillis = 1000

/** Tells other nodes of deliveries, and hears of theirs. */
export interface Notifications {
  /** Tells the others; never fails. */
  readonly announce: () => void
  /** Ends the connection, which takes a second at most. */
  readonly close: () => Promise<void>
}

/** Listens at the database. `onQueued` runs when another node announces. */
export const listen = (config: pg.ClientConfig, channel: string, onQueued: () => void): Notifications => {
  const own = randomUUID()
  let client: pg.Client | null = null
  let isClosed = false
  let wait: number = retryMillis[0]
  let retry: NodeJS.Timeout | undefined
  let pending: NodeJS.Timeout | undefined

  const connect = async (): Promise<void> => {
    const made = new pg.Client(config)
    const lost = (): void => {
      if (client === made) client = null
      made.removeAllListeners()
      made.on("error", () => {})
      void made.end().catch(() => {})
      if (isClosed || retry !== undefined) return
      retry = setTimeout(() => {
        retry = undefined
        void connect()
      }, wait)
      retry.unref()
      wait = Math.min(2 * wait, retryMillis[1])
    }
    made.on("error", lost)
    made.on("end", lost)
    made.on("notification", ({ payload }) => {
      if (payload !== own) onQueued()
    })
    try {
      await made.connect()
      await made.query(`LISTEN ${pg.escapeIdentifier(channel)}`)
      if (isClosed) return lost()
      client = made
      wait = retryMillis[0]
      // What was announced meanwhile was not heard.
      onQueued()
    } catch {
      lost()
    }
  }

  void connect()
  return {
    announce: () => {
      pending ??= setTimeout(() => {
        pending = undefined
        client?.query("SELECT pg_notify($1, $2)", [channel, own]).catch(() => {})
      }, debounceMillis)
    },
    close: async () => {
      isClosed = true
      clearTimeout(retry)
      clearTimeout(pending)
      if (client === null) return
      // The server may be silent: nothing then answers the end of the connection.
      const { connection } = client
      const ended = client.end().catch(() => {})
      const late = setTimeout(() => connection.stream.destroy(), endMillis)
      await ended
      clearTimeout(late)
    }
  }
}
