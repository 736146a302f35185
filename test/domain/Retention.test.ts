/** What is kept how long: the values that a retention takes, and when a thing is due. */
import { Retention } from "@lead-signals/domain"
import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const day = 86_400_000

describe("a retention", () => {
  it("is keep, or minutes, hours or days within the bounds [RET-1]", () => {
    const read = (text: string) => Either.getOrElse(Retention.parse(text), (takes) => takes)
    expect([read("keep"), read("1m"), read("12h"), read("30d"), read("36500d")]).toEqual([
      null,
      60_000,
      12 * 3_600_000,
      30 * day,
      36_500 * day
    ])
    for (const bad of ["", "0d", "30", "30D", "30 d", "-1d", "1.5d", "36501d", "99999999d", "never", "1w"])
      expect(read(bad)).toBe(Retention.takes)
  })

  it("is written as it is read [RET-1]", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 36_500 * 1440 }), (minutes) => {
        const millis = minutes * 60_000
        expect(Either.getOrThrow(Retention.parse(Retention.format(millis)))).toBe(millis)
      })
    )
    expect([null, 60_000, 90 * 60_000, 7_200_000, 30 * day].map(Retention.format)).toEqual([
      "keep",
      "1m",
      "90m",
      "2h",
      "30d"
    ])
  })

  it("keeps leads, engagements and erasures for ever unless it is set, and the rest for a month or three [RET-1]", () => {
    expect(Retention.defaults).toEqual({
      deliveries: 30 * day,
      deadLetters: 90 * day,
      events: 30 * day,
      engagements: null,
      leads: null,
      suppressions: null
    })
    expect(Retention.limitsAt(Retention.defaults, 100 * day)).toEqual({
      deliveries: 70 * day,
      deadLetters: 10 * day,
      events: 70 * day,
      engagements: null,
      leads: null,
      suppressions: null
    })
  })

  it("names the kinds whose value is no retention [RET-1]", () => {
    const odd = { ...Retention.defaults, events: 0.5, leads: Number.NaN, engagements: 1e15 }
    expect(Retention.invalidKinds(odd)).toEqual(["events", "engagements", "leads"])
    expect(Retention.invalidKinds(Retention.defaults)).toEqual([])
  })
})
