/** Rules on the audit log: entries of what keys read, and of what operators did, where the store fails or a clock is set. */
import { inputOf, scenarioNamed } from "@lead-signals/simulations"
import { auditReference, Checks, KnownFacts } from "@lead-signals/simulations/internal"
import { describe, expect, it } from "vitest"

const { plan } = inputOf(scenarioNamed("swarm")!, 1)
const second = 1000
const start = Date.UTC(2026, 0, 5, 8)
const day = 86_400

const audit = () => {
  const facts = new KnownFacts(plan)
  facts.auditsKeyReads = true
  const checks = new Checks("operator's answers")
  const access = {
    grantOf: () => ({ kind: "token", id: "1" }),
    isRefusedBySession: () => false
  }
  const reference = auditReference(facts, checks, access as never)
  let entries = 0
  const callOf = (method: string, url: string, route: string, struck: ReadonlyArray<string>) => ({
    route,
    request: { method, url },
    brand: { id: "1" },
    handledBy: 0,
    handledByStart: 1,
    struck: new Set(struck)
  })
  return {
    facts,
    counts: () =>
      checks.counts
        .filter(({ judged, weakened }) => judged > 0 || Object.keys(weakened).length > 0)
        .map(({ judged, weakened }) => [judged, weakened]),
    /** A key lists leads at this second, by every clock; `entry` is what the store appends meanwhile. */
    read: (
      seconds: number,
      { entry = false, struck = [] as ReadonlyArray<string>, start: handledByStart = 1 } = {}
    ) => {
      const at = start + seconds * second
      facts.now = () => at
      const call = {
        ...callOf("GET", "/signals/leads", "/signals/leads", struck),
        key: { id: "5" },
        handledByClock: at,
        handledAt: at,
        handledByStart
      }
      const said = {
        actor: { type: "key", id: "5" },
        at,
        brandId: "1",
        operation: "listLeads",
        status: 200,
        subjectId: null,
        viaSession: false
      }
      const appended = entry ? reference.appended(call as never, String(++entries), said, at) : null
      const answered = reference.answered({
        at,
        byClock: at,
        call,
        body: {},
        response: { status: 200, headers: {} }
      } as never)
      return appended ?? answered
    },
    /** An operator creates a campaign; `completed` is what the entry says in the end. */
    change: (
      completed: { readonly status: number; readonly subjectId?: string } | null,
      struck: ReadonlyArray<string> = []
    ) => {
      const route = "/operator/brands/{brandId}/campaigns"
      const call = {
        ...callOf("POST", "/operator/brands/1/campaigns", route, struck),
        key: null,
        handledAt: start,
        handledByClock: start
      }
      const entry = {
        actor: { type: "token", id: "1" },
        at: start,
        brandId: "1",
        operation: "createCampaign",
        status: null,
        subjectId: null,
        viaSession: false
      }
      const id = String(++entries)
      const appended = reference.appended(call as never, id, entry, start)
      if (completed !== null) reference.completed(id, completed)
      const response = { status: 201, headers: {} }
      return (
        appended ?? reference.answered({ at: start, call, body: { data: { id: "9" } }, response } as never)
      )
    }
  }
}

describe("each list that a key reads has an entry of its day", () => {
  const none = "GET /signals/leads of key 5 is read, and the audit log has no entry of the day"

  it("asks for one entry a day and start of a process [AUD-8]", () => {
    const { counts, read } = audit()
    expect(read(0, { entry: true })).toBe(null)
    expect(read(100)).toBe(null)
    expect(counts()).toEqual([[2, {}]])
    expect(read(200, { entry: true })).toBe("the list listLeads of key 5 has two entries of one day")
    expect(read(300, { entry: true, start: 2 })).toBe(null)
    expect(read(day, { entry: true })).toBe(null)
    const later = audit()
    expect(later.read(0, { entry: true })).toBe(null)
    expect(later.read(day)).toBe(null)
    expect(later.read(day + 40)).toBe(none)
  })

  it("lets lists come without one for as long as another request writes it [AUD-8]", () => {
    const { counts, read } = audit()
    expect(read(0)).toBe(null)
    expect(read(39.999)).toBe(null)
    expect(counts()).toEqual([])
    expect(read(39.999, { entry: true })).toBe(null)
    expect(counts()).toEqual([[3, {}]])
    const without = audit()
    expect(without.read(0)).toBe(null)
    expect(without.read(40)).toBe(none)
    for (const disturbance of ["clock", "pause"] as const) {
      const disturbed = audit()
      expect(disturbed.read(0)).toBe(null)
      disturbed.facts.incidents.note(disturbance, start + 20 * second, start + 20 * second, 1)
      expect(disturbed.read(40)).toBe(none)
      disturbed.facts.incidents.note(disturbance, start + 41 * second, start + 41 * second, 0)
      expect(disturbed.read(42)).toBe(null)
    }
  })

  it("gives a process that could not write it a minute until it tries again [AUD-8]", () => {
    const struck = ["auditLog.append"]
    const { counts, read } = audit()
    expect(read(0, { struck })).toBe(null)
    expect(counts()).toEqual([[0, { "the store failed to write the entry": 1 }]])
    expect(read(64.999)).toBe(null)
    expect(read(104.999)).toBe(null)
    expect(read(105)).toBe(null)
    // The first that comes after the minute may come at the very instant at which another tries again.
    expect(read(144.998)).toBe(null)
    expect(read(144.999)).toBe(none)
    // What the store had written all the same is written again.
    const twice = audit()
    expect(twice.read(0, { entry: true, struck })).toBe(null)
    expect(twice.read(65, { entry: true })).toBe(null)
    expect(twice.read(66, { entry: true })).toBe("the list listLeads of key 5 has two entries of one day")
  })
})

describe("each entry of the audit log", () => {
  it("says in the end what was answered, unless the store failed as that was written [AUD-2]", () => {
    const { change, counts } = audit()
    expect(change({ status: 201, subjectId: "9" })).toBe(null)
    expect(change(null, ["auditLog.complete"])).toBe(null)
    expect(counts()).toEqual([[1, { "the store failed as the outcome was written": 1 }]])
    const of = "POST /operator/brands/{brandId}/campaigns"
    expect(change(null)).toBe(`the audit log has null of ${of}, which was answered 201`)
    expect(change(null, ["campaigns.create"])).toBe(`the audit log has null of ${of}, which was answered 201`)
    expect(change({ status: 500 }, ["auditLog.complete"])).toBe(
      `the audit log has 500 of ${of}, which was answered 201`
    )
    expect(change({ status: 201, subjectId: "8" })).toBe(`the audit log has ${of} of 8, not of 9`)
  })
})
