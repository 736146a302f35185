/** What the log of attempts shows of responses: what repeats nothing, what was cut or shortened, and what can't be compared. */
import { describe, expect, it } from "vitest"
import fc from "fast-check"
import { cases } from "../harness/Thoroughness.ts"
import { redacted } from "./RedactedResponse.ts"

describe("the redacted excerpt of a response", () => {
  it("holds no end of a text whose beginning another text has, too [DELIV-5, PII-2]", () => {
    const [page, picture] = ["https://network.example/in/", "https://media.network.example/in/b0-p1.png"]
    const answer = `bad: ${picture.slice(11)}"`
    expect(redacted(answer, { lead2: { liProfileUrl: `${page}x`, profileImgUrl: picture } })).toBe(
      'bad: […]"'
    )
  })

  it("keeps the end of a cut response that has all of a name but its first letter [DELIV-5]", () => {
    const answer = "no such user: aaab"
    expect(redacted(`${answer}, or it is gone`, { lead2: { name: "aaaab" } }, answer.length)).toBe(answer)
  })

  it("holds nothing of a fragment of a text that repeats itself [DELIV-5, PII-2]", () => {
    const repeating = fc
      .tuple(
        fc.stringMatching(/^[abz漢]{1,12}$/),
        fc.nat({ max: 20 }),
        fc.stringMatching(/^[abz]{0,6}$/),
        fc.nat({ max: 11 })
      )
      .map(([part, times, end, from]) => `${part.repeat(times + 4)}${end}`.slice(from % part.length))
      .filter((text) => text.length >= 16)
    const quoted = repeating.chain((text) =>
      fc
        .tuple(fc.nat({ max: text.length - 16 }), fc.nat())
        .map(
          ([from, more]) => [text, text.slice(from, from + 16 + (more % (text.length - from - 15)))] as const
        )
    )
    fc.assert(
      fc.property(quoted, ([text, quote]) => {
        expect(redacted(`no ${quote}!`, { engagements: [{ postContent: text }] })).toBe("no […]!")
      }),
      { numRuns: cases(300) }
    )
  })

  it("holds no word of an author's name where only the post has it [DELIV-5, PII-2]", () => {
    const engagements = [{ postAuthor: "Cy Quill-Marsh Ferrant", postAuthorDetail: null }]
    expect(redacted("no ferrant, nor QUILL-MARSH", { engagements })).toBe("no […], nor […]")
  })

  it("is the answer as it came, when it repeats nothing [DELIV-5]", () => {
    const data = {
      lead2: { id: 7, name: "Ada Example", headline: "Head of R&D" },
      engagements: [{ id: "e1", type: "comment" }]
    }
    for (const text of [
      "ok",
      '{"error":"no\\u0020such list","id":"e1"}',
      "a%20b &amp; c\n\td",
      "comment 7"
    ]) {
      expect(redacted(text, data)).toBe(text)
    }
    expect(redacted("", data)).toBeNull()
    // A byte that is no UTF-8 is read as of western Europe.
    expect(redacted(Buffer.from([0x41, 0xff, 0x07, 0x42]), data)).toBe("AÿB")
    expect(redacted("a\ufffdb", data)).toBe("a\ufffdb")
  })

  it("shows bytes that are no UTF-8 as windows-1252 has them, on every Node [DELIV-5]", () => {
    const answer = Buffer.from([0x93, 0x4a, 0x56, 0x94, 0x20, 0x80, 0x9f, 0x8e, 0x81, 0xdf])
    expect(redacted(answer, { lead2: { name: "Ada Example" } })).toBe("“JV” €ŸŽß")
  })

  it("holds no half of a character that a repetition ends within [DELIV-5]", () => {
    const data = { lead2: { headline: "Head of Purchasing 😀" } }
    expect(redacted("no Head of Purchasing 😁!", data)).toBe("no […]!")
  })

  it("holds nothing personal of an echo that was cut within a character [DELIV-5, PII-2]", () => {
    const name = "Grete Grün und Ännchen Weiß"
    const bytes = Buffer.concat([
      Buffer.from("no "),
      Buffer.from(name).subarray(0, 9),
      Buffer.from(", "),
      Buffer.from(name)
    ])
    expect(redacted(bytes, { lead2: { id: 7, name } })).toBe("no […] GrÃ, […]")
  })

  it("ends with the last character that a cut left whole, also where other bytes are no UTF-8 [DELIV-5]", () => {
    const characters = fc.constantFrom("a", "é", "\u07ff", "\u0800", "李", "\ud7ff", "ａ", "😀", "\u{10fffd}")
    fc.assert(
      fc.property(fc.array(characters, { minLength: 1, maxLength: 6 }), fc.nat(24), (text, cut) => {
        const bytes = Buffer.concat([Buffer.from([0xff]), Buffer.from(`.${text.join("")}!`)])
        const cutAt = Math.min(2 + cut, bytes.length - 1)
        let [whole, end] = ["ÿ.", 2]
        for (const character of text) {
          end += Buffer.from(character).length
          if (end <= cutAt) whole += character
        }
        expect(redacted(bytes, {}, cutAt)).toBe(whole)
      }),
      { numRuns: cases(4000) }
    )
  })

  it("resolves escapes where it repeats something, and at its end only what a cut left incomplete [DELIV-5]", () => {
    const data = { lead2: { name: "Ada <Q> Li" } }
    expect(redacted("no Ada &lt;Q&gt; Li: 100%", data)).toBe("no […]: 100%")
    expect(redacted("no Ada &lt;Q&gt; Li: 100%41", data, 25)).toBe("no […]: 100")
  })

  it("holds no beginning of a name that the cut leaves, also where that begins within itself [DELIV-5]", () => {
    expect(redacted("answer aaaabcdef", { lead2: { name: "aaabcdef" } }, 11)).toBe("answer a[…]")
  })

  it("holds no beginning of a name behind an ampersand, where the cut can as well have left a reference [DELIV-5, PII-2]", () => {
    const data = { lead2: { name: "Thorsten Q", headline: "Sales & Logistics" } }
    for (const layer of ["&", "&amp;", "&amp;amp;"]) {
      const answer = `id=7${layer}Thorsten Q is unknown`
      for (let cut = `id=7${layer}Tho`.length; cut < `id=7${layer}Thorsten Q`.length; cut++)
        expect(redacted(answer, data, cut)).toBe("id=7&[…]")
    }
    expect(redacted("no Sales &amp; Logistics", data, 12)).toBe("no […]")
    expect(redacted("a=1&amp;b=2", data, 7)).toBe("a=1&amp")
  })

  it("holds nothing personal of an echo that the receiver shortened itself [DELIV-5, PII-2]", () => {
    const comment = "I left my employer last week because of my health, please call me at home on 030 1234567"
    const data = {
      lead2: { id: 7, name: "Ada Example", headline: "Head of Purchasing & Logistics at Northwind, Lisbon" },
      engagements: [{ id: "e1", type: "comment", commentText: comment }]
    }
    for (const [answer, kept] of [
      [`DETAIL: row (7, ${comment.slice(0, 64)}...)`, "DETAIL: row (7, […]...)"],
      [`token near "${comment.slice(20, 60)}" not understood`, 'token near "[…]" not understood'],
      [`bad: ${JSON.stringify(data).slice(20, 90)}… (truncated)`, "… (truncated)"],
      [`bad: Head of Purchasing &amp; Logi… (truncated)`, "bad: […]… (truncated)"]
    ]) {
      const redactedText = redacted(answer!, data)!
      expect(redactedText).toContain(kept)
      for (const word of ["employer", "health", "Purchasing", "Northwind"])
        expect(redactedText).not.toContain(word)
    }
  })

  it("holds no word of a name that another field has as its whole text [DELIV-5, PII-2]", () => {
    const [text, lead] = [{ engagements: [{ postContent: "Ada Roe" }] }, { lead2: { name: "Ada Roe" } }]
    for (const data of [
      { ...text, ...lead },
      { ...lead, ...text }
    ])
      expect(redacted("no such Roe", data)).toBe("no such […]")
  })

  it("holds no name with more than thirty marks on a letter, however many an echo has [DELIV-5, PII-2]", () => {
    const withMarks = (count: number): string => `Zo${"\u0315\u0301".repeat(count)}e`
    for (const [kept, echoed] of [
      [20, 20],
      [16, 40],
      [5000, 20]
    ] as const)
      expect(redacted(`no ${withMarks(echoed)}!`, { lead2: { name: withMarks(kept) } })).toBe("no […]!")
  })

  it("is withheld when a payload has too many texts to be compared [DELIV-5]", () => {
    const data = {
      lead2: { headline: Array.from({ length: 20_000 }, (_, i) => `line number ${i}`).join("\n") }
    }
    expect(redacted("line number 19999", data)).toContain("withheld")
    const lines = (count: number) => ({
      lead2: { headline: Array.from({ length: count }, (_, i) => `the line ${i}`).join("\n") }
    })
    expect(redacted("no: the line 4990", lines(4_995))).toBe("no: […]")
    expect(redacted("no: the line 4990", lines(5_001))).toContain("withheld")
  })
})
