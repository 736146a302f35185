/** What is said of a value that its schema refuses. */
import { Decoder } from "@lead-signals/domain"
import { Either, Schema } from "effect"
import { describe, expect, it } from "vitest"

const Form = Schema.Struct({
  text: Schema.String,
  number: Schema.Number,
  flag: Schema.Boolean,
  size: Schema.String.annotations({ description: "a size such as M" }),
  unit: Schema.Literal("cm"),
  end: Schema.Null
})

const right = { text: "t", number: 1, flag: true, size: "M", unit: "cm", end: null }
const strict = Decoder.decode(Form, { whole: "The form", strict: true })
const loose = Decoder.decode(Form, { whole: "The form", strict: false })

describe("a value that is refused", () => {
  it.each([
    [{ ...right, text: 1 }, "text takes a text."],
    [{ ...right, number: "1" }, "number takes a number."],
    [{ ...right, flag: 0 }, "flag takes true or false."],
    [{ ...right, size: 1 }, "size takes a size such as M."],
    [{ ...right, unit: "m" }, 'unit takes "cm".'],
    [{ ...right, end: 1 }, "end takes null."],
    ["t", "The form takes an object."]
  ])("is told what its field takes, in the words of this API: %j [ERR-3]", (value, message) => {
    for (const decode of [strict, loose]) {
      expect(Either.getOrThrow(Either.flip(decode(value))).message).toBe(message)
      expect(decode(right)).toEqual(Either.right(right))
    }
  })
})

describe("a field of one kind", () => {
  const kinds = [
    [Schema.String, "1"],
    [Schema.Number, 1],
    [Schema.Boolean, true],
    [Schema.Null, null]
  ] as const

  it("takes values of its kind alone, as the only field of its object [ERR-3, OBS-2]", () => {
    for (const [schema, own] of kinds) {
      const decode = Decoder.decode(Schema.Struct({ field: schema as Schema.Schema<unknown> }), {
        whole: "The form",
        strict: false
      })
      for (const [, value] of kinds)
        expect([own, value, Either.isRight(decode({ field: value }))]).toEqual([own, value, own === value])
    }
  })
})
