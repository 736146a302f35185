/** A Postgres that goes down just as it has taken a connection. */
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

/** The bytes in which a server takes a connection, and ends it since its postmaster is gone. */
const takenAndClosed = Buffer.concat([
  message("R", Buffer.alloc(4)),
  message("Z", Buffer.from("I")),
  message("E", Buffer.from("SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0"))
])

const server = createServer((socket) => {
  socket.on("error", () => {})
  socket.once("data", () => socket.end(takenAndClosed))
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

describe("a server that goes down in the bytes that end the beginning of a connection", () => {
  it("fails what wanted the connection, and leaves the process alone [HEALTH-2]", async () => {
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
