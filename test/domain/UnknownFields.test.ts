/** Fields that no observation has are found apart from decoding: just those that a strict decoder refuses. */
import { Decoder, Observation, UnknownFields } from "@lead-signals/domain"
import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cases } from "../harness/Thoroughness.ts"

const unknownFieldsIn = UnknownFields.unknownFieldsOf(Observation)
const strictly = Decoder.decode(Observation, { whole: "The observation", strict: true })
const known = UnknownFields.knownPaths(Observation)

const whole = () => ({
  signalId: "12",
  person: { extId: "p", name: "Name", company: { id: 7, name: "Company" } } as Record<string, unknown>,
  engagement: { id: "e", postAuthorDetail: { extId: "a" } } as Record<string, unknown>
})

const objects = ["", "person", "person.company", "engagement", "engagement.postAuthorDetail"]
const objectAt = (value: any, path: string): Record<string, unknown> =>
  path === "" ? value : path.split(".").reduce((inner, name) => inner[name], value)
const joined = (at: string, name: string): string => (at === "" ? name : `${at}.${name}`)

const strange = fc.record({
  at: fc.constantFrom(...objects),
  name: fc.oneof(
    fc.constantFrom("headlin", "raw", "signalID", "extID", "companyy", "toString", "constructor"),
    fc
      .string({ minLength: 1, maxLength: 12 })
      .filter((name) => !/[.]|^__proto__$|^\d+$/.test(name) && name.isWellFormed())
  ),
  value: fc.oneof(
    fc.string(),
    fc.constant(null),
    fc.constant({ person: { headlin: 1 } }),
    fc.constant([{ x: 1 }])
  )
})

describe("unknown fields of an observation", () => {
  it("are those that a strict decoder refuses, by their paths, and none of a value without any [OBS-11]", () => {
    fc.assert(
      fc.property(fc.array(strange, { maxLength: 6 }), (fields) => {
        const value = whole()
        const added = new Set<string>()
        for (const { at, name, value: part } of fields) {
          if (known.includes(joined(at, name))) continue
          objectAt(value, at)[name] = part
          added.add(joined(at, name))
        }
        const found = unknownFieldsIn(value)
        expect(found.map(({ path }) => path).sort()).toEqual([...added].sort())
        expect(Either.isRight(strictly(value))).toBe(added.size === 0)
        for (const { accepted, name } of found) expect(accepted).not.toContain(name)
      }),
      { numRuns: cases(400) }
    )
  })

  it("are the first twenty, with paths of at most 200 characters; a value that is no object has none [OBS-11]", () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${i}${"x".repeat(300)}`, 1]))
    const found = unknownFieldsIn({ ...whole(), ...many })
    expect(found).toHaveLength(20)
    expect(found.map(({ path }) => path.length)).toEqual(Array.from({ length: 20 }, () => 200))
    for (const value of [
      null,
      7,
      "text",
      [],
      [{ headlin: 1 }],
      { person: [], engagement: "x", signalId: {} }
    ])
      expect(unknownFieldsIn(value)).toEqual([])
  })

  it("are not fields that the schema names, at any depth [OBS-11]", () => {
    expect(known).toEqual(
      expect.arrayContaining([
        "signalId",
        "person.headline",
        "person.company.id",
        "engagement.postAuthorDetail.extId"
      ])
    )
    expect(new Set(known).size).toBe(known.length)
  })
})
