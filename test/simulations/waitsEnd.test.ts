/** The rule `waits end`, where processes stand still while requests wait. */
import { inputOf, scenarioNamed } from "@lead-signals/simulations"
import { Checks, KnownFacts, oracles } from "@lead-signals/simulations/internal"
import { describe, expect, it } from "vitest"

const { plan } = inputOf(scenarioNamed("swarm")!, 1)
const second = 1000
const start = Date.UTC(2026, 0, 5, 8)
const rule = oracles.find(({ name }) => name === "waits end")!

/** Requests of one key for the changes of one brand, to process 1, at seconds of the true time from the start. */
const waiting = () => {
  const facts = new KnownFacts(plan)
  const checks = new Checks(rule.name)
  const oracle = rule.instantiate(facts, checks)
  const brand = { id: "1", reference: { changes: [] as Array<object> } }
  facts.brands.push(brand as never)
  const setTime = (seconds: number): void => {
    facts.now = () => start + seconds * second
  }
  return {
    facts,
    /** The process begins with a request that waits for so many seconds. */
    begin: (seconds: number, wait: number) => {
      setTime(seconds)
      const call = {
        route: "/signals/changes",
        request: { method: "GET", url: `/signals/changes?cursor=c&wait=${wait}` },
        brand,
        key: { id: "1" },
        meaning: { means: "look" },
        handledAt: start + seconds * second,
        handledBy: 0,
        handledByStart: 1
      }
      oracle.handled!(call as never)
      return call
    },
    /** It begins with another request. */
    open: (seconds: number, unusual = {}) => {
      setTime(seconds)
      const call = {
        route: "/signals/leads",
        request: { method: "GET", url: "/signals/leads", unusual },
        brand,
        key: { id: "1" },
        meaning: { means: "look" },
        handledAt: start + seconds * second,
        handledBy: 0,
        handledByStart: 1
      }
      oracle.handled!(call as never)
      return call
    },
    change: (seconds: number, method = "leads.update") => {
      setTime(seconds)
      brand.reference.changes = [{ id: 1, removedAt: null }]
      return oracle.stored!({ method, args: ["1"], answer: true } as never)
    },
    answer: (call: unknown, seconds: number, leads = 0) => {
      setTime(seconds)
      const body = { data: Array.from({ length: leads }, () => ({})) }
      return oracle.answered!({
        call,
        body,
        response: { status: 200 },
        at: start + seconds * second
      } as never)
    },
    conclude: (seconds: number) => {
      setTime(seconds)
      return oracle.conclude!()
    },
    /** The process has the disturbance for these seconds. */
    disturb: (what: "kill" | "pause" | "clock" | "feed", from: number, to: number, process = 0) =>
      facts.incidents.note(what, start + from * second, start + to * second, process),
    weakened: () => checks.counts.flatMap((each) => Object.entries(each.weakened))
  }
}

describe("a wait for a change", () => {
  it.each(["leads.commit", "leads.update", "leads.erase", "pruning.prune"])(
    "ends within 0.7 s after %s, beside what slow calls of the store take [CHG-6]",
    (method) => {
      for (const [at, slow, wrong] of [
        [3.7, 0, null],
        [3.701, 0, "a request waited 701 ms after a change"],
        [5.7, 2, null],
        [5.701, 2, "a request waited 701 ms after a change"]
      ] as const) {
        const { answer, begin, change, disturb } = waiting()
        const call = begin(0, 20)
        if (slow > 0) disturb("feed", 3, 3 + slow)
        expect(change(3, method)).toBe(null)
        expect(answer(call, at, 1)).toBe(wrong)
      }
    }
  )

  it("ends as soon after a pause of its process, which adds its own length and no more [CHG-6]", () => {
    for (const [at, wrong] of [
      [43.7, null],
      [43.701, "a request waited 701 ms after a change"]
    ] as const) {
      const { answer, begin, change, disturb, weakened } = waiting()
      const call = begin(0, 30)
      // Two that overlap.
      disturb("pause", 1, 31)
      disturb("pause", 11, 43)
      change(3)
      expect(answer(call, at, 1)).toBe(wrong)
      expect(weakened()).toEqual([])
    }
  })

  it("gets nothing from a pause that was over before the change, or of another process [CHG-6]", () => {
    const { answer, begin, change, disturb } = waiting()
    const call = begin(0, 30)
    disturb("pause", 1, 8)
    disturb("pause", 9, 40, 1)
    change(8)
    expect(answer(call, 18.5, 1)).toBe("a request waited 10500 ms after a change")
  })
})

describe("a wait without a change", () => {
  it("lasts its time, whatever the clock of its process is set to [CHG-6]", () => {
    const { answer, begin, disturb, weakened } = waiting()
    const call = begin(0, 20)
    disturb("clock", 3, 3)
    expect(answer(call, 4)).toBe(
      "a request that may wait 20000 ms was answered without a change after 4000 ms"
    )
    expect(weakened()).toEqual([])
  })

  it("is over soon after its time, for which its process ran [CHG-6]", () => {
    for (const [at, wrong] of [
      [51.3, null],
      [51.4, "a request that may wait 20000 ms had no answer after 21400 ms"]
    ] as const) {
      const { answer, begin, disturb } = waiting()
      const call = begin(0, 20)
      disturb("pause", 5, 35)
      expect(answer(call, at)).toBe(wrong)
    }
  })

  it("is over in the end, unless its process was killed [CHG-6]", () => {
    const { begin, conclude, disturb } = waiting()
    begin(0, 20)
    expect(conclude(20)).toBe(null)
    disturb("pause", 20, 3000)
    expect(conclude(3000)).toBe(null)
    expect(conclude(3600)).toBe("a request that may wait 20000 ms had no answer after 620000 ms")
    disturb("kill", 3700, 3704)
    expect(conclude(3700)).toBe(null)
  })

  it("may end at once where all places are taken, and not in the middle [CHG-6]", () => {
    for (const [at, wrong] of [
      [13, null],
      [14.5, "a request that may wait 20000 ms was answered without a change after 13500 ms"]
    ] as const) {
      const { answer, begin } = waiting()
      for (let i = 0; i < 4; i++) begin(0, 20)
      expect(answer(begin(1, 20), at)).toBe(wrong)
    }
  })
})

describe("any call", () => {
  const end = 180
  const wrong = "GET /signals/leads had no answer after 180001 ms"

  it("is answered in the end, beside the time for which its process stands still, its body comes and it may wait", () => {
    const late = end + 0.001
    const one = waiting()
    one.open(0)
    expect([one.conclude(end), one.conclude(late)]).toEqual([null, wrong])
    const paused = waiting()
    paused.open(0)
    paused.disturb("pause", 10, 40)
    expect([paused.conclude(30 + end), paused.conclude(30 + late)]).toEqual([null, wrong])
    const slow = waiting()
    slow.open(0, { arrival: { cuts: 2, pauses: [7000, 3000] } })
    expect([slow.conclude(10 + end), slow.conclude(10 + late)]).toEqual([
      null,
      wrong.replace("180001", "190001")
    ])
    const killed = waiting()
    killed.open(0)
    killed.disturb("kill", 20, 21)
    expect(killed.conclude(late)).toBe(null)
    const answered = waiting()
    answered.answer(answered.open(0), 1)
    expect(answered.conclude(late)).toBe(null)
  })

  it("is missed when another is answered", () => {
    const { answer, open } = waiting()
    open(0)
    expect(answer(open(10), end + 0.001)).toBe(wrong)
  })

  it("needs no answer where its client goes away, or listens until it leaves", () => {
    for (const unusual of [{ goesAfter: 5 }, { leavesAfter: 60_000 }]) {
      const { conclude, open } = waiting()
      open(0, unusual)
      expect(conclude(end + 0.001)).toBe(null)
    }
  })
})

describe("requests that wait at once", () => {
  const together = (pause: readonly [from: number, to: number], ends: number) => {
    const { answer, begin, disturb, weakened } = waiting()
    const calls = Array.from({ length: 5 }, () => begin(0, 20))
    disturb("pause", ...pause)
    const wrong = calls.map((call) => answer(call, ends))
    expect(weakened()).toEqual([])
    return wrong.at(-1)
  }

  it("are no more than may also while their process stands still [CHG-6]", () => {
    expect(together([8, 38], 43)).toBe("more requests waited at once than may")
  })

  it("may have waited one after the other where their process did not run for long enough [CHG-6]", () => {
    expect(together([1, 29], 40)).toBe(null)
    expect(together([1, 27.9], 40)).toBe("more requests waited at once than may")
  })
})
