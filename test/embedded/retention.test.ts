/** Retention of a host: an option of `createLeadSignals`. */
import {
  AuditLog,
  AuditRetention,
  Brands,
  Pruning,
  recordInOneCommit,
  Retention,
  Signals
} from "@lead-signals/domain"
import { createLeadSignals } from "@lead-signals/embedded"
import { webCrypto } from "@lead-signals/http"
import { SettableClock } from "@lead-signals/store-contract"
import * as MemoryStore from "@lead-signals/store-memory"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"

const day = 86_400_000
const ago = (days: number): number => Date.now() - days * day

/** A memory whose one engagement was recorded 40 days ago. */
const filled = async () => {
  const memory = new MemoryStore.Memory()
  const { brandId, signalId } = await Effect.gen(function* () {
    const brand = yield* Brands.create("B")
    const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
    const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
    yield* recordInOneCommit(brand, [
      { signalId: signal.id, person: { extId: "p", name: "Ada" }, engagement: { id: "e1" } }
    ])
    return { brandId: brand.id, signalId: signal.id }
  }).pipe(
    new SettableClock(ago(40)).provide,
    Effect.provide(MemoryStore.layerOver(memory)),
    Effect.provide(webCrypto),
    Effect.runPromise
  )
  const seen = (id: string, trackedAt: number) => ({
    signalId,
    person: { extId: "p", name: "Ada" },
    engagement: { id, trackedAt: new Date(trackedAt).toISOString() }
  })
  return { brandId, seen, store: MemoryStore.layerOver(memory) }
}

const newestPruned = Effect.flatMap(Pruning, (pruning) => pruning.newestPrunedEvent)

describe("the option retention", () => {
  it("removes what is due in the background, and rejects what is older [RET-1, RET-4, RET-8]", async () => {
    const { brandId, seen, store } = await filled()
    const retention = { ...Retention.defaults, engagements: 30 * day }
    const service = await createLeadSignals({ store, retention })
    await expect.poll(() => service.run(newestPruned)).toBeGreaterThan(0)
    const outcomes = await service.observe(brandId, [seen("e2", ago(31)), seen("e3", ago(29))])
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["rejected", "recorded"])
    await service.close()
  })

  it("removes Idempotency-Keys after their day [IDEM-6]", async () => {
    const memory = new MemoryStore.Memory()
    const createdAt = ago(1) - 1
    memory.idempotencyRecords.set("old", {
      id: "old",
      actor: "environment",
      fingerprint: "",
      holder: "",
      state: "answered",
      createdAt,
      leaseUntil: createdAt,
      answer: ""
    })
    const service = await createLeadSignals({
      store: MemoryStore.layerOver(memory),
      retention: Retention.defaults
    })
    await expect.poll(() => memory.idempotencyRecords.size).toBe(0)
    await service.close()
  })

  it.each([
    ["a year with retention", { retention: Retention.defaults }, 1],
    ["as long as auditRetention says", { auditRetention: 30 * day }, 0],
    ["for ever with null", { retention: Retention.defaults, auditRetention: null }, 2]
  ])("keeps the audit log %s [AUD-5]", async (_, options, left) => {
    const memory = new MemoryStore.Memory()
    const store = MemoryStore.layerOver(memory)
    const entry = {
      actor: { type: "environment" as const, id: null },
      viaSession: false,
      operation: "createBrand",
      brandId: null,
      subjectId: null,
      status: 201
    }
    await Effect.forEach([AuditRetention.defaultMillis + day, 31 * day], (age) =>
      Effect.flatMap(AuditLog, (log) => log.append({ ...entry, at: Date.now() - age }))
    ).pipe(Effect.provide(store), Effect.runPromise)
    const service = await createLeadSignals({ store, ...options })
    const list = Effect.flatMap(AuditLog, (log) =>
      log.list({ brandIds: null, since: null, after: null, limit: 10 })
    )
    const entryCount = async () => (await service.run(list)).length
    await expect.poll(entryCount).toBe(left)
    await service.close()
  })

  it("is off unless it is given: nothing is removed or rejected [RET-1]", async () => {
    const { brandId, seen, store } = await filled()
    const service = await createLeadSignals({ store })
    expect((await service.observe(brandId, [seen("e2", ago(4000))]))[0]!.outcome).toBe("recorded")
    await new Promise((resolve) => setTimeout(resolve, 1200))
    expect(await service.run(newestPruned)).toBe(0)
    await service.close()
  })

  it("takes a time or null for the audit log, and names the option otherwise [AUD-5]", async () => {
    await expect(createLeadSignals({ store: MemoryStore.layer, auditRetention: 1000 })).rejects.toMatchObject(
      {
        parameter: "auditRetention",
        message: expect.stringContaining("milliseconds from 60000")
      }
    )
  })

  it.each([
    ["a number", 30],
    ["no kinds", {}],
    ["a kind that there is not", { ...Retention.defaults, lead: 1e9 }],
    ["a time that is too short", { ...Retention.defaults, leads: 1000 }]
  ])("refuses %s by its name", async (_, retention) => {
    await expect(
      createLeadSignals({ store: MemoryStore.layer, retention: retention as Retention.Retention })
    ).rejects.toMatchObject({
      parameter: "retention",
      message: expect.stringContaining("milliseconds from 60000")
    })
  })
})
