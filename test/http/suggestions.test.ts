/** How the API words names that it does not know. */
import { InvalidParameter, LeadQueries, type Parameters } from "@lead-signals/domain"
import { invalidParameterMessage, warningsOf } from "@lead-signals/http"
import { describe, expect, it } from "vitest"

const ignored = (...names: ReadonlyArray<string>): Parameters.IgnoredParameters => ({
  names,
  accepted: LeadQueries.listParameters
})

describe("the warnings of ignored parameters", () => {
  it("name each, with the one that was probably meant [LIST-7, LIST-10]", () => {
    expect(warningsOf(ignored("pagesize", "zzz"))).toEqual([
      'The parameter "pagesize" is unknown and was ignored. Did you mean "pageSize"?',
      'The parameter "zzz" is unknown and was ignored.'
    ])
    expect(warningsOf(ignored())).toEqual([])
  })

  it("are short, whatever was sent [LIST-10]", () => {
    const warnings = warningsOf(ignored(...Array.from({ length: 500 }, (_, i) => `${"x".repeat(5000)}${i}`)))
    expect(warnings.length).toBeLessThanOrEqual(10)
    expect(warnings.join("").length).toBeLessThan(2000)
    expect(warnings.at(-1)).toContain("491 more")
  })

  it("let no misspelt parameter pass unseen among many unknown ones [LIST-10]", () => {
    const many = Array.from({ length: 40 }, (_, i) => `unknown${i}`)
    expect(warningsOf(ignored(...many, "qualifed"))[0]).toContain('Did you mean "qualified"?')
  })

  it("look for misspelt ones among the first hundred alone: each costs as much as many known names are long [LIST-10]", () => {
    const misspelt = Array.from({ length: 2000 }, (_, i) => `unknown${i}`)
    misspelt[99] = "qualifed"
    misspelt[100] = "pagesize"
    const warnings = warningsOf(ignored(...misspelt)).join(" ")
    expect(warnings).toContain('Did you mean "qualified"?')
    expect(warnings).not.toContain("pageSize")
  })
})

describe("the message of an unknown field", () => {
  const messageOf = (name: string, path: string, accepted: ReadonlyArray<string>) =>
    invalidParameterMessage(
      new InvalidParameter({
        parameter: name,
        message: `${name} is wrong.`,
        unknownField: { name, path, accepted }
      })
    )

  it("offers the field that was probably meant, or all [ERR-3]", () => {
    expect(messageOf("nmae", "person", ["extId", "name"])).toBe('nmae is wrong. Did you mean "name"?')
    expect(messageOf("colour", "person", ["extId", "name"])).toBe(
      "colour is wrong. person takes extId, name."
    )
    expect(messageOf("colour", "", ["extId", "name"])).toBe("colour is wrong. It takes extId, name.")
    expect(messageOf("colour", "", [])).toBe("colour is wrong.")
  })
})
