import { describe, expect, it } from "vitest"
import { bearerToken } from "@lead-signals/http/internal"

describe("the Authorization header", () => {
  it("takes the Bearer scheme in any letter case, and no other [AUTH-1]", () => {
    for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"])
      expect(bearerToken(`${scheme} x`)).toBe("x")
    for (const header of [undefined, "", "Bearer", "Bearer ", "Basic x", "x", "Bearerx", "Bearer x y"]) {
      expect(bearerToken(header)).toBeUndefined()
    }
  })
})
