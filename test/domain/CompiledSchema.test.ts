/** Observations are decoded by compiled functions, which must answer what the interpreter of schemas answers. */
import { Decoder, Observation } from "@lead-signals/domain"
import { Either, Schema } from "effect"
import { describe, expect, it } from "vitest"

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

describe("an observation", () => {
  it("is decoded as its schema says, whichever field is missing or has another value [OBS-2, ENG-9]", () => {
    const decode = Decoder.decode(Observation, { whole: "The observation", strict: false })
    const interpret = (value: unknown) =>
      Either.mapLeft(
        Schema.decodeUnknownEither(Observation, { onExcessProperty: "ignore" })(value),
        (error) => Decoder.explain(error, "The observation")
      )
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
})
