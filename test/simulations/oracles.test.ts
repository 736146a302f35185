/** How the oracles count what they judge, and that none of them is silent. */
import { inputOf, run, scenarioNamed, simulate, summedChecks, weakenedShare } from "@lead-signals/simulations"
import { leftWithoutPlace, tooManyPlaces } from "@lead-signals/simulations/internal"
import { describe, expect, it } from "vitest"
import { nextTick } from "../harness/EventLoop.ts"
import { isThorough } from "../harness/Thoroughness.ts"

const swarm = scenarioNamed("swarm")!

/** Rules that only hosts are judged by, whose store nobody sees, or several processes. */
const ofOthers = /host|owner|receiver sees|several processes/

describe("the places of a lease", () => {
  const limits = { total: 10, reserved: 4, perWebhook: 3, failingTotal: 4, perFailingWebhook: 2 }
  const wrong = (
    failingSince: number | null,
    {
      failing = 0,
      given,
      of = given,
      has = 0,
      total = has
    }: Partial<Record<string, number>> & { given: number },
    fast = new Set<string>()
  ) =>
    tooManyPlaces({ id: "1", failingSince } as Parameters<typeof tooManyPlaces>[0], {
      limits,
      underWay: { total, failingTotal: failing, byWebhook: new Map([["1", has]]), fast },
      given: of,
      givenToFailing: failingSince === null ? 0 : given,
      givenToWebhook: given
    })

  it("are at most those of each limit [DELIV-7]", () => {
    expect(wrong(null, { given: 3 })).toBe(null)
    expect(wrong(null, { given: 3, has: 1 })).toBe("webhook 1 has 4 places of 3")
    expect(wrong(7, { given: 2 })).toBe(null)
    expect(wrong(7, { given: 2, has: 1 })).toBe("webhook 1 has 3 places of 2")
    expect(wrong(null, { given: 1, total: 9 })).toBe(null)
    expect(wrong(null, { given: 1, total: 10 })).toBe("webhooks have 11 places of 10")
    expect(wrong(null, { given: 1, has: 1, total: 5 })).toBe(null)
    expect(wrong(null, { given: 1, has: 1, total: 6 })).toBe("webhooks have 7 places of 6")
    expect(wrong(7, { given: 1, failing: 3 })).toBe(null)
    expect(wrong(7, { given: 1, failing: 4 })).toBe("failing webhooks have 5 places of 4")
  })

  it("are ahead for a webhook that answers fast while fewer than half of all are taken [DELIV-7]", () => {
    const fast = new Set(["1"])
    expect(wrong(null, { given: 1, has: 3, total: 4 }, fast)).toBe(null)
    expect(wrong(null, { given: 1, has: 3, total: 5 }, fast)).toBe("webhook 1 has 4 places of 3")
    expect(wrong(null, { given: 1, of: 2, has: 3, total: 4 }, fast)).toBe("webhook 1 has 4 places of 3")
    expect(wrong(null, { given: 5 }, fast)).toBe(null)
    expect(wrong(null, { given: 6 }, fast)).toBe("webhook 1 has 6 places of 3")
  })

  type Webhook = Parameters<typeof leftWithoutPlace>[0]
  const due = { state: "pending", due: { from: 5, to: 5 }, isOrdered: false }
  const left = (webhook: object, { given, total }: { readonly given: number; readonly total: number }) =>
    leftWithoutPlace(
      {
        id: "1",
        enabled: true,
        failingSince: null,
        sending: { maxBatch: 1 },
        deliveries: [{ ...due, state: "delivered", due: null }, due],
        ...webhook
      } as unknown as Webhook,
      {
        limits,
        underWay: { total, failingTotal: 0, byWebhook: new Map() },
        given,
        givenToFailing: 0,
        givenToWebhook: 0
      },
      5
    )

  it("are left free by no webhook that has something due, and none yet [DELIV-7]", () => {
    expect(left({}, { given: 0, total: 0 })).toBe(due)
    expect(left({}, { given: 2, total: 7 })).toBe(due)
    expect(left({}, { given: 3, total: 7 })).toBe(undefined)
    expect(left({ enabled: false }, { given: 0, total: 0 })).toBe(undefined)
    expect(left({ deliveries: [{ ...due, due: { from: 5, to: 6 } }] }, { given: 0, total: 0 })).toBe(
      undefined
    )
  })
})

describe("oracles", () => {
  it("count what they judge, and sum it over runs", () => {
    const one = { oracle: "a", rule: "r", judged: 3, weakened: { killed: 1 } }
    const other = { oracle: "a", rule: "r", judged: 4, weakened: { killed: 1, paused: 1 } }
    expect(summedChecks([[one], [other]])).toEqual([
      { oracle: "a", rule: "r", judged: 7, weakened: { killed: 2, paused: 1 } }
    ])
    expect(weakenedShare(one)).toBe(0.25)
    expect(weakenedShare({ judged: 0, weakened: {} })).toBe(0)
  })

  it("count in every run, each rule under its oracle", () => {
    const { checks, outcome } = simulate(swarm, 7, { hours: 0.05 })
    expect(outcome).toBe("passed")
    const judged = new Set(checks.flatMap(({ judged, oracle }) => (judged > 0 ? [oracle] : [])))
    for (const name of [
      "reference",
      "operator's answers",
      "deliveries kept",
      "headers right",
      "limits hold",
      "signed"
    ])
      expect([name, judged.has(name)]).toEqual([name, true])
  })

  it("let a reading that comes again be answered 404 once its campaign is deleted [DEL-3]", () => {
    const { plan, seed } = inputOf(swarm, 3041)
    const reading = "tenant 0-43 reading"
    // So late that the campaign is deleted by then, and the brand is not.
    const late = [`twice ${reading}`, `late ${reading} there again`]
    const tenant = { n: 43, at: 1000, brand: 0, do: "tenant", people: 3, useMillis: 40_000 } as const
    const { faults, outcome, violation } = run({
      seed,
      plan: { ...plan, hours: 0.01, actions: [tenant], scheduledFaults: [] },
      faults: late,
      schedule: { kind: "fifo" }
    })
    expect([outcome, violation, [...faults].sort()]).toEqual(["passed", null, [...late].sort()])
  })

  it("let a list that is read after the deletion of its brand began lack what that has removed [DEL-1]", () => {
    const { plan } = inputOf(scenarioNamed("quiet-day")!, 1)
    const list = "tenant 0-2 list in detail"
    // The copy's key is looked up before the deletion begins, and its leads are read after it.
    const late = [`twice ${list}`, `late ${list} there again`, `slow ${list} twin step`]
    const tenant = { n: 2, at: 2000, brand: 0, do: "tenant", people: 4, useMillis: 18_561 } as const
    const { checks, faults, outcome, violation } = run({
      seed: 1,
      plan: { ...plan, hours: 0.01, actions: [tenant], scheduledFaults: [] },
      faults: late,
      schedule: { kind: "fifo" }
    })
    expect([outcome, violation, [...faults].sort()]).toEqual(["passed", null, [...late].sort()])
    const { weakened } = checks.find(({ rule }) => rule === "each answer about leads and figures")!
    expect(weakened).toEqual({ "the brand is being deleted: nobody knows what it still has": 1 })
  })

  it("reject an observation that is committed after the deletion of its brand began [DEL-1, DEL-2]", () => {
    const { plan } = inputOf(scenarioNamed("quiet-day")!, 1)
    const observation = "tenant 0-2 observe with the other"
    // The copy reads its brand before the deletion begins, and is committed after it.
    const late = [
      `twice ${observation}`,
      `late ${observation} there again`,
      `slow ${observation} twin commit`
    ]
    const tenant = { n: 2, at: 2000, brand: 0, do: "tenant", people: 4, useMillis: 16_168 } as const
    const { faults, outcome, violation } = run({
      seed: 1,
      plan: { ...plan, hours: 0.01, actions: [tenant], scheduledFaults: [] },
      faults: late,
      schedule: { kind: "fifo" }
    })
    expect([outcome, violation, [...faults].sort()]).toEqual(["passed", null, [...late].sort()])
  })

  it("know what tokens of other brands reach where there is but one brand [OPER-12]", () => {
    const { brands, ...access } = scenarioNamed("access")!
    const [brand] = brands
    const alone = { ...access, brands: [{ ...brand!, perHour: { ...brand!.perHour, access: 120 } }] }
    for (const seed of [1, 3]) {
      const { outcome, violation } = run(inputOf(alone, seed, 0.5))
      expect([outcome, violation]).toEqual(["passed", null])
    }
  })

  it("know of all whose events are pruned: no brand comes and goes where the service prunes [RET-5]", () => {
    const [first, ...others] = swarm.brands
    const brands = [{ ...first!, perHour: { ...first!.perHour, tenant: 20 } }, ...others]
    const actionsOf = (retention: boolean) =>
      inputOf({ ...swarm, swarm: false, retention, brands }, 1).plan.actions
    expect(actionsOf(false).some((action) => action.do === "tenant")).toBe(true)
    expect(actionsOf(true).filter((action) => action.do === "tenant")).toEqual([])
  })

  it.runIf(isThorough)("leave out at most a fiftieth of their checks, over a campaign", async () => {
    let checks: ReturnType<typeof summedChecks> = []
    for (let seed = 1; seed <= 40; seed++) {
      checks = summedChecks([checks, simulate(swarm, seed).checks])
      await nextTick()
    }
    // Scenarios of their own prune, repeat calls with a key, and have browsers and listeners.
    const elsewhere = new Set(["retention kept", "idempotency holds", "sessions hold", "live events"])
    const judged = checks.filter(({ oracle, rule }) => !elsewhere.has(oracle) && !ofOthers.test(rule))
    expect(judged.filter((each) => each.judged === 0)).toEqual([])
    expect(judged.filter((each) => weakenedShare(each) > 0.02)).toEqual([])
  })
})
