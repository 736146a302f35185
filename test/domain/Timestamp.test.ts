import { formatInstant, Timestamp } from "@lead-signals/domain"
import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { timestampText } from "./TimestampText.ts"
import { cases } from "../harness/Thoroughness.ts"

/** Reads a timestamp by the host's own ISO parser, after bringing it to the one form that the language defines. */
const independently = (text: string): number => {
  const [, date, time = "00:00:00.000", zone = "Z"] =
    /^(.{10})(?:.([0-9:.]+?))?(?:(?:(?<=[0-9])([zZ]|[+-].*)))?$/.exec(text)!
  const [clock, millis = "000"] = time.split(".")
  const seconds = clock!.length === 5 ? `${clock}:00` : clock
  const offset = /^z$/i.test(zone) ? "Z" : `${zone.slice(0, 3)}:${zone.slice(-2)}`
  return Date.parse(`${date}T${seconds}.${millis}${offset}`)
}

const isAccepted = (text: string): boolean => Either.isRight(Timestamp.parse(text))

describe("timestamps", () => {
  it("reads every text of the grammar as the instant that an independent reading gives [TIME-1, TIME-2]", () => {
    fc.assert(
      fc.property(timestampText, (text) => {
        expect(Timestamp.parse(text)).toEqual(Either.right(independently(text)))
      }),
      { numRuns: cases(20_000) }
    )
  })

  it("shows every instant as the language does [LIST-8]", () => {
    const [first, last] = [Date.parse("0000-01-01T00:00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")]
    const day = 86_400_000
    const instant = fc.oneof(
      fc.integer({ min: first, max: last }),
      // Where one day ends and the next begins, more days than the cache holds.
      fc
        .tuple(
          fc.integer({ min: first / day + 1, max: Math.floor(last / day) }),
          fc.integer({ min: -2, max: 2 })
        )
        .map(([days, millis]) => days * day + millis),
      fc.constantFrom(first, last, 0, -1, 1_700_000_000_000.75)
    )
    fc.assert(
      fc.property(instant, (at) => {
        expect(formatInstant(at)).toBe(new Date(at).toISOString())
      }),
      { numRuns: cases(20_000) }
    )
  })

  it("reads a value without a zone as UTC [TIME-6]", () => {
    expect(Timestamp.parse("2026-01-31")).toEqual(Either.right(Date.UTC(2026, 0, 31)))
    expect(Timestamp.parse("2026-01-31T09:30")).toEqual(Either.right(Date.UTC(2026, 0, 31, 9, 30)))
    expect(Timestamp.parse("0001-01-01")).toEqual(Either.right(Date.parse("0001-01-01T00:00:00Z")))
  })

  it("reads the same instants in every zone of the host [TIME-6]", () => {
    const texts = fc.sample(timestampText, { numRuns: 300, seed: 1 })
    const { TZ } = process.env
    const offsets = new Set<number>()
    try {
      for (const zone of ["UTC", "Asia/Kolkata", "America/St_Johns"]) {
        // Dates follow the variable from now on.
        process.env["TZ"] = zone
        offsets.add(new Date(2026, 6, 1).getTimezoneOffset())
        for (const text of texts) expect(Timestamp.parse(text)).toEqual(Either.right(independently(text)))
      }
    } finally {
      if (TZ === undefined) delete process.env["TZ"]
      else process.env["TZ"] = TZ
    }
    expect(offsets.size).toBe(3)
  })

  it("refuses every mutation that leaves the grammar [TIME-3]", () => {
    const wanted = /^\d{4}-\d{2}-\d{2}([Tt ]\d{2}:\d{2}(:\d{2}(\.\d{3})?)?([Zz]|[+-]\d{2}:?\d{2})?)?$/
    const character = fc.constantFrom(..."0123456789TtZz+-:. /,年٣\t\n\u00a0\u0000e")
    const mutation = fc.record({ text: timestampText, at: fc.nat(40), by: character, how: fc.nat(2) })
    let refused = 0
    fc.assert(
      fc.property(mutation, ({ at, by, how, text }) => {
        const i = at % (text.length + 1)
        const mutated = text.slice(0, i) + (how === 0 ? "" : by) + text.slice(how === 1 ? i : i + 1)
        if (wanted.test(mutated) && !mutated.includes("\n")) return
        refused++
        expect(isAccepted(mutated)).toBe(false)
      }),
      { numRuns: cases(20_000) }
    )
    expect(refused).toBeGreaterThan(cases(10_000))
  })

  it.each([
    "1767225600",
    "1767225600000",
    "20260131T093000Z",
    "20260131",
    "Sat, 31 Jan 2026 09:30:00 GMT",
    "2026",
    "2026-01",
    "",
    " 2026-01-31",
    "2026-01-31 ",
    "2026-01-31Z",
    "2026-01-31+02:00",
    "2026-01-31T09",
    "2026-01-31T09:30:00.1Z",
    "2026-01-31T09:30:00.1234Z",
    "2026-01-31T09:30:00,123Z",
    "2026-01-31T09:30:00+02",
    "2026-01-31T09:30:00 Z",
    "2026-01-31  09:30:00",
    "+002026-01-31",
    "٢٠٢٦-٠١-٣١",
    "2026-01-31T09:30:00Z\n"
  ])("refuses %j [TIME-3]", (text) => {
    expect(isAccepted(text)).toBe(false)
  })

  it.each([
    "2026-13-01",
    "2026-00-01",
    "2026-01-00",
    "2026-02-30",
    "2026-02-29",
    "2100-02-29",
    "2026-04-31",
    "2026-01-31T24:00",
    "2026-01-31T23:60",
    "2026-01-31T23:59:60Z",
    "2026-01-31T09:30:00+24:00",
    "2026-01-31T09:30:00-12:60"
  ])("checks the calendar and the clock: refuses %j [TIME-4]", (text) => {
    expect(isAccepted(text)).toBe(false)
  })

  it.each(["2024-02-29", "2000-02-29", "2026-01-31T23:59:59.999+23:59", "2026-01-31T00:00-2359"])(
    "takes the last that is left: %j [TIME-4]",
    (text) => {
      expect(isAccepted(text)).toBe(true)
    }
  )

  it("knows each day of four centuries, and no other [TIME-4]", () => {
    const two = (n: number): string => String(n).padStart(2, "0")
    for (let year = 1900; year < 2300; year++) {
      for (let month = 1; month <= 12; month++) {
        const last = new Date(Date.UTC(year, month, 0)).getUTCDate()
        for (const day of [28, 29, 30, 31]) {
          expect(isAccepted(`${year}-${two(month)}-${two(day)}`)).toBe(day <= last)
        }
      }
    }
  })

  it("says that a + must be encoded where one arrived as a space [TIME-7]", () => {
    for (const text of [
      "2026-01-31T09:30:00 02:00",
      "2026-01-31t09:30 0200",
      "2026-01-31 09:30:00.000 02:00"
    ]) {
      expect(Either.getOrThrow(Either.flip(Timestamp.parse(text)))).toContain("%2B")
    }
    expect(Either.getOrThrow(Either.flip(Timestamp.parse("2026-01-31T09")))).not.toContain("%2B")
  })
})
