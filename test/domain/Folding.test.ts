import { Folding } from "@lead-signals/domain"
import fc from "fast-check"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { caseFoldings } from "../../scripts/case-folding.mjs"
import { unicode16Source, unicodeVersion } from "../../scripts/unicode-16.mjs"
import { cases } from "../harness/Thoroughness.ts"
import { isAssigned } from "../harness/Unicode16.ts"

const allCodes = Array.from({ length: 0x110000 }, (_, code) => code).filter((c) => c < 0xd800 || c > 0xdfff)
const assigned = allCodes.filter(isAssigned)
const unassigned = allCodes.filter((code) => !isAssigned(code))

const characterOf = (codes: ReadonlyArray<number>): fc.Arbitrary<string> =>
  fc.nat(codes.length - 1).map((i) => String.fromCodePoint(codes[i]!))

/** Latin, Hebrew and Devanagari letters, marks of several combining classes and Hangul that composes, beside any character. */
const character = fc.oneof(
  fc.constantFrom(..."aIſßéΣक가\u1100\u1161\u11a8\u0301\u0323\u0307\u0345\u05b0\u094d\u093c\uff9e\uff76ﬁ"),
  characterOf(assigned)
)
const assignedText = fc.string({ unit: character, maxLength: 12 })

const folds = new Map(caseFoldings())
const foldedCase = (text: string): string => Array.from(text, (each) => folds.get(each) ?? each).join("")

/** Folding by the runtime's version of Unicode, for texts without long runs of marks. */
const foldedByRuntime = (text: string): string =>
  foldedCase(text.normalize("NFKC")).replaceAll("i\u0307", "i").normalize("NFKC")

/** Characters that Unicode 17 added: a letter that folds to s there, and combining marks of two classes. */
const added = { letter: "\ua7f1", below: "\u1add", above: "\u1acf" }

describe("folding by one version of Unicode", () => {
  it("takes the table of Unicode 16 [LIST-4, SORT-6]", async () => {
    expect(assigned.length + 0x800).toBe(294_579)
    for (const code of assigned) {
      if (/\p{Cn}/u.test(String.fromCodePoint(code)))
        expect.fail(`U+${code.toString(16)} is assigned in no version`)
    }
    if (process.versions.unicode !== unicodeVersion) return
    const file = new URL("../../packages/domain/src/text/Unicode16Table.ts", import.meta.url)
    expect(await unicode16Source()).toBe(readFileSync(file, "utf8"))
  })

  it("folds what Unicode 16 assigns as any later version does [LIST-4, SORT-6]", () => {
    for (const code of assigned) {
      const text = String.fromCodePoint(code)
      if (Folding.fold(text) !== foldedByRuntime(text))
        expect([code.toString(16), Folding.fold(text)]).toEqual([code.toString(16), foldedByRuntime(text)])
    }
    fc.assert(
      fc.property(assignedText, (text) => {
        expect(Folding.fold(text)).toBe(foldedByRuntime(text))
      }),
      { numRuns: cases(5000) }
    )
  })

  it("leaves what Unicode 16 does not assign as it is, and where it is [LIST-4, SORT-6, PII-3]", () => {
    expect(Folding.fold(`Qu${added.letter}XX`)).toBe(`qu${added.letter}xx`)
    // In Unicode 17 marks below come before those above, and one below keeps no letter from its accent above.
    expect(Folding.fold(`A${added.above}${added.below}\u0323`)).toBe(`a${added.above}${added.below}\u0323`)
    expect(Folding.fold(`A${added.below}\u0301`)).toBe(`a${added.below}\u0301`)
    expect(Folding.fold(`A\u0301${added.below}\u0323`)).toBe(`\u00e1${added.below}\u0323`)
    for (const code of unassigned) {
      const text = String.fromCodePoint(code)
      const folded = Folding.fold(`A\u0301${text}\u0323B`)
      // The table of case folding, which is that of Unicode 17, knows some of them.
      const expected = `\u00e1${folds.get(text) ?? text}\u0323b`
      if (folded !== expected) expect([code.toString(16), folded]).toEqual([code.toString(16), expected])
    }
    fc.assert(
      fc.property(assignedText, characterOf(unassigned), assignedText, (before, between, after) => {
        expect(Folding.fold(`${before}${between}${after}`)).toBe(
          `${Folding.fold(`${before}世`).slice(0, -1)}${Folding.fold(between)}${Folding.fold(`世${after}`).slice(1)}`
        )
      }),
      { numRuns: cases(5000) }
    )
  })

  it("folds a folded text to itself [LIST-4]", () => {
    // Each folding drops one dot above an i: of two the second one goes with the next.
    const text = fc.string({
      unit: fc.oneof(character, characterOf(unassigned)),
      maxLength: 12
    })
    fc.assert(
      fc.property(text, (each) => {
        const folded = Folding.fold(each)
        fc.pre(!folded.includes("i") || !folded.includes("\u0307"))
        expect(Folding.fold(folded)).toBe(folded)
      }),
      { numRuns: cases(5000) }
    )
  })

  it("keeps thirty combining marks in a row, of those that Unicode 16 has [LIST-4]", () => {
    for (const mark of ["\u0301", "\u093e", "\u{1d165}", "\uff9e"]) {
      const kept = foldedByRuntime(`世${mark.repeat(30)}`)
      for (const count of [31, 200]) expect(Folding.fold(`世${mark.repeat(count)}b`)).toBe(`${kept}b`)
    }
    const parted = `世${"\u0301".repeat(30)}${added.below}${"\u0301".repeat(30)}`
    expect(Folding.fold(parted)).toBe(parted)
    const addedAlone = `世${added.below.repeat(40)}`
    expect(Folding.fold(addedAlone)).toBe(addedAlone)
  })
})
