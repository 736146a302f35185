/** Rules on what runs have always done and nobody looked at: the log, the texts of refusals, the looks of a request that waits, and health. */
import { describe, expect, it } from "vitest"
import { judge, second, start } from "./judged.ts"

const key = { id: "5" }

/** An answered call; the store is seen. */
const fact = (given: object, response: object, body: unknown = {}) =>
  ({
    at: start,
    byClock: start,
    body,
    call: {
      route: "/signals/leads",
      request: { method: "GET", url: "/signals/leads", token: "t" },
      meaning: { means: "look" },
      key: null,
      brand: null,
      handledBy: 0,
      handledByStart: 1,
      handledAt: start,
      handledByClock: start,
      struck: new Set(),
      ...given
    },
    response: { status: 200, headers: {}, text: "{}", ...response }
  }) as never

describe("log right", () => {
  const line = (fields: object, message = "request") => ({ message, fields: { requestId: "a", ...fields } })
  const right = { method: "GET", status: 200, route: "/signals/leads", keyId: "5" }
  const of = (fields: object) => {
    const { oracle } = judge("log right")
    return (
      oracle.logged!(line(fields)) ?? oracle.answered!(fact({ key }, { headers: { "x-request-id": "a" } }))
    )
  }

  it("asks for one line of each answered request, with what was answered [ERR-4]", () => {
    expect(of(right)).toBe(null)
    expect(of({ ...right, status: 404 })).toBe("the log has GET 404 of GET 200")
    expect(of({ ...right, route: "/signals/leads?search=Jo" })).toContain("the log has the route")
    expect(of({ ...right, keyId: "6" })).toBe("the log has key 6 of a request with key 5")
    const { facts, oracle } = judge("log right")
    expect(oracle.answered!(fact({}, { headers: { "x-request-id": "b" } }))).toBe(null)
    expect(oracle.conclude!()).toContain("has no line in the log")
    facts.incidents.note("kill", start, start, 0)
    expect(oracle.conclude!()).toBe(null)
    expect(oracle.logged!(line(right))).toBe(null)
    expect(oracle.logged!(line(right))).toBe("the log has two lines of the request a")
  })

  it("lets no line name a person or hold a secret [PII-2]", () => {
    for (const text of ["b0-p1.", "shared-p3.", `lsk_${"a".repeat(38)}`, `lst_${"b".repeat(38)}`, "whsec_x"])
      expect(judge("log right").oracle.logged!(line({ reason: `of ${text}` }, "failed"))).toContain("holds")
    expect(judge("log right").oracle.logged!(line({ reason: "of b0" }, "failed"))).toBe(null)
  })
})

describe("errors clear", () => {
  const refusal = (status: number, message: string, given: object = {}) =>
    fact(given, { status }, { error: { code: "refused", message } })

  it("lets all wrong credentials be refused with one text [AUTH-2]", () => {
    const { oracle } = judge("errors clear")
    expect(oracle.answered!(refusal(401, "A key is needed."))).toBe(null)
    expect(oracle.answered!(refusal(401, "A key is needed."))).toBe(null)
    expect(oracle.answered!(refusal(401, "This key has expired."))).toContain("401 says")
  })

  it("lets a missing thing be told of as what the call names, and as nothing else [AUTH-3]", () => {
    const { oracle } = judge("errors clear")
    const of = (message: string, route: string, body = {}) =>
      oracle.answered!(
        refusal(404, message, { route, request: { method: "GET", url: route, body, token: "t" } })
      )
    expect(of("There is no such lead.", "/signals/leads/{id}")).toBe(null)
    expect(of("There is no such brand.", "/operator/brands/{brandId}/keys/{keyId}")).toBe(null)
    expect(
      of("There is no such webhook.", "/operator/brands/{brandId}/leads/{id}/resend", { webhookId: "1" })
    ).toBe(null)
    expect(of("This lead is another brand's.", "/signals/leads/{id}")).toContain("404 says")
  })

  it("lets no message quote what only its sender knows [ERR-3]", () => {
    const { oracle } = judge("errors clear")
    const of = (message: string, sent: object) =>
      oracle.answered!(refusal(400, message, { request: { method: "POST", url: "/", token: "t", ...sent } }))
    const bytes = new TextEncoder().encode("Jane Doe, no JSON")
    expect(of('"name" takes text.', { body: { name: "Jane Doe" } })).toBe(null)
    expect(of("Jane Doe is no name.", { body: { name: "Jane Doe" } })).toContain('quotes "Jane Doe"')
    expect(of("The brand has no signal 999999999.", { body: { signalId: "999999999" } })).toBeNull()
    expect(of("999999999 is no name.", { body: { name: "999999999" } })).toContain("quotes")
    expect(of("This is not JSON: Jane Doe, no JSON.", { unusual: { bytes } })).toContain("quotes")
    expect(of("The body takes JSON; this is not JSON.", { unusual: { bytes } })).toBe(null)
  })
})

describe("revoked keys fail", () => {
  /** The verdict on the second of two looks at the key that are this many seconds apart. */
  const lookedAfter = (seconds: number, paused = 0) => {
    const { facts, oracle } = judge("revoked keys fail")
    const request = { method: "GET", url: "/signals/changes?wait=20" }
    const call = { key, route: "/signals/changes", request, handledBy: 0 }
    const look = (at: number) => {
      facts.now = () => at
      return oracle.stored!({ method: "keys.findByHash", args: [], answer: {}, call } as never)
    }
    if (paused > 0) facts.incidents.note("pause", start, start + paused * second, 0)
    return look(start) ?? look(start + seconds * second)
  }

  it("asks a request that waits to look at its key every second and a half, beside what a slow call takes [CHG-6]", () => {
    expect(lookedAfter(2.6)).toBe(null)
    expect(lookedAfter(2.7)).toBe("a request that waits with key 5 did not look at it for 2700 ms")
    expect(lookedAfter(5.6, 3)).toBe(null)
    expect(lookedAfter(5.7, 3)).toContain("2700 ms")
  })

  it("lets no request through without a look at its key [AUTH-5]", () => {
    const { oracle } = judge("revoked keys fail")
    expect(oracle.answered!(fact({ key }, { status: 200 }))).toBe(
      "a request with key 5 was answered 200 without a look at the key"
    )
    expect(oracle.answered!(fact({ key }, { status: 404 }))).toBe(null)
  })
})

describe("operator's answers", () => {
  it("lets the liveness of a process depend on no store [HEALTH-1]", () => {
    const { oracle } = judge("operator's answers")
    const health = { route: "/health", request: { method: "GET", url: "/health", token: "t" } }
    expect(oracle.answered!(fact(health, { status: 503 }))).toBe("GET /health was answered 503")
    const call = (fact(health, {}) as { call: object }).call
    expect(oracle.stored!({ method: "health.check", args: [], answer: {}, call } as never)).toBe(
      "GET /health asks the store for health.check"
    )
  })

  /** A refused call of an operator, and a further answer this many seconds later; the store says at the first what it did with the entry. */
  const refused = (seconds: number, entry: "written" | "failed" | "none") => {
    const { oracle } = judge("operator's answers")
    const struck = new Set(entry === "failed" ? ["auditLog.append"] : [])
    const route = "/operator/brands"
    const first = fact({ route, request: { method: "GET", url: route, token: "t" }, struck }, { status: 401 })
    const said = { operation: "refusedToken", viaSession: false, brandId: null, subjectId: null, status: 401 }
    const args = [{ ...said, actor: { type: "unknown", id: null }, at: start }]
    const { call } = first as { call: object }
    const done = { method: "auditLog.append", args, answer: "1", call, process: { now: start } }
    const wrong = entry === "written" ? oracle.stored!(done as never) : null
    const later = { ...(fact({ key }, { status: 401 }) as object), at: start + seconds * second }
    // Whether the answer itself is right other rules say.
    oracle.answered!(first)
    return wrong ?? oracle.answered!(later as never)
  }

  it("asks for an entry of each minute with refused credentials, unless the store failed to write it [AUD-7]", () => {
    const lacking =
      "GET /operator/brands was refused its credential, and the audit log has no entry of the minute"
    expect(refused(16, "written")).toBe(null)
    expect(refused(16, "failed")).toBe(null)
    expect(refused(15, "none")).toBe(null)
    expect(refused(16, "none")).toBe(lacking)
  })

  it("asks for the entry of a change before the change, and for none after a failed entry [AUD-2]", () => {
    const changed = (entered: boolean, struck: ReadonlyArray<string> = []) => {
      const { oracle } = judge("operator's answers")
      const route = "/operator/brands"
      const request = { method: "POST", url: route, token: "simulated-operator-token", body: { name: "A" } }
      const { call } = fact({ route, request, struck: new Set(struck) }, {}) as { call: object }
      const entry = {
        operation: "createBrand",
        viaSession: false,
        brandId: null,
        subjectId: null,
        status: null
      }
      const args = [{ ...entry, actor: { type: "environment", id: null }, at: start }]
      const append = { method: "auditLog.append", args, answer: "1", call, process: { now: start } }
      const wrong = entered ? oracle.stored!(append as never) : null
      const brand = [{ name: "A", createdAt: start }]
      const create = {
        method: "brands.create",
        args: brand,
        answer: { id: "1" },
        call,
        process: { now: start }
      }
      return wrong ?? oracle.stored!(create as never)
    }
    expect(changed(true)).toBe(null)
    expect(changed(false)).toBe("POST /operator/brands changes something before its entry is written")
    expect(changed(true, ["auditLog.append"])).toBe(
      "POST /operator/brands changes something, and its entry could not be written"
    )
  })
})
