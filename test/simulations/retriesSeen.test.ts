/** The rule `retries wait` over a store that is seen: when a delivery that can be leased has to be, and attempted. */
import { outboxOf } from "@lead-signals/simulations/internal"
import { describe, expect, it } from "vitest"
import { judge, plan, second, start } from "./judged.ts"

const alone: typeof plan = { ...plan, processes: [] }
const beside: typeof plan = { ...plan, processes: [{ older: false }, { older: false }] }

describe("retries wait", () => {
  /** The verdict on the first post of a delivery that was leased this many seconds after a place was free. */
  const leasedAfter = (
    seconds: number | null,
    disturbance?: "kill" | "pause" | "store" | "clock" | "drift",
    lasted = 0,
    { at: disturbedAt, isBehind, plan: planned } = { plan: alone, at: start + 950 * second, isBehind: false }
  ) => {
    const { facts, oracle, weakened } = judge("retries wait", planned)
    const at = start + 1000 * second
    const readyAt = at - (seconds ?? 300) * second
    const lease = { at, isBehind, isFirst: seconds !== null, readyAt, queuedAt: start }
    outboxOf(facts).leases.set("wh_1", [lease as never])
    if (disturbance !== undefined)
      facts.incidents.note(disturbance, disturbedAt, disturbedAt + lasted * second, 0)
    const post = {
      id: "wh_1",
      at,
      webhook: { behaviour: "flaky", maxWait: 20 },
      envelope: { event: "activity.detected" },
      subject: "activity.detected e1"
    }
    facts.receive(post as never)
    return [oracle.posted!(post as never), weakened()]
  }

  it("lets nothing wait for which there is a place, beside the time for which the service stood [DELIV-7]", () => {
    expect(leasedAfter(40)).toEqual([null, []])
    expect(leasedAfter(41)).toEqual(["the flaky webhook waited 41 s for activity.detected e1", []])
    for (const disturbance of ["kill", "pause", "store"] as const) {
      expect(leasedAfter(70, disturbance, 30)).toEqual([null, []])
      expect(leasedAfter(71, disturbance, 30)[0]).toContain("waited 41 s")
    }
    // Another process may have queued it, or a clock have gone wrong.
    const amongOthers = { plan: beside, at: start, isBehind: false }
    expect(leasedAfter(80, undefined, 0, amongOthers)).toEqual([null, []])
    expect(leasedAfter(81, undefined, 0, amongOthers)[0]).toContain("waited 81 s")
    expect(leasedAfter(80, "clock")).toEqual([null, []])
    const driftsSince = { plan: alone, at: start - second, isBehind: false }
    expect(leasedAfter(80, "drift", 0, driftsSince)).toEqual([null, []])
    expect(leasedAfter(81, "drift", 0, driftsSince)[0]).toContain("waited 81 s")
    expect(leasedAfter(41, "clock", 0, driftsSince)[0]).toContain("waited 41 s")
    expect(leasedAfter(81, "clock")).toEqual([
      null,
      [["a clock was set, or went wrong, since it was queued", 1]]
    ])
    expect(leasedAfter(null)).toEqual([null, []])
  })

  it("weakens that for an emitter behind a networked store, and for no other clock that was set before [DELIV-7]", () => {
    const wrong = "the flaky webhook waited 81 s for activity.detected e1"
    const after = (disturbance: "clock" | "drift", isBehind = false, networkedStore = true) =>
      leasedAfter(81, disturbance, 0, { plan: { ...plan, networkedStore }, at: start - second, isBehind })
    expect(after("clock")).toEqual([wrong, []])
    const behind = "the clock of its emitter was behind that of a networked store"
    expect(after("clock", true)).toEqual([null, [[behind, 1]]])
    const drifted = "a clock ran at another rate than that of a networked store"
    expect(after("drift")).toEqual([null, [[drifted, 1]]])
    expect(after("drift", false, false)).toEqual([wrong, []])
  })

  /** What the rule says when a further attempt is leased this many seconds after it was due. */
  const leasedAgainAfter = (
    seconds: number,
    disturbance?: "kill" | "clock",
    brandId = "1",
    planned: typeof plan = alone
  ) => {
    const { facts, oracle, weakened } = judge("retries wait", planned)
    const outbox = outboxOf(facts)
    const [id, at] = [`wh_${"0".repeat(32)}`, start + 1000 * second]
    const webhook = { id: "7", brandId, sending: { maxWait: 20 }, unseen: new Map() }
    const delivery = { id: null, webhook, event: "lead2.created", leadId: 5 } as never
    outbox.webhooks.set("7", webhook as never)
    outbox.deletedBrands.add("2")
    outbox.ids.hide(delivery)
    outbox.ids.learn(delivery, id)
    const lease = { at, isBehind: false, isFirst: false, readyAt: at - seconds * second, queuedAt: start }
    outbox.leases.set(id, [lease as never])
    if (disturbance !== undefined)
      facts.incidents.note(disturbance, at - 30 * second, disturbance === "kill" ? at : at - 30 * second, 0)
    const answer = { leases: [{ deliveryId: id, webhook: { id: "7" } }] }
    return [oracle.stored!({ method: "outbox.lease", answer } as never), weakened()]
  }

  it("lets no attempt wait that is due again, beside the time for which the service stood [DELIV-3]", () => {
    const late = (seconds: number) => `webhook 7 waited ${seconds} s for another attempt of lead2.created 5`
    expect(leasedAgainAfter(40)).toEqual([null, []])
    expect(leasedAgainAfter(41)).toEqual([late(41), []])
    expect(leasedAgainAfter(70, "kill")).toEqual([null, []])
    expect(leasedAgainAfter(71, "kill")[0]).toBe(late(41))
    expect(leasedAgainAfter(170, undefined, "1", beside)).toEqual([null, []])
    expect(leasedAgainAfter(171, undefined, "1", beside)).toEqual([late(171), []])
    expect(leasedAgainAfter(170, "clock")).toEqual([null, []])
    expect(leasedAgainAfter(171, "clock")).toEqual([
      null,
      [["a clock was set, or went wrong, since it was queued", 1]]
    ])
    expect(leasedAgainAfter(41, undefined, "2")).toEqual([null, []])
  })

  /** What the rule says of a lease of the first process of which no attempt was recorded. */
  const idle = (
    disturbance?: "kill" | "pause" | "store" | "clock",
    at = start + 10 * second,
    process = 0,
    lease = {}
  ) => {
    const { facts, oracle, weakened } = judge("retries wait")
    facts.now = () => start + 60 * second
    const given = { at: start + 10 * second, isAhead: false, isRecorded: false, process: 0, ...lease }
    outboxOf(facts).leases.set("wh_1", [given as never])
    if (disturbance !== undefined) facts.incidents.note(disturbance, at, at, process)
    return [oracle.conclude!(), weakened().map(([reason]) => reason)]
  }

  it("expects an attempt of each lease, unless its process was disturbed, or it was leased ahead [DELIV-7]", () => {
    const wrong = "wh_1 was leased at 2026-01-05T08:00:10.000Z, and no attempt of it was recorded"
    expect(idle()).toEqual([wrong, []])
    expect(idle(undefined, 0, 0, { isRecorded: true })).toEqual([null, []])
    expect(idle(undefined, 0, 0, { at: start + 20 * second })).toEqual([null, []])
    expect(idle(undefined, 0, 0, { isAhead: true })).toEqual([
      null,
      ["it was leased ahead, and no place came free in time"]
    ])
    expect(idle("kill", start + 25 * second)).toEqual([null, []])
    expect(idle("kill", start + 26 * second)).toEqual([
      null,
      ["the process was killed before it could record the attempt"]
    ])
    expect(idle("store")).toEqual([null, []])
    expect(idle("store", start + 11 * second)).toEqual([
      null,
      ["a call of the store was slow or failed since the lease"]
    ])
    for (const disturbance of ["pause", "clock"] as const)
      expect(idle(disturbance)).toEqual([
        null,
        ["the process stood still, or its clock was set or went wrong, since the lease"]
      ])
    for (const disturbance of ["kill", "store", "pause", "clock"] as const) {
      expect(idle(disturbance, start + 9 * second)).toEqual([wrong, []])
      expect(idle(disturbance, start + 56 * second)).toEqual([wrong, []])
      expect(idle(disturbance, start + 20 * second, 1)).toEqual([wrong, []])
    }
  })
})
