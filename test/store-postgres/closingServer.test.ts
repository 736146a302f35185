/** A Postgres that ends a connection in the packet that accepts it, as it does when it goes down at that moment. */
import { Clients, makeTables } from "@lead-signals/store-postgres/internal"
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const message = (type: string, body: Buffer): Buffer => {
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}

/** The messages in which a server accepts a connection, and ends it because its postmaster is gone. */
const acceptedAndEnded = Buffer.concat([
  message("R", Buffer.alloc(4)),
  message("Z", Buffer.from("I")),
  message("E", Buffer.from("SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0"))
])

const server = createServer((socket) => {
  socket.on("error", () => {})
  socket.once("data", () => socket.end(acceptedAndEnded))
})
const thrown: Array<unknown> = []
const note = (error: unknown): void => {
  thrown.push(error)
}
let url = ""

beforeAll(async () => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  url = `postgres://127.0.0.1:${(server.address() as AddressInfo).port}/none`
  process.on("uncaughtException", note)
})
afterAll(() => {
  process.off("uncaughtException", note)
  server.close()
})

describe("a server that ends a connection in the packet that accepts it", () => {
  it("fails the calls that wait for the connection, and does not end the process [HEALTH-2]", async () => {
    const pool = new pg.Pool({ connectionString: url })
    const clients = new Clients(pool, async (client) => {
      await client.query("SELECT 1")
      return null
    })
    await expect(clients.checkOut()).rejects.toThrow()
    await expect(makeTables(url, "lead_signals")).rejects.toThrow()
    await pool.end()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(thrown).toEqual([])
  })
})
