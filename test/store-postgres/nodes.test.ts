/** What several nodes on one Postgres share: the places of a webhook, the budget of a key, and the database's time. */
import {
  Brands,
  Keys,
  Outbox,
  RateLimit,
  RateWindows,
  recordObservations,
  Signals,
  type StorePorts,
  Webhooks,
  WebhookTargets
} from "@lead-signals/domain"
import { webCrypto } from "@lead-signals/http"
import * as PostgresStore from "@lead-signals/store-postgres"
import { Effect, Layer, ManagedRuntime } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { makeSchema } from "../harness/MadeSchema.ts"
import { isWithoutPostgres } from "../harness/Postgres.ts"
import { newSchema, sharedDatabase } from "./Databases.ts"

const anyTarget = Layer.succeed(WebhookTargets, { check: (url: string) => Effect.succeed(url) })
const runtimeOf = (store: Layer.Layer<StorePorts, unknown>) =>
  ManagedRuntime.make(Layer.mergeAll(store, webCrypto, anyTarget))
type Node = ReturnType<typeof runtimeOf>

describe.skipIf(isWithoutPostgres)("nodes on one Postgres", () => {
  const schema = newSchema()
  let nodes: ReadonlyArray<Node>
  beforeAll(async () => {
    const url = await sharedDatabase()
    await makeSchema(url, schema)
    nodes = [0, 1].map(() =>
      runtimeOf(PostgresStore.layer({ url, schema, maxConnections: 6, notifications: false }))
    )
    for (const node of nodes) await node.runPromise(Effect.void)
  })
  afterAll(async () => {
    for (const node of nodes ?? []) await node.dispose()
  })

  /** A brand with a webhook that has so many deliveries due. */
  const withDue = (count: number) =>
    Effect.gen(function* () {
      const brand = yield* Brands.create("B")
      const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
      const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
      const events = ["activity.detected" as const]
      const webhook = yield* Webhooks.create(brand.id, { url: "u", events, description: null, enabled: true })
      const observations = Array.from({ length: count }, (_, i) => ({
        signalId: signal.id,
        person: { extId: `p${i}`, name: "N" },
        engagement: { id: `e${i}` }
      }))
      yield* recordObservations(brand, observations)
      return { brand, webhook }
    })

  const lease = (emitter: string, call: number, byWebhook: ReadonlyMap<string, number> = new Map()) =>
    Effect.flatMap(Outbox, (outbox) =>
      outbox.lease({
        token: `${emitter}-${call}`,
        emitter,
        leaseMillis: 30_000,
        limits: { total: 100, reserved: 0, perWebhook: 8, failingTotal: 100, perFailingWebhook: 2 },
        underWay: { total: 0, failingTotal: 0, byWebhook },
        body: ({ deliveryId }) => deliveryId
      })
    )

  it("keep to the limit of a webhook together, also when they lease at once [DELIV-7]", async () => {
    const { brand, webhook } = await nodes[0]!.runPromise(withDue(40))
    const leased = await Promise.all(
      Array.from({ length: 8 }, (_, i) => nodes[i % 2]!.runPromise(lease(`emitter${i}`, 1)))
    )
    const taken = leased.flatMap(({ leases }) => leases.map(({ deliveryId }) => deliveryId))
    expect([taken.length, new Set(taken).size]).toEqual([8, 8])
    const owner = leased.findIndex(({ leases }) => leases.length > 0)
    const has = leased[owner]!.leases.length
    // Its own leases are counted by the emitter alone, in `underWay`.
    const more = await nodes[0]!.runPromise(lease(`emitter${owner}`, 2, new Map([[webhook.id, has]])))
    expect(more.leases).toHaveLength(0)
    const own = await nodes[0]!.runPromise(lease(`emitter${owner}`, 3, new Map([[webhook.id, has - 1]])))
    expect(own.leases).toHaveLength(1)
    await nodes[0]!.runPromise(Webhooks.remove(brand.id, webhook.id))
  })

  it.each([10, 60, 1000])(
    "let no more through than a limit of %i, whichever node is asked [RATE-3, RATE-5]",
    async (limit) => {
      const keyId = await nodes[0]!.runPromise(
        Effect.gen(function* () {
          const brand = yield* Brands.create("B")
          return (yield* Keys.create(brand.id, { label: "k", requestsPerMinute: limit })).key.id
        })
      )
      const now = Date.now()
      const decide = Effect.flatMap(RateWindows, (windows) =>
        windows.step(keyId, (window) => RateLimit.spend(window, limit, now))
      )
      const decisions = await Promise.all(
        Array.from({ length: limit + 50 }, (_, i) => nodes[i % 2]!.runPromise(decide))
      )
      const allowed = decisions.filter((decision) => decision.allowed).length
      // What one node has taken ahead the other can't spend: one in fifty of the limit at most, and none of a limit below 100.
      expect(allowed).toBeLessThanOrEqual(limit)
      expect(allowed).toBeGreaterThanOrEqual(limit < 100 ? limit : limit - limit / 50)
    }
  )

  it("ask the database once for so many requests as they take ahead [RATE-5]", async () => {
    const client = new pg.Client({ connectionString: await sharedDatabase() })
    await client.connect()
    /** How often the window in the database changes with twenty requests after a first one. */
    const changes = async (): Promise<number> => {
      const keyId = await nodes[0]!.runPromise(
        Effect.gen(function* () {
          const brand = yield* Brands.create("B")
          return (yield* Keys.create(brand.id, { label: "k", requestsPerMinute: 1000 })).key.id
        })
      )
      const used = new Set<number>()
      for (let request = 0; request <= 20; request++) {
        await nodes[0]!.runPromise(
          Effect.flatMap(RateWindows, (windows) =>
            windows.step(keyId, (window, now) => RateLimit.spend(window, 1000, now))
          )
        )
        const { rows } = await client.query(`SELECT used FROM ${schema}.rate_window WHERE key_id = $1`, [
          keyId
        ])
        used.add(rows[0].used)
      }
      return used.size - 1
    }
    // On a busy machine what is taken ahead can grow too old meanwhile.
    await expect.poll(changes).toBe(0)
    await client.end()
  })

  it("count a window that another node's clock began a moment later as one that is open [RATE-3]", async () => {
    const keyId = await nodes[0]!.runPromise(
      Effect.gen(function* () {
        const brand = yield* Brands.create("B")
        return (yield* Keys.create(brand.id, { label: "k", requestsPerMinute: 5 })).key.id
      })
    )
    const at = (millis: number) =>
      Effect.flatMap(RateWindows, (windows) =>
        windows.step(keyId, (window, now) => RateLimit.spend(window, 5, now + millis))
      )
    for (let i = 0; i < 5; i++) await nodes[1]!.runPromise(at(500))
    const refused = await nodes[0]!.runPromise(at(0))
    expect(refused.allowed).toBe(false)
  })
})

describe("the database's clock", () => {
  const measured = (offsets: ReadonlyArray<readonly [ahead: number, roundTrip: number]>) => {
    const clock = new PostgresStore.DatabaseClock()
    for (const [ahead, roundTrip] of offsets) {
      // The server reads its clock at the middle of the round trip.
      const answered = performance.now()
      clock.measured(Date.now() + ahead - roundTrip / 2, answered - roundTrip, answered)
    }
    return clock
  }

  it("shows the machine's time before it is measured, and the database's afterwards", () => {
    expect(Math.abs(new PostgresStore.DatabaseClock().unsafeCurrentTimeMillis() - Date.now())).toBeLessThan(
      1000
    )
    const clock = measured([[600_000, 10]])
    expect(Math.abs(clock.unsafeCurrentTimeMillis() - Date.now() - 600_000)).toBeLessThan(1000)
    expect(Math.abs(clock.offsetMillis! - 600_000)).toBeLessThan(1000)
  })

  it("keeps the measurement of the shortest round trip, until another rules it out", () => {
    const clock = measured([
      [5000, 10],
      [5400, 900]
    ])
    expect(Math.abs(clock.offsetMillis! - 5000)).toBeLessThan(50)
    clock.measured(Date.now() + 9000, performance.now() - 900, performance.now())
    expect(clock.offsetMillis!).toBeGreaterThan(8000)
  })

  it("never goes back by a small correction, and follows a large one", () => {
    const clock = measured([[10_000, 2]])
    const before = clock.unsafeCurrentTimeMillis()
    const now = performance.now()
    clock.measured(Date.now() + 9500, now - 2, now)
    expect(clock.unsafeCurrentTimeMillis()).toBeGreaterThanOrEqual(before)
    clock.measured(Date.now() - 60_000, performance.now() - 2, performance.now())
    expect(clock.unsafeCurrentTimeMillis()).toBeLessThan(before - 50_000)
  })

  it.each([
    [1000, 0],
    [1001, 1001]
  ])("goes back by %i ms at once only where that is more than a second", (correction, back) => {
    const machine = vi.spyOn(performance, "now").mockReturnValue(5000)
    const clock = new PostgresStore.DatabaseClock()
    clock.measured(100_000, 5000, 5000)
    expect(clock.unsafeCurrentTimeMillis()).toBe(100_000)
    clock.measured(100_000 - correction, 5000, 5000)
    expect(clock.unsafeCurrentTimeMillis()).toBe(100_000 - back)
    machine.mockRestore()
  })

  it("measures durations by the machine's own clock, whatever the database's time becomes [CHG-6]", async () => {
    const clock = measured([[0, 2]])
    const [before, began] = [clock.unsafeCurrentTimeNanos(), performance.now()]
    for (const ahead of [3_600_000, -3_600_000]) {
      clock.measured(Date.now() + ahead, performance.now() - 2, performance.now())
      const elapsed = Number((await Effect.runPromise(clock.currentTimeNanos)) - before) / 1e6
      expect(elapsed).toBeGreaterThanOrEqual(0)
      expect(elapsed).toBeLessThan(performance.now() - began + 1000)
    }
  })
})
