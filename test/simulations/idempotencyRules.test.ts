/** The rule `idempotency holds` on which answers to calls with a key are kept. */
import { describe, expect, it } from "vitest"
import { judge, start } from "./judged.ts"

describe("idempotency holds", () => {
  /** What the rule says of the answer to a call that reserved its key, whether or not the answer was kept before. */
  const answered = (status: number, isKept: boolean, struck: ReadonlyArray<string> = []) => {
    const { oracle } = judge("idempotency holds")
    const request = { method: "POST", url: "/a", token: "t", body: {}, unusual: { idempotencyKey: '"k"' } }
    const call = { route: "/a", request, struck: new Set(struck) }
    const stored = (method: string, args: ReadonlyArray<object>, answer: object | null) =>
      oracle.stored!({ method, args, answer, call, serviceNow: start, process: { now: start } } as never)
    const reservation = { actor: "a", fingerprint: "f", holder: "h", id: "i" }
    expect(stored("idempotency.reserve", [reservation], { type: "reserved" })).toBe(null)
    if (isKept) expect(stored("idempotency.complete", [reservation, "sealed" as never], null)).toBe(null)
    return oracle.answered!({ call, body: {}, response: { status, headers: {}, text: "{}" } } as never)
  }

  it("has each answer kept that repetitions get, before it is given, and no other [IDEM-2, IDEM-4]", () => {
    for (const status of [200, 201, 202, 204, 400, 404]) {
      expect(answered(status, true)).toBe(null)
      expect(answered(status, false)).toBe(
        `an answer ${status} to a call with a key was given, and is not kept`
      )
      expect(answered(status, false, ["idempotency.complete"])).toBe(null)
    }
    for (const status of [403, 409, 429]) {
      expect(answered(status, false)).toBe(null)
      expect(answered(status, true)).toBe(`an answer ${status} to a call with a key is kept`)
    }
  })
})
