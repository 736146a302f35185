import { DeliverySlots } from "@lead-signals/domain"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cases } from "../harness/Thoroughness.ts"

describe("places", () => {
  const limits: DeliverySlots.Limits = {
    total: 20,
    reserved: 6,
    perWebhook: 6,
    failingTotal: 8,
    perFailingWebhook: 2
  }
  const candidate = fc.record({
    webhookId: fc.nat(14).map(String),
    failingSince: fc.constantFrom(null, null, 1),
    dueAt: fc.nat(50),
    due: fc.integer({ min: 1, max: 9 })
  })
  const world = fc.record({
    candidates: fc.uniqueArray(candidate, { selector: ({ webhookId }) => webhookId, maxLength: 14 }),
    under: fc.uniqueArray(fc.tuple(fc.nat(14).map(String), fc.integer({ min: 1, max: 3 })), {
      selector: ([id]) => id,
      maxLength: 6
    }),
    failingUnderWay: fc.nat(8),
    fast: fc.uniqueArray(fc.nat(14).map(String), { maxLength: 6 })
  })

  it("are never more than any limit, none is left that one could use, and the fewest are served first [DELIV-7]", () => {
    let contended = 0
    fc.assert(
      fc.property(world, ({ candidates, failingUnderWay, fast, under }) => {
        const byWebhook = new Map(under)
        const total = [...byWebhook.values()].reduce((sum, n) => sum + n, 0)
        const failingTotal = Math.min(failingUnderWay, total)
        const underWay = { total, failingTotal, byWebhook, fast: new Set(fast) }
        const shares = DeliverySlots.allocate(candidates, limits, underWay)
        const shareOf = (id: string) => shares.get(id) ?? 0
        const hasOf = (id: string) => (byWebhook.get(id) ?? 0) + shareOf(id)
        const dealt = [...shares.values()].reduce((sum, n) => sum + n, 0)
        const failing = candidates.filter((each) => each.failingSince !== null)
        const dealtFailing = failing.reduce((sum, each) => sum + shareOf(each.webhookId), 0)
        if (dealt > 0) expect(total + dealt).toBeLessThanOrEqual(limits.total)
        if (dealtFailing > 0) expect(failingTotal + dealtFailing).toBeLessThanOrEqual(limits.failingTotal)
        const own = (each: (typeof candidates)[number]) =>
          each.failingSince === null ? limits.perWebhook : limits.perFailingWebhook
        for (const each of candidates) {
          const has = hasOf(each.webhookId)
          expect(shareOf(each.webhookId)).toBeLessThanOrEqual(each.due)
          const most = fast.includes(each.webhookId) && each.failingSince === null ? 3 * own(each) : own(each)
          if (shareOf(each.webhookId) > 0) expect(has).toBeLessThanOrEqual(most)
          const free = limits.total - total - dealt - (has === 0 ? 0 : limits.reserved)
          const isHungry = shareOf(each.webhookId) < each.due && has < own(each)
          const mayFail = each.failingSince === null || failingTotal + dealtFailing < limits.failingTotal
          expect(isHungry && mayFail && free > 0).toBe(false)
          if (!isHungry || !mayFail) continue
          contended++
          // Who was given a second place had no more than this one has.
          for (const other of candidates) {
            if (shareOf(other.webhookId) > 0) expect(hasOf(other.webhookId)).toBeLessThanOrEqual(has + 1)
          }
        }
        const listed = DeliverySlots.eligible(candidates, limits, underWay).map(({ webhookId }) => webhookId)
        expect(listed).toEqual(expect.arrayContaining([...shares.keys()]))
        expect(listed.length).toBeLessThanOrEqual(Math.max(0, limits.total - total))
        for (const each of candidates) {
          if (shares.has(each.webhookId)) expect(DeliverySlots.hasFreeSlot(each, limits, underWay)).toBe(true)
        }
      }),
      { numRuns: cases(2000) }
    )
    expect(contended).toBeGreaterThan(100)
  })

  it("are three times as many for a webhook that answers fast, while half of all are free [DELIV-7]", () => {
    const backlog = { webhookId: "fast", failingSince: null, dueAt: 1, due: 50 }
    const dealt = (
      total: number,
      has: number,
      more: Partial<typeof backlog> | { failingSince: number } = {}
    ) => {
      const byWebhook = new Map([["fast", has]])
      const underWay = { total, failingTotal: 0, byWebhook, fast: new Set(["fast"]) }
      return DeliverySlots.allocate([{ ...backlog, ...more }], limits, underWay).get("fast") ?? 0
    }
    expect(dealt(4, 4)).toBe(6)
    expect(dealt(0, 0)).toBe(10)
    expect(dealt(10, 4)).toBe(2)
    expect(dealt(6, 6)).toBe(4)
    expect(dealt(10, 6)).toBe(0)
    expect(dealt(1, 1, { failingSince: 1 })).toBe(1)
    const many = { total: 6, failingTotal: 0, byWebhook: new Map([["fast", 6]]), fast: new Set(["fast"]) }
    expect([...DeliverySlots.allocate([backlog], { ...limits, total: 100 }, many)]).toEqual([["fast", 12]])
  })

  const waiting = (webhookId: string, dueAt: number) => ({ webhookId, failingSince: null, dueAt, due: 50 })

  it("go first to who has waited longest among those that have none [DELIV-7]", () => {
    const candidates = ["a", "b", "c"].map((id, i) => waiting(id, 9 - i))
    const underWay = { total: 18, failingTotal: 0, byWebhook: new Map() }
    expect([...DeliverySlots.allocate(candidates, limits, underWay)]).toEqual([
      ["c", 1],
      ["b", 1]
    ])
  })

  it("are left for one with nothing under way by old backlogs, also when all of those began to hang at once [DELIV-7]", () => {
    const backlogs = Array.from({ length: 40 }, (_, i) => waiting(`slow-${i}`, i))
    const first = DeliverySlots.allocate(backlogs, DeliverySlots.defaultLimits, {
      total: 0,
      failingTotal: 0,
      byWebhook: new Map()
    })
    const total = [...first.values()].reduce((sum, n) => sum + n, 0)
    expect(total).toBe(DeliverySlots.defaultLimits.total - DeliverySlots.defaultLimits.reserved)
    const underWay = { total, failingTotal: 0, byWebhook: first }
    const then = DeliverySlots.allocate(
      [...backlogs, waiting("new", 1000)],
      DeliverySlots.defaultLimits,
      underWay
    )
    expect([...then]).toEqual([["new", 1]])
  })
})
