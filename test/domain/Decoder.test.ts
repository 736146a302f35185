/** What is said of a value that its schema refuses. */
import { Decoder } from "@lead-signals/domain"
import { Either, Schema } from "effect"
import { describe, expect, it } from "vitest"

const Form = Schema.Struct({
  text: Schema.String,
  number: Schema.Number,
  flag: Schema.Boolean,
  size: Schema.String.annotations({ description: "a size such as M" })
})

const right = { text: "t", number: 1, flag: true, size: "M" }
const decode = Decoder.decode(Form, { whole: "The form", strict: true })

describe("a value that is refused", () => {
  it.each([
    [{ ...right, text: 1 }, "text takes a text."],
    [{ ...right, number: "1" }, "number takes a number."],
    [{ ...right, flag: 0 }, "flag takes true or false."],
    [{ ...right, size: 1 }, "size takes a size such as M."],
    ["t", "The form takes an object."]
  ])("is told what its field takes, in the words of this API: %j [ERR-3]", (value, message) => {
    expect(Either.getOrThrow(Either.flip(decode(value))).message).toBe(message)
    expect(Either.isRight(decode(right))).toBe(true)
  })
})
