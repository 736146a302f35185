/** A proxy in front of Postgres that cuts connections at chosen moments, as a network does. */
import { connect, createServer, type Socket } from "node:net"
import type { AddressInfo } from "node:net"

/**
 * `before-commit`: the next COMMIT does not reach the server. `after-commit`: the server gets it and commits, and its answer is lost.
 * `hold`: nothing passes in either direction, and the connection stays, as with a cable that was pulled.
 */
export type Cut = "before-commit" | "after-commit" | "hold"

export interface PostgresProxy {
  readonly url: string
  /** How many connections have been cut. */
  readonly cuts: () => number
  /** What happens at the next commit, once; null: nothing. */
  readonly cutNext: (cut: Cut | null) => void
  /** Cuts all connections now, and refuses new ones until `accept(true)`. */
  readonly accept: (isAccepting: boolean) => void
  /** Leads new connections to another server, and cuts those that there are. */
  readonly lead: (target: string) => void
  readonly close: () => Promise<void>
}

/** Whether the client's messages hold a COMMIT: as a simple query, or as the text of a parsed statement. */
const commits = (bytes: Buffer): boolean => bytes.includes("COMMIT\0")

export const startPostgresProxy = async (target: string): Promise<PostgresProxy> => {
  const { password, pathname, username } = new URL(target)
  let { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let next: Cut | null = null
  let cuts = 0
  let isAccepting = true
  const server = createServer((client) => {
    if (!isAccepting) {
      client.destroy()
      return
    }
    const upstream = connect(Number(port), hostname)
    const both = [client, upstream]
    for (const socket of both) {
      socket.setNoDelay(true)
      open.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => {
        open.delete(socket)
        for (const other of both) other.destroy()
      })
    }
    const cut = (): void => {
      cuts++
      for (const socket of both) socket.destroy()
    }
    let isAnswerLost = false
    let isHeld = false
    client.on("data", (bytes) => {
      if (isHeld) return
      if (next === null || !commits(bytes)) {
        upstream.write(bytes)
        return
      }
      const chosen = next
      next = null
      if (chosen === "hold") {
        cuts++
        isHeld = true
        return
      }
      if (chosen === "before-commit") return cut()
      isAnswerLost = true
      upstream.write(bytes)
    })
    upstream.on("data", (bytes) => {
      if (isHeld) return
      if (isAnswerLost) cut()
      else client.write(bytes)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const own = (server.address() as AddressInfo).port
  const user = `${username}${password === "" ? "" : `:${password}`}`
  return {
    url: `postgres://${user}@127.0.0.1:${own}${pathname}`,
    cuts: () => cuts,
    cutNext: (cut) => (next = cut),
    accept: (accepting) => {
      isAccepting = accepting
      if (!accepting) for (const socket of open) socket.destroy()
    },
    lead: (other) => {
      ;({ hostname, port } = new URL(other))
      for (const socket of open) socket.destroy()
    },
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}
