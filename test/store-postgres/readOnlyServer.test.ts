/** Connections to a server that refuses writes are left for new ones, which reach the server that took over; once a second at most. */
import { Clients, QueryFailure } from "@lead-signals/store-postgres/internal"
import type pg from "pg"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"

/** A pool that gives its clients out again until they are closed. */
const fakePool = () => {
  const idle: Array<pg.PoolClient> = []
  let connected = 0
  const connect = async (): Promise<pg.PoolClient> => {
    const known = idle.pop()
    if (known !== undefined) return known
    connected++
    const client = {
      on: () => client,
      release: (isClosed?: boolean) => {
        if (isClosed !== true) idle.push(client)
      }
    } as unknown as pg.PoolClient
    return client
  }
  return { pool: { connect, on: () => {} } as unknown as pg.Pool, connected: () => connected }
}

const failureOf = (code: string) => new QueryFailure({ code, severity: "ERROR" })

describe("clients of a server that refuses writes", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["performance"] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const refuseWrites = async (clients: Clients, count: number): Promise<void> => {
    for (let n = 0; n < count; n++) (await clients.checkOut()).release(failureOf("25006"))
  }

  it("are all connected anew by the first refusal, and by no other within a second", async () => {
    const { connected, pool } = fakePool()
    const clients = new Clients(pool, async () => null)
    const three = [await clients.checkOut(), await clients.checkOut(), await clients.checkOut()]
    for (const { release } of three) release(null)
    expect(connected()).toBe(3)
    await refuseWrites(clients, 1)
    // The two that were idle are closed when they are next taken.
    const again = [await clients.checkOut(), await clients.checkOut(), await clients.checkOut()]
    for (const { release } of again) release(null)
    expect(connected()).toBe(6)
    await refuseWrites(clients, 500)
    expect(connected()).toBe(6)
    vi.advanceTimersByTime(1001)
    await refuseWrites(clients, 500)
    const last = [await clients.checkOut(), await clients.checkOut(), await clients.checkOut()]
    for (const { release } of last) release(null)
    expect(connected()).toBe(9)
  })

  it("are connected anew by each lost connection, however soon", async () => {
    const { connected, pool } = fakePool()
    const clients = new Clients(pool, async () => null)
    for (let n = 1; n <= 5; n++) {
      ;(await clients.checkOut()).release(failureOf("57P01"))
      expect(connected()).toBe(n)
    }
  })
})
