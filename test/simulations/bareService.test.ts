/** The replay that bounds how fast a run can be. */
import { inputOf, scenarioNamed } from "@lead-signals/simulations"
import { record, replay } from "@lead-signals/simulations/internal"
import { expect, it } from "vitest"

it("a replay answers the requests of a run and posts as often, retries and what times out included [DELIV-3]", () => {
  const { recording, report } = record(inputOf(scenarioNamed("month-of-retries")!, 1, 48), "memory")
  const { answers, posts } = replay(recording)
  expect(report.outcome).toBe("passed")
  expect(answers).toBe(report.counts.requests)
  expect(report.counts.posts).toBeGreaterThan(100)
  // Waits between attempts are drawn anew, so that a webhook can be disabled a post earlier or later.
  expect(Math.abs(posts - report.counts.posts)).toBeLessThan(0.05 * report.counts.posts)
})
