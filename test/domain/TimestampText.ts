/** Texts of the grammar of TIME-1 and TIME-2, put together from docs/specification.md and from nothing else. */
import fc from "fast-check"

const two = (n: number): string => String(n).padStart(2, "0")

const day = fc
  .date({ min: new Date("0001-01-02T00:00:00Z"), max: new Date("9999-12-30T00:00:00Z"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))

const time = fc.record({
  hour: fc.nat(23),
  minute: fc.nat(59),
  second: fc.option(fc.record({ value: fc.nat(59), millis: fc.option(fc.nat(999), { nil: undefined }) }), {
    nil: undefined
  })
})

const zone = fc.oneof(
  fc.constant(""),
  fc.constantFrom("Z", "z"),
  fc
    .record({
      sign: fc.constantFrom("+", "-"),
      hours: fc.nat(23),
      minutes: fc.nat(59),
      colon: fc.constantFrom(":", "")
    })
    .map(({ colon, hours, minutes, sign }) => `${sign}${two(hours)}${colon}${two(minutes)}`)
)

const timed = fc
  .record({ day, time, separator: fc.constantFrom("T", "t", " "), zone })
  .map(({ day: date, separator, time: { hour, minute, second }, zone: offset }) => {
    const millis = second?.millis === undefined ? "" : `.${String(second.millis).padStart(3, "0")}`
    const seconds = second === undefined ? "" : `:${two(second.value)}${millis}`
    return `${date}${separator}${two(hour)}:${two(minute)}${seconds}${offset}`
  })

export const timestampText: fc.Arbitrary<string> = fc.oneof(
  { weight: 1, arbitrary: day },
  { weight: 5, arbitrary: timed }
)
