/** Observations are decoded by compiled functions, which must answer what the interpreter of schemas answers. */
import { Decoder, Observation } from "@lead-signals/domain"
import { Either, Schema } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cases } from "../harness/Thoroughness.ts"

const whole = {
  signalId: "12",
  person: {
    extId: "p",
    name: "Name",
    headline: "Headline",
    username: null,
    title1: "Title",
    liProfileUrl: "https://network.example/in/p",
    profileImgUrl: null,
    company: { id: 7, name: "Company", domain: null, staffCount: 12, description: "About" }
  },
  engagement: {
    id: "e",
    type: "comment",
    reactionType: null,
    commentText: "Text",
    postUrl: "https://network.example/posts/1",
    postPostedAt: "2026-01-01T00:00:00.000Z",
    postAuthorDetail: { extId: "a", name: "Author", firstName: null },
    emittedAt: "2026-01-01",
    trackedAt: null
  }
}

const values: ReadonlyArray<unknown> = [
  undefined,
  null,
  "",
  "x",
  "0",
  "repost",
  "2026-02-30",
  "1".repeat(17),
  "x".repeat(300),
  "x".repeat(600),
  "\u{1f600}".repeat(200),
  "\u0000",
  "\ud800",
  0,
  1,
  1.5,
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  2 ** 60,
  true,
  [],
  [1],
  {},
  { id: 1 },
  { extId: "other", unknown: 1 }
]

type Change = (value: unknown) => unknown

/** Every change of one place: the value itself, each field, and fields of fields. */
function* changes(value: unknown): Generator<Change> {
  for (const other of values) yield () => other
  if (typeof value !== "object" || value === null) return
  yield (object) => ({ ...(object as object), unknown: 1 })
  for (const name of Object.keys(value)) {
    yield (object) => Object.fromEntries(Object.entries(object as object).filter(([key]) => key !== name))
    for (const change of changes(Reflect.get(value, name)))
      yield (object) => ({ ...(object as object), [name]: change(Reflect.get(object as object, name)) })
  }
}

/** With the order of keys, which is kept with a company. */
const rendered = (decoded: Either.Either<unknown, { readonly message: string }>): unknown =>
  Either.match(decoded, {
    onLeft: ({ message }) => message,
    onRight: (value) => [value, JSON.stringify(value)]
  })

const interpret = (value: unknown) =>
  Either.mapLeft(Schema.decodeUnknownEither(Observation, { onExcessProperty: "ignore" })(value), (error) =>
    Decoder.explain(error, "The observation")
  )

const anything = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSparseArray: true,
  withTypedArray: true,
  withUnicodeString: true
})

/** What JSON can hold, what a program can pass besides, and what is near the bounds. */
const hostile = fc.oneof(
  anything,
  fc.json().map((text): unknown => JSON.parse(text)),
  fc.constantFrom(...values),
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.integer().map((number) => String(number)),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.webUrl()
)

/** An object's fields in another order, in an object of another kind. */
const asOther = (value: object, kind: number): unknown => {
  const entries = Object.entries(value)
  if (kind === 1) return Object.fromEntries(entries.reverse())
  if (kind === 2) return Object.assign(Object.create(null) as object, value)
  // Inherited fields are none of its own.
  if (kind === 3) return Object.create(value) as object
  if (kind === 4) return Object.assign([...entries], value)
  if (kind === 5) return Object.defineProperty({ ...value }, Symbol.iterator, { value: 1, enumerable: true })
  const proto = { value: { extId: "x", id: "x" }, enumerable: true }
  if (kind === 6) return Object.defineProperty({ ...value }, "__proto__", proto)
  return value
}

/** The whole observation with some places changed, at any depth: mostly none, or other texts, so that many are taken. */
const changed = (value: unknown): fc.Arbitrary<unknown> => {
  const whole =
    typeof value !== "object" || value === null
      ? fc.oneof(
          { weight: 12, arbitrary: fc.constant(value) },
          { weight: 2, arbitrary: fc.string({ minLength: 1, maxLength: 40 }) },
          { weight: 1, arbitrary: hostile }
        )
      : fc
          .tuple(
            fc.record(
              Object.fromEntries(Object.entries(value).map(([name, field]) => [name, changed(field)])),
              // Whichever of them are missing.
              { requiredKeys: Object.keys(value).filter((name) => /[iI]d$|^person|^engagement/.test(name)) }
            ),
            fc.oneof(
              { weight: 20, arbitrary: fc.constant(0) },
              { weight: 1, arbitrary: fc.integer({ min: 1, max: 6 }) }
            )
          )
          .map(([fields, kind]) => asOther(fields, kind))
  return fc.oneof({ weight: 40, arbitrary: whole }, { weight: 1, arbitrary: hostile })
}

const drawn = fc.oneof({ weight: 9, arbitrary: changed(whole) }, { weight: 1, arbitrary: hostile })

describe("an observation", () => {
  it("is decoded as its schema says, whichever field is missing or has another value [OBS-2, ENG-9]", () => {
    const decode = Decoder.decode(Observation, { whole: "The observation", strict: false })
    let [taken, refused] = [0, 0]
    for (const change of changes(whole)) {
      const value = change(whole)
      const expected = interpret(value)
      expect(rendered(decode(value))).toEqual(rendered(expected))
      if (Either.isRight(expected)) taken++
      else refused++
    }
    expect(taken).toBeGreaterThan(200)
    expect(refused).toBeGreaterThan(200)
  })

  it("is decoded as its schema says, whatever all of its texts are instead [OBS-2, ENG-9]", () => {
    const decode = Decoder.decode(Observation, { whole: "The observation", strict: false })
    const withTexts = (value: unknown, other: unknown): unknown => {
      if (typeof value === "string") return other
      return typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withTexts(field, other)]))
        : value
    }
    for (const other of values) {
      const value = withTexts(whole, other)
      expect(rendered(decode(value))).toEqual(rendered(interpret(value)))
    }
  })

  it("is decoded as its schema says, whatever is drawn in its fields, and of whatever kind they are [OBS-2, ENG-9]", () => {
    const decode = Decoder.decode(Observation, { whole: "The observation", strict: false })
    let [taken, refused] = [0, 0]
    fc.assert(
      fc.property(drawn, (value) => {
        const expected = interpret(value)
        expect(rendered(decode(value))).toEqual(rendered(expected))
        if (Either.isRight(expected)) taken++
        else refused++
      }),
      { numRuns: cases(400) }
    )
    expect([taken > 0, refused > 0]).toEqual([true, true])
  })
})
