/** Browsers and listeners in the simulator: the situations that they meet, and what the rules say of an answer that is not as it should be. */
import { scenarioNamed, simulate, weakenedShare } from "@lead-signals/simulations"
import { describe, expect, it } from "vitest"
import { isThorough } from "../harness/Thoroughness.ts"

const scenario = scenarioNamed("sessions")!

describe("sessions and live events", () => {
  it.runIf(isThorough)(
    "are used in every way, and judged each time [SES-1, SES-2, SES-3, SES-5, LIVE-1, LIVE-2, LIVE-3, AUD-7]",
    () => {
      const marks = new Set<string>()
      const judged = new Map<string, number>()
      for (let seed = 1; seed <= 6; seed++) {
        const { checks, coverageMarks, outcome, violation } = simulate(scenario, seed)
        expect([seed, outcome, violation]).toEqual([seed, "passed", null])
        for (const mark of coverageMarks) marks.add(mark)
        for (const check of checks) {
          if (check.oracle !== "sessions hold" && check.oracle !== "live events") continue
          judged.set(check.rule, (judged.get(check.rule) ?? 0) + check.judged)
          expect([check.rule, weakenedShare(check) < 0.2]).toEqual([check.rule, true])
        }
      }
      expect(scenario.coverageMarks.filter((mark) => !marks.has(mark))).toEqual([])
      expect([...judged.values()].filter((count) => count < 10)).toEqual([])
      expect(judged.size).toBe(7)
    }
  )
})
