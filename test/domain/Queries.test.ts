import { Folding, InvalidParameter, LeadQueries, Page, SortOrder } from "@lead-signals/domain"
import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readFileSync } from "node:fs"
import { caseFoldingSource } from "../../scripts/case-folding.mjs"
import { cases } from "../harness/Thoroughness.ts"

const read = (...entries: Array<[string, string]>) => LeadQueries.readList(entries)
const right = (...entries: Array<[string, string]>) => Either.getOrThrow(read(...entries))
const refusal = (...entries: Array<[string, string]>): InvalidParameter => {
  const result = read(...entries)
  if (Either.isRight(result)) throw new Error(`accepted: ${JSON.stringify(entries)}`)
  return result.left
}

describe("sort", () => {
  const field = fc.constantFrom("createdAt", "updatedAt", "score1", "name")
  const direction = fc.constantFrom("asc", "desc", "ASC", "DESC", "Asc", "dEsC")

  it("takes field:direction, the direction in any case, and shows it in lower case [SORT-1, SORT-4]", () => {
    fc.assert(
      fc.property(field, direction, (f, d) => {
        expect(SortOrder.format(right(["sort", `${f}:${d}`]).sort)).toBe(`${f}:${d.toLowerCase()}`)
      })
    )
  })

  it("is createdAt:desc when omitted or empty [SORT-2]", () => {
    for (const query of [right(), right(["sort", ""])])
      expect(SortOrder.format(query.sort)).toBe("createdAt:desc")
  })

  it("refuses anything else, and lists the fields [SORT-3]", () => {
    const text = fc.oneof(
      fc.string(),
      fc.tuple(field, direction, fc.string({ minLength: 1 })).map(([f, d, rest]) => `${f}:${d}:${rest}`),
      fc.tuple(field, fc.string()).map(([f, rest]) => f + rest),
      fc
        .tuple(fc.constantFrom("CreatedAt", "createdat", "id", "NAME"), direction)
        .map((parts) => parts.join(":")),
      fc.tuple(field, direction).map((parts) => ` ${parts.join(":")}`),
      fc.tuple(field, direction).map((parts) => `${parts.join(":")} `),
      fc.tuple(field, direction).map((parts) => `${parts.join(" : ")}`)
    )
    fc.assert(
      fc.property(text, (sort) => {
        const [f, d, ...rest] = sort.split(":")
        const isGood =
          ["createdAt", "updatedAt", "score1", "name"].includes(f!) &&
          ["asc", "desc"].includes((d ?? "").toLowerCase()) &&
          rest.length === 0
        fc.pre(!isGood && sort !== "")
        const { message } = refusal(["sort", sort])
        for (const name of ["sort", "createdAt", "updatedAt", "score1", "name"])
          expect(message).toContain(name)
      }),
      { numRuns: cases(3000) }
    )
    const twice = refusal(["sort", "name:asc"], ["sort", "name:asc"]).message
    for (const word of ["only once", "createdAt", "updatedAt", "score1", "name"])
      expect(twice).toContain(word)
  })
})

describe("parameters", () => {
  const flags = ["qualified", "exported", "isEmployee", "includeEngagements", "includeEngagementDetail"]

  it("takes booleans in any case, and nothing else [LIST-6]", () => {
    for (const name of flags) {
      for (const value of ["true", "TRUE", "False", "fAlSe"])
        expect(Either.isRight(read([name, value]))).toBe(true)
      for (const value of ["", "1", "0", "yes", "true ", " true", "tru", "falſe", "null", "[true]"]) {
        expect(refusal([name, value])).toMatchObject({
          parameter: name,
          message: expect.stringContaining("true or false")
        })
      }
    }
    expect(right(["qualified", "TRUE"], ["exported", "false"]).filter).toEqual({
      qualified: true,
      exported: false
    })
  })

  it("takes integers from 1 up in decimal digits, and nothing else [LIST-6, PAGE-5]", () => {
    const integers = ["page", "pageSize", "signalId"]
    const bad = [
      "",
      "0",
      "-1",
      "+1",
      "1.5",
      "1e3",
      "0x10",
      " 1",
      "1 ",
      "١",
      "NaN",
      "9007199254740992",
      "9".repeat(400),
      "abc"
    ]
    for (const name of integers) {
      for (const value of ["1", "007", "9007199254740991"])
        expect(Either.isRight(read([name, value]))).toBe(true)
      for (const value of bad) {
        const { message, parameter } = refusal([name, value])
        expect([parameter, message]).toEqual([name, expect.stringContaining("integer from 1")])
      }
    }
  })

  it("takes each parameter of the table once only [LIST-7]", () => {
    for (const name of LeadQueries.listParameters) {
      const value =
        name.includes("After") || name.includes("Before") ? "2026-01-01" : name === "sort" ? "name:asc" : "1"
      expect(refusal([name, value], ["other", "x"], [name, value])).toMatchObject({
        parameter: name,
        message: expect.stringContaining("only once")
      })
    }
  })

  it("ignores unknown parameters, and says which, and which it accepts [LIST-7, LIST-10]", () => {
    const { ignored, ...query } = right(["pagesize", "3"], ["sort", "name:asc"], ["zzz", "1"], ["zzz", "2"])
    expect({ ...query, ignored: right().ignored }).toEqual(right(["sort", "name:asc"]))
    expect(ignored).toEqual({ names: ["pagesize", "zzz"], accepted: LeadQueries.listParameters })
    expect(right().ignored.names).toEqual([])
  })

  it("takes at most 200 characters of search, and none for an empty one [LIST-4]", () => {
    expect(right(["search", ""]).filter).toEqual({})
    expect(right(["search", "x".repeat(200)]).filter.search).toHaveLength(200)
    expect(right(["search", "😀".repeat(200)]).filter.search).toBeDefined()
    for (const value of ["x".repeat(201), "😀".repeat(201)])
      expect(refusal(["search", value]).message).toContain("200")
  })

  it("needs no order of bounds [TIME-8]", () => {
    expect(right(["createdAfter", "2026-02-01"], ["createdBefore", "2026-01-01"]).filter).toEqual({
      createdAfter: Date.UTC(2026, 1, 1),
      createdBefore: Date.UTC(2026, 0, 1)
    })
  })

  it("names the timestamp parameter and its forms when it refuses one [TIME-3, ERR-3]", () => {
    for (const name of ["createdAfter", "createdBefore", "updatedAfter", "updatedBefore"]) {
      expect(refusal([name, "1767225600"]).message).toMatch(
        new RegExp(`^${name} takes a date such as 2026-01-31, or `)
      )
      expect(refusal([name, "2026-01-01"], [name, "2026-01-01"]).parameter).toBe(name)
    }
  })
})

describe("pages", () => {
  it("has the defaults page 1 and pageSize 25 [PAGE-2]", () => {
    expect(right().page).toEqual({ page: 1, pageSize: 25 })
  })

  it("caps pageSize at 100, and at 25 with engagements [PAGE-4]", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), fc.boolean(), (size, withEngagements) => {
        const { page } = right(["pageSize", String(size)], ["includeEngagements", String(withEngagements)])
        expect(page.pageSize).toBe(Math.min(size, withEngagements ? 25 : 100))
      })
    )
  })

  it("counts as many pages as the applied size needs [PAGE-1]", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.nat(100_000), (pageSize, total) => {
        const pages = Page.pageCount({ page: 1, pageSize }, total)
        expect(pages * pageSize).toBeGreaterThanOrEqual(total)
        expect((pages - 1) * pageSize).toBeLessThan(Math.max(1, total))
      })
    )
  })
})

describe("engagement inclusion", () => {
  it("applies detail only together with engagements [ENG-4]", () => {
    const engagements = (on: string, detail: string) =>
      right(["includeEngagements", on], ["includeEngagementDetail", detail]).engagements
    expect([engagements("true", "true"), engagements("true", "false"), engagements("false", "true")]).toEqual(
      ["detailed", "plain", "none"]
    )
    expect(right(["includeEngagementDetail", "true"]).engagements).toBe("none")
  })

  it("works alone on a lead's detail [DET-2]", () => {
    const read = (entries: ReadonlyArray<readonly [string, string]>) =>
      Either.getOrThrow(LeadQueries.readDetail(entries)).engagements
    expect(read([["includeEngagementDetail", "true"]])).toBe("detailed")
    expect(read([])).toBe("plain")
  })

  it("takes a positive integer as a lead's id [DET-3]", () => {
    for (const id of ["0", "-1", "1.0", "abc", "", "%31"])
      expect(Either.isLeft(LeadQueries.readLeadId(id))).toBe(true)
    expect(LeadQueries.readLeadId("41")).toEqual(Either.right(41))
  })
})

describe("comparing by code points", () => {
  it("orders as UTF-8 bytes do, which is how SQLite compares [SORT-6]", () => {
    const bytes = (text: string) => new TextEncoder().encode(text)
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
        expect(Math.sign(Folding.compareCodePoints(a, b))).toBe(Math.sign(Buffer.compare(bytes(a), bytes(b))))
      }),
      { numRuns: cases(5000) }
    )
    expect(Folding.compareCodePoints("\uffff", "😀")).toBeLessThan(0)
  })

  it("folds plain texts as it folds all others [LIST-4, SORT-6]", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(Folding.fold(`${text}世`)).toBe(`${Folding.fold(text)}世`)
      }),
      { numRuns: cases(2000) }
    )
  })

  it("folds case as Unicode does, in every script, without a language [LIST-4, SORT-6]", () => {
    const same = [
      ["Straße", "STRASSE", "strasse"],
      ["İstanbul", "istanbul", "I\u0307stanbul"],
      ["Σίσυφος", "ΣΊΣΥΦΟΣ", "σίσυφοσ"],
      ["ﬁne ＡＢＣ", "FINE abc"],
      ["Ꭰꮿ", "ꭰᏯ"],
      ["ǅ", "ǆ", "Ǆ"],
      ["ᾼ", "ᾳ", "ΑΙ"],
      ["𐐀", "𐐨"],
      ["ẞ", "ss"]
    ]
    for (const [text, ...others] of same) {
      for (const other of others) expect([other, Folding.fold(other)]).toEqual([other, Folding.fold(text!)])
    }
    // Without a dot it is another letter, whose capital only Turkish takes for I.
    expect(Folding.fold("ı")).toBe("ı")
    expect(Folding.fold("Ärmel ﬁ")).toBe("ärmel fi")
  })

  it("folds capitals and small letters of every code point to the same [LIST-4]", () => {
    for (let code = 0; code < 0x20000; code++) {
      const character = String.fromCodePoint(code)
      if (character === "ı" || !character.isWellFormed()) continue
      const folded = Folding.fold(character)
      for (const other of [character.toLowerCase(), character.toUpperCase()]) {
        if (other !== character) expect([character, Folding.fold(other)]).toEqual([character, folded])
      }
      if (Folding.fold(folded) !== folded)
        expect([character, Folding.fold(folded)]).toEqual([character, folded])
    }
  })

  it("finds a folded part in any folded whole, of the final sigma too [LIST-4]", () => {
    expect(Folding.fold("ΟΔΥΣΣΕΥΣ ΕΛΥΤΗΣ")).toContain(Folding.fold("Οδυσσευς"))
    for (const part of ["ΣΊΣΥΦΟΣ", "ίσυφο", "φος"])
      expect(Folding.fold("Ο Σίσυφος")).toContain(Folding.fold(part))
  })

  it("takes the table that the Unicode package gives [LIST-4]", async () => {
    const file = new URL("../../packages/domain/src/text/CaseFoldingTable.ts", import.meta.url)
    expect(await caseFoldingSource()).toBe(readFileSync(file, "utf8"))
  })
})
