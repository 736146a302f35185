import { afterEach, expect, it, vi } from "vitest"

afterEach(() => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
})

// A module of its own for each query: the one that the tests share stays as it is.
it("a thorough run gives files their long form until its time is over", async () => {
  vi.stubEnv("THOROUGH_TESTS", "true")
  vi.stubEnv("THOROUGH_TESTS_UNTIL", "5000")
  vi.useFakeTimers({ toFake: ["Date"], now: 4_999 })
  const late = (await import(
    // @ts-expect-error: a query is no part of a file's name.
    "../harness/Thoroughness.ts?late"
  )) as typeof import("../harness/Thoroughness.ts")
  expect([late.isShortenedFromNow(), late.isThorough, late.cases(100)]).toEqual([false, true, 100])
  vi.setSystemTime(5_000)
  expect([late.isShortenedFromNow(), late.isThorough, late.cases(100)]).toEqual([true, false, 5])
})
