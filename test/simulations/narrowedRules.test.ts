/** Rules that a fault explains only as far as it reaches: what they say beside the fault, and what they count. */
import { outboxOf } from "@lead-signals/simulations/internal"
import { describe, expect, it } from "vitest"
import { judge, second, start } from "./judged.ts"

describe("headers right", () => {
  const answer = (struck: string, route = "/signals/leads") => {
    const { oracle, weakened } = judge("headers right")
    const wrong = oracle.answered!({
      call: {
        route,
        request: { method: "GET", url: route },
        key: { id: "1" },
        struck: new Set([struck])
      },
      response: {
        status: 503,
        headers: {
          "x-request-id": "0123456789abcdef",
          "content-type": "application/json",
          "cache-control": "no-store",
          "x-content-type-options": "nosniff"
        },
        text: "{}"
      },
      body: {}
    } as never)
    return [wrong, weakened()]
  }

  it("asks for the headers of a window where the store failed, unless as it counted the request [RATE-2]", () => {
    expect(answer("leads.list")).toEqual(["GET /signals/leads, 503: there is no x-ratelimit-limit", []])
    for (const method of ["keys.findByHash", "rateWindows.step"]) expect(answer(method)).toEqual([null, []])
    // It looks its key up again while it waits.
    const reason = "nobody knows whether the request was counted"
    expect(answer("keys.findByHash", "/signals/changes")).toEqual([null, [[reason, 1]]])
  })

  it("lets a post say of each event's place what its lease says [ORD-5]", () => {
    /** What the rule says of a post of one event that names this place, after leases so many seconds before. */
    const posted = (names: string, leases: ReadonlyArray<readonly [order: string, secondsAgo: number]>) => {
      const { facts, oracle } = judge("headers right")
      outboxOf(facts).leases.set(
        "wh_1",
        leases.map(([order, ago]) => ({ order, process: 0, at: start - ago * second }) as never)
      )
      const event = { id: "wh_1", envelope: { event: "lead2.created" }, sent: { at: start, process: 0 } }
      return oracle.posted!({
        ...event,
        index: 0,
        headers: { "lead-signals-ordering": names },
        message: { posts: [event] },
        webhook: { ordering: "lead" }
      } as never)
    }
    for (const [says, was] of [
      ["none", "lead"],
      ["lead", "none"]
    ] as const) {
      const wrong = `an event says ${says}, and was not leased so`
      expect(posted(says, [[was, 1]])).toBe(wrong)
      expect(posted(says, [[says, 1]])).not.toBe(wrong)
      expect(
        posted(says, [
          [says, 60],
          [was, 1]
        ])
      ).toBe(wrong)
      expect(
        posted(says, [
          [says, 59],
          [was, 1]
        ])
      ).not.toBe(wrong)
    }
  })
})

describe("no defects", () => {
  /** The verdict on a call that is answered 503 while these are open; each is of a brand, by a start of the process. */
  const refused = (
    {
      method,
      retryAfter,
      route
    }: { readonly method: string; readonly retryAfter: string; readonly route: string },
    open: ReadonlyArray<readonly [brandId: number, start: number]>
  ) => {
    const { oracle } = judge("no defects")
    const begin = (brandId: number, handledByStart: number) => {
      const request = { method, url: route.replace("{brandId}", String(brandId)) }
      const call = { route, request, handledBy: 0, handledByStart, struck: new Set() }
      oracle.handled!(call as never)
      return call
    }
    for (const [brandId, start] of open) begin(brandId, start)
    const response = { status: 503, headers: { "retry-after": retryAfter } }
    return oracle.answered!({ call: begin(1, 1), response } as never)
  }

  it("lets a request with observations be refused only where its brand has 64 others open [OBS-7]", () => {
    const route = "/operator/brands/{brandId}/observations"
    const call = { method: "POST", retryAfter: "1", route }
    const others = (count: number) => Array.from({ length: count }, () => [1, 1] as const)
    expect(refused(call, [...others(64), [2, 1]])).toBe(null)
    expect(refused(call, [...others(63), [2, 1]])).toBe(
      `POST ${route} was answered 503, and the store has not failed`
    )
  })

  it("lets a stream be refused only where its process has a hundred others open, of whatever brands [LIVE-4]", () => {
    const route = "/operator/brands/{brandId}/events"
    const call = { method: "GET", retryAfter: "10", route }
    const others = (count: number) => Array.from({ length: count }, (_, i) => [1 + (i % 2), 1] as const)
    expect(refused(call, [...others(100), [1, 2]])).toBe(null)
    expect(refused(call, [...others(99), [1, 2]])).toBe(
      `GET ${route} was answered 503, and the store has not failed`
    )
  })

  it("lets no call be answered 503 for what the store fails to do beside it [AUTH-8, AUD-2, AUD-7, AUD-8]", () => {
    const answer = (route: string, struck: string, key: object | null = null) => {
      const request = { method: "GET", url: route }
      const call = { route, request, key, handledBy: 0, handledByStart: 1, struck: new Set([struck]) }
      return judge("no defects").oracle.answered!({ call, response: { status: 503, headers: {} } } as never)
    }
    const wrong = (route: string) => `GET ${route} was answered 503, and the store has not failed`
    const leads = "/signals/leads"
    expect(answer(leads, "leads.list", {})).toBe(null)
    for (const struck of ["keys.markUsed", "idempotency.complete", "auditLog.complete"])
      expect(answer(leads, struck, {})).toBe(wrong(leads))
    for (const route of [leads, "/session"]) {
      expect(answer(route, "auditLog.append", {})).toBe(wrong(route))
    }
    expect(answer("/operator/brands", "auditLog.append")).toBe(null)
  })
})

describe("revoked keys fail", () => {
  it("asks for a look at the key before a request that has waited reads on [AUTH-5, CHG-6]", () => {
    const { oracle } = judge("revoked keys fail")
    const begin = () => {
      const call = {
        route: "/signals/changes",
        request: { url: "/signals/changes?wait=20" },
        key: { id: "5" }
      }
      const stored = (method: string, args: ReadonlyArray<unknown>, answer: unknown) =>
        oracle.stored!({ method, args, answer, call } as never)
      return {
        lookUp: () => stored("keys.findByHash", ["hash"], null),
        read: (hasMore: boolean, limit = 100) =>
          stored("leads.changesAfter", ["1", null, { limit, engagements: "none" }], {
            isExpired: false,
            changes: [],
            hasMore
          })
      }
    }
    const { lookUp, read } = begin()
    lookUp()
    // One look takes several reads, and the watch reads single changes.
    expect([read(true), read(false), read(false, 1)]).toEqual([null, null, null])
    lookUp()
    expect(read(false)).toBe(null)
    expect(read(false)).toBe("a request with key 5 has waited, and reads on without a look at the key")
    expect(begin().read(false)).toBe(null)
  })
})

describe("feed of changes", () => {
  it("lets no cursor expire since whose reader began nothing was written [CHG-5]", () => {
    const { facts, oracle } = judge("feed of changes")
    const removed = { id: 1, removedAt: start - 91 * 86_400_000 }
    const changes = [{ id: 2, removedAt: null }, removed]
    const reference = { changes, listed: () => ({}) }
    facts.brands.push({ id: "1", reference } as never)
    const read = (after: object | null, answer: object) =>
      oracle.stored!({
        method: "leads.changesAfter",
        args: ["1", after, { limit: 1, engagements: "none" }],
        answer: { isExpired: false, ...answer },
        call: null,
        serviceNow: start
      } as never)
    const next = { epoch: "", position: 1, since: 2 }
    const lead = { type: "lead", read: { lead: { id: 2 } } }
    expect(read(null, { changes: [lead], next, hasMore: true })).toBe(null)
    const wrong = `what changed after ${JSON.stringify(next)} is expired, and nothing was written since its reader began`
    expect(read(next, { isExpired: true })).toBe(wrong)
    oracle.stored!({ method: "leads.erase", args: ["1", 3], answer: true, call: null } as never)
    expect(read(next, { isExpired: true })).toBe(null)
  })
})

describe("mirrors converge", () => {
  /** A brand that is synced by time, whose lead was changed an hour before another one by the clock of the service. */
  const synced = (copy: ReadonlyArray<object>, isNamedAgain = false, lists = [{ id: 1 }]) => {
    const { facts, oracle, weakened } = judge("mirrors converge")
    const mirror = new Map(copy.map((lead) => [1, lead]))
    const brand = { id: "9", index: 1, mirror, syncCursor: "c", reference: { changes: [] as Array<object> } }
    facts.brands.push(brand as never)
    const change = (id: number, seconds: number): void => {
      brand.reference.changes = [...brand.reference.changes, { id, removedAt: null }]
      const serviceNow = start + seconds * second
      oracle.stored!({ method: "leads.update", args: ["9", id], answer: true, serviceNow } as never)
    }
    change(2, 3600)
    change(1, 0)
    if (isNamedAgain) change(1, 3600)
    facts.finalLists.set("9 createdAt:asc", lists)
    facts.mirrorsBeforeFullSync.set("9", new Map(mirror))
    mirror.set(1, { id: 1 })
    return [oracle.conclude!(), weakened()]
  }
  const old = [{ id: 1, score1: 7 }]

  it("forgives an old lead before the full sync only where a clock that was set back hid its newest change [SORT-5]", () => {
    const hidden = [["a clock that was set back or differs hid its change until a full sync", 1]]
    expect(synced(old)).toEqual([null, hidden])
    expect(synced([{ id: 1 }])).toEqual([null, []])
    expect(synced(old, true)).toEqual(["the client of brand 1 has an old lead 1, or none", []])
  })

  it("judges a client that got nothing at all [CHG-1]", () => {
    const { facts, oracle } = judge("mirrors converge")
    facts.brands.push({ id: "9", index: 0, mirror: new Map(), syncCursor: "c" } as never)
    facts.finalLists.set("9 createdAt:asc", [{ id: 1 }])
    expect(oracle.conclude!()).toBe("the client of brand 0 has an old lead 1, or none")
  })
})

describe("deleted stay gone", () => {
  it("lets a post come after the deletion only under a lease from before it [DEL-1]", () => {
    const { facts, oracle } = judge("deleted stay gone")
    oracle.answered!({
      at: start,
      call: {
        route: "/operator/brands/{brandId}/webhooks/{id}",
        request: { method: "DELETE", url: "/operator/brands/1/webhooks/5" }
      },
      response: { status: 204 }
    } as never)
    const posted = (leasedAt: number) => {
      const at = leasedAt + second
      outboxOf(facts).leases.set("wh_1", [{ at: leasedAt, process: 0 } as never])
      const webhook = { id: "5", brandId: "1" }
      return oracle.posted!({ id: "wh_1", at, sent: { at, process: 0 }, webhook, subject: "e1" } as never)
    }
    expect(posted(start)).toBe(null)
    expect(posted(start + 1)).toBe("the webhook 5 of brand 1 is deleted, and was sent e1")
  })
})

describe("erased stay gone", () => {
  it("counts a post that was under way as the person was erased [PII-3]", () => {
    const { facts, oracle, weakened } = judge("erased stay gone")
    facts.erased.set("1 p", { brandId: "1", extId: "b0-p1.", at: start })
    const posted = (leasedAt: number) => {
      outboxOf(facts).leases.set("wh_1", [{ at: leasedAt, process: 0 } as never])
      const sent = { at: leasedAt + second, process: 0 }
      const webhook = { behaviour: "flaky", brandId: "1" }
      return oracle.posted!({ id: "wh_1", sent, webhook, body: "of b0-p1." } as never)
    }
    expect(posted(start)).toBe(null)
    expect(weakened()).toEqual([["the attempt was under way as the person was erased", 1]])
    expect(posted(start + 1)).toBe("the flaky webhook was sent b0-p1. again")
  })

  it("finds an id that is a strange text as the value of its field alone, also in JSON within JSON [PII-3]", () => {
    const { facts, oracle, weakened } = judge("erased stay gone")
    facts.erased.set("1 p", { brandId: "1", extId: " ", at: start })
    facts.erased.set("1 q", { brandId: "1", extId: "Straße STRASSE GROẞ", at: start })
    facts.erased.set("1 r", { brandId: "1", extId: "b1-p7.", at: start })
    const answered = (text: string) =>
      oracle.answered!({
        call: {
          brand: { id: "1" },
          meaning: { means: "look" },
          request: { method: "GET" },
          route: "/x",
          sentAt: start + 1
        },
        response: { text }
      } as never)
    expect(answered(JSON.stringify({ name: "a b", headline: "Straße STRASSE GROẞ b1-p77." }))).toBe(null)
    expect(weakened()).toEqual([
      ["an id that is a strange text is looked for as the value of extId alone", 2]
    ])
    expect(answered(JSON.stringify({ headline: "of b1-p7." }))).toBe("GET /x shows b1-p7.")
    expect(answered(JSON.stringify({ extId: "Straße STRASSE GROẞ" }))).toBe(
      "GET /x shows Straße STRASSE GROẞ"
    )
    const named = JSON.stringify({ extId: " " })
    expect(answered(named)).toBe("GET /x shows  ")
    expect(answered(JSON.stringify({ body: named }))).toBe("GET /x shows  ")
  })
})

describe("bodies valid", () => {
  it("knows every event that is posted [EVT-1]", () => {
    const { oracle } = judge("bodies valid")
    expect(oracle.posted!({ envelope: { event: "lead2.removed" } } as never)).toBe(
      "lead2.removed: no event of this name"
    )
  })
})
