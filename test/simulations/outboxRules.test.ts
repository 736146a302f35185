/** Rules on the outbox, over histories of a few calls of the store, and what each leaves unsaid where a process was killed. */
import { describe, expect, it } from "vitest"
import { second, start } from "./judged.ts"
import { idle, idOf, type JudgedOutbox, limits, outbox } from "./judgedOutbox.ts"

describe("deliveries kept", () => {
  it("lets each delivery be leased once, as soon as it is queued, and again after its wait [DELIV-2, DELIV-3]", () => {
    const { at, attempt, commit, lease } = outbox()
    commit([1])
    const { token, wrong } = lease([1])
    expect(wrong).toBe(null)
    at(30)
    expect(lease([1]).wrong).toBe(`${idOf(1)} is leased 30000 ms before its lease runs out`)
    const again = outbox()
    again.commit([1])
    const first = again.lease([1])
    expect(again.attempt(1, first.token, { status: 500 }, "retried")).toBe(null)
    again.at(3)
    // The first wait is 5 s, a fifth more or less.
    expect(again.lease([1]).wrong).toBe(`${idOf(1)} is leased 1000 ms before it is due`)
    again.at(7)
    expect(again.lease([1]).wrong).toBe(null)
    expect(attempt(1, token, { status: 200 }, "delivered")).toBe(null)
    at(40)
    expect(lease([1]).wrong).toBe(`${idOf(1)} is leased, and is delivered`)
    expect(lease([2]).wrong).toBe(`${idOf(2)} is leased for webhook 7, and nobody queued it`)
  })

  it("lets nothing that is due be left while its webhook has a place [DELIV-7]", () => {
    const left = `a delivery is due and is not leased with 1 others, and webhook 7 has a place for it`
    const { commit, lease } = outbox()
    commit([1, 2])
    expect(lease([1]).wrong).toBe(left)
    for (const [has, wrong] of [
      [30, left],
      [31, null]
    ] as const) {
      const full = outbox()
      full.commit([1, 2])
      const underWay = { ...idle, total: has, byWebhook: new Map([["7", has]]) }
      expect(full.lease([1], { underWay }).wrong).toBe(wrong)
    }
    const over = outbox()
    over.commit([1])
    const underWay = { ...idle, total: 32, byWebhook: new Map([["7", 32]]) }
    expect(over.lease([1], { underWay }).wrong).toBe("webhook 7 has 33 places of 32")
  })

  it("lets an emitter request leases with its own limits alone [DELIV-7]", () => {
    const { commit, lease } = outbox()
    commit([1])
    expect(lease([1], { of: { ...limits, perWebhook: 33 } }).wrong).toBe(
      "leases are requested with the limits total 256, reserved 64, perWebhook 33, failingTotal 128, perFailingWebhook 2"
    )
  })

  it("lets no attempt last longer than 15 s by a clock that may be off by a fiftieth, beside a pause of its process [DELIV-3]", () => {
    const recordedAfter = (lasted: number, isPaused = false) => {
      const { at, attempt, commit, facts, lease, weakened } = outbox()
      commit([1])
      const { token } = lease([1])
      at(20)
      if (isPaused) facts.incidents.note("pause", start + 5 * second, start + 9 * second, 0)
      const wrong = attempt(1, token, { status: 200, lasted }, "delivered")
      return [wrong, weakened().map(([reason]) => reason)]
    }
    expect(recordedAfter(15_400)).toEqual([null, []])
    expect(recordedAfter(15_401)).toEqual([`an attempt of ${idOf(1)} lasted 15401 ms`, []])
    expect(recordedAfter(15_401, true)).toEqual([
      null,
      [
        "the process stood still since the lease",
        "the process stood still, or its clock was set, since the lease"
      ]
    ])
  })

  it("knows since when a delivery may be leased, first and again [DELIV-2, DELIV-3, DELIV-4]", () => {
    const { at, attempt, commit, known, lease } = outbox()
    const ready = () => {
      const { isFirst, readyAt } = known.leases.get(idOf(1))!.at(-1)!
      return [isFirst, (readyAt - start) / second]
    }
    at(1)
    commit([1])
    at(3)
    lease([1])
    expect(ready()).toEqual([true, 1])
    // The lease ran out, and nothing was recorded.
    at(70)
    const { token } = lease([1])
    expect(ready()).toEqual([false, 63])
    expect(attempt(1, token, { status: 500 }, "retried")).toBe(null)
    at(90)
    expect(lease([1]).wrong).toBe(null)
    // The first wait, 5 s, and a fifth of it.
    expect(ready()).toEqual([false, 76])
  })

  it("lets an attempt be recorded as its receiver answered, and count as the schedule says [DELIV-3, DELIV-5]", () => {
    for (const [answered, outcome, wrong] of [
      [{ status: 204 }, "delivered", null],
      [{ status: 302 }, "retried", null],
      [{ status: 302 }, "delivered", `an attempt of ${idOf(1)} counts as delivered, not as retried`],
      [
        { status: 500, recorded: 200 },
        "delivered",
        `${idOf(1)} is recorded with 200, and its receiver answered 500`
      ]
    ] as const) {
      const { attempt, commit, lease } = outbox()
      commit([1])
      expect(attempt(1, lease([1]).token, answered, outcome)).toBe(wrong)
    }
    const { attempt, commit } = outbox()
    commit([1])
    expect(attempt(1, "t1", { status: 200 }, "delivered")).toBe(
      `an attempt of ${idOf(1)} is recorded that was never leased`
    )
  })

  it("lets an event of an ordered webhook wait for the one before, and name it when it is dead [ORD-2, ORD-5]", () => {
    const ordered = { ordering: "lead", maxDelay: 1 }
    const inOrder = { isInOrder: true, skipped: [] as ReadonlyArray<string> }
    const { commit, lease } = outbox(undefined, ordered)
    commit([1, 2])
    expect(lease([1, 2], { place: inOrder }).wrong).toBe(
      `${idOf(2)} is leased before an earlier event of lead 1`
    )
    for (const [skipped, wrong] of [
      [[idOf(1)], null],
      [[], `${idOf(2)} is leased with 0 skipped, not 1`]
    ] as const) {
      const { at, attempt, commit, lease } = outbox(undefined, ordered)
      commit([1, 2])
      const first = lease([1], { place: inOrder })
      expect(attempt(1, first.token, { status: 500 }, "retried")).toBe(null)
      at(1)
      const second = lease([1], { place: inOrder })
      expect(second.wrong).toBe(null)
      expect(attempt(1, second.token, { status: 500 }, "dead")).toBe(null)
      expect(lease([2], { place: { ...inOrder, skipped } }).wrong).toBe(wrong)
    }
  })
})

describe("leads in order", () => {
  /** What the rule says of posts of one lead that an ordered webhook gets: of a delivery, with what they name as skipped, and how they are answered. */
  const judge = (
    { facts, known, oracle }: JudgedOutbox,
    posts: ReadonlyArray<
      readonly [number: number, status: number, skipped?: ReadonlyArray<number> | undefined]
    >
  ) => {
    facts.brands.push({ id: "1", reference: { renewed: new Set() } } as never)
    return posts.map(([number, status, skipped]) => {
      const headers = {
        "lead-signals-ordering": "lead",
        ...(skipped === undefined ? {} : { "lead-signals-skipped": skipped.map(idOf).join(" ") })
      }
      const createdAt = new Date(known.ids.deliveryOf(idOf(number))!.createdAt).toISOString()
      const envelope = { event: "activity.detected", createdAt, data: { lead2: { id: 1 } } }
      const webhook = { id: "7", brandId: "1", ordering: "lead" }
      const message = { posts: [{ envelope, id: idOf(number) }] }
      const sent = { at: facts.now() }
      return oracle.posted!({
        envelope,
        headers,
        id: idOf(number),
        index: 0,
        message,
        sent,
        status,
        webhook
      } as never)
    })
  }
  /** Three events of a lead, a second apart, of which the first is dead. */
  const withDeadLetter = () => {
    const ordered = outbox("leads in order", { ordering: "lead", maxDelay: 1 })
    const { at, attempt, commit, lease } = ordered
    for (const number of [1, 2, 3]) {
      at(number)
      commit([number])
    }
    const place = { isInOrder: true, skipped: [] }
    for (const [seconds, outcome] of [
      [4, "retried"],
      [5, "dead"]
    ] as const) {
      at(seconds)
      expect(attempt(1, lease([1], { place }).token, { status: 500 }, outcome)).toBe(null)
    }
    const skipping = { isInOrder: true, skipped: [idOf(1)] }
    expect(attempt(2, lease([2], { place: skipping }).token, { status: 200 }, "delivered")).toBe(null)
    expect(attempt(3, lease([3], { place }).token, { status: 200 }, "delivered")).toBe(null)
    return ordered
  }

  it("lets an event come when the one before it was taken or is named as skipped [ORD-2, ORD-5]", () => {
    const untaken = `${idOf(2)} of lead 1 came before ${idOf(1)} was taken or skipped`
    for (const [skipped, wrong] of [
      [undefined, untaken],
      [[3], `${idOf(3)} is named as skipped, and is no dead letter`],
      [[1], null]
    ] as const)
      expect(
        judge(withDeadLetter(), [
          [1, 500],
          [2, 200, skipped],
          [3, 200]
        ])
      ).toEqual([null, wrong, wrong === null ? null : expect.anything()])
    const pruned = withDeadLetter()
    pruned.facts.prunedDeliveries.add(idOf(1))
    expect(
      judge(pruned, [
        [1, 500],
        [2, 200]
      ])
    ).toEqual([null, null])
  })

  it("lets no event come after a younger one of its lead [ORD-2]", () => {
    const [, wrong] = judge(withDeadLetter(), [
      [3, 200],
      [2, 200]
    ])
    expect(wrong).toMatch(/came after one that was queued 1000 ms later of lead 1$/)
  })
})

describe("attempts logged", () => {
  it("asks for a record of each attempt whose process was not killed before it could record it [DELIV-5]", () => {
    const minute = 60
    for (const [killedAt, endedAt, wrong, reasons] of [
      [null, 3, `${idOf(1)} was sent (e1), and no attempt of it was recorded`, 0],
      [2, null, null, 0],
      [2, 3, `${idOf(1)} was sent (e1), and no attempt of it was recorded`, 0],
      [3 * minute, 3, null, 1],
      [4 * minute, 3, `${idOf(1)} was sent (e1), and no attempt of it was recorded`, 0]
    ] as const) {
      const { commit, facts, lease, oracle, weakened } = outbox("attempts logged")
      commit([1])
      expect(lease([1]).wrong).toBe(null)
      const instant = (seconds: number) => start + seconds * second
      const sent = {
        at: instant(1),
        endedAt: endedAt === null ? null : instant(endedAt),
        process: 0
      }
      facts.receive({ id: idOf(1), index: 0, sent, subject: "e1", webhook: { id: "7" } } as never)
      if (killedAt !== null) facts.incidents.note("kill", instant(killedAt), instant(killedAt), 0)
      // A kill of another process explains nothing.
      facts.incidents.note("kill", instant(killedAt ?? 2), instant(killedAt ?? 2), 1)
      expect([oracle.conclude!(), weakened().length]).toEqual([wrong, reasons])
    }
    const { attempt, commit, lease, oracle } = outbox("attempts logged")
    commit([1])
    expect(attempt(1, lease([1]).token, { status: 200 }, "delivered")).toBe(null)
    expect(oracle.conclude!()).toBe(null)
  })
})
