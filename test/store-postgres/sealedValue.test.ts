/** Values that are sealed for one person or several. */
import { SealedValue } from "@lead-signals/store-postgres/internal"
import { createSecretKey, randomBytes } from "node:crypto"
import { describe, expect, it } from "vitest"

const { keyIdsOf, maxHeaderBytes, openWith, sealFor } = SealedValue

const person = (id: number): SealedValue.PersonKey => ({ id, key: createSecretKey(randomBytes(32)) })
const known = (...persons: ReadonlyArray<SealedValue.PersonKey>) =>
  new Map(persons.map((each) => [each.id, each]))

describe("a sealed value", () => {
  const [ada, bob, eve] = [person(2 ** 40), person(7), person(9)] as const

  it("opens with the keys of all its persons, in whatever order they were given, and not without one [PII-4]", () => {
    const value = sealFor([ada, bob, ada, eve], "text", "here")
    expect(keyIdsOf(value.subarray(0, maxHeaderBytes))).toEqual([7, 9, 2 ** 40])
    expect(openWith(known(eve, ada, bob), value, "here")).toBe("text")
    for (const some of [known(ada, bob), known(ada, eve), known(bob, eve), known()])
      expect(openWith(some, value, "here")).toBe(null)
    expect(openWith(known(ada), sealFor([ada], "text", "here"), "here")).toBe("text")
  })

  it("does not open elsewhere, changed, or under another key of the same id [PII-4]", () => {
    const value = sealFor([ada, bob], "text", "here")
    const refused = { _tag: "Unopened" }
    expect(openWith(known(ada, bob), value, "there")).toMatchObject(refused)
    expect(openWith(known(ada, person(bob.id)), value, "here")).toMatchObject(refused)
    value[value.length - 1]! ^= 1
    expect(openWith(known(ada, bob), value, "here")).toMatchObject(refused)
  })
})
