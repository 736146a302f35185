/** What postings of trigrams keep of texts that are gone: from a posting with its position a part of the text could be made again. */
import { needleOf, type Texts, TrigramPostings, Trigrams } from "@lead-signals/store-sqlite/internal"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cases } from "../harness/Thoroughness.ts"

/** As a slot has them: a name and a headline, each ended by U+0000. */
const textsOf = (people: ReadonlyArray<readonly [name: string, headline: string]>): Texts => {
  const each = people.map((texts) => Buffer.from(texts.map((text) => `${text}\u0000`).join("")))
  const starts = new Uint32Array(people.length + 1)
  for (const [i, { length }] of each.entries()) starts[i + 1] = starts[i]! + length
  return { starts, bytes: Buffer.concat(each) }
}

/** Needles of up to six bytes are found by postings alone, of one or two lists, without a look at a text. */
const maxBytes = 6

/** Each part of so many bytes that does not reach over the end of a text. */
const partsOf = ({ bytes, starts }: Texts, slot: number): ReadonlyArray<Buffer> => {
  const text = Buffer.from(bytes.subarray(starts[slot], starts[slot + 1]))
  return Array.from({ length: text.length }, (_, at) =>
    Array.from({ length: maxBytes }, (_, more) => text.subarray(at, at + more + 1))
  )
    .flat()
    .filter((part) => !part.includes(0))
}

describe("the postings of trigrams", () => {
  it("keep nothing of a text that was removed, up to its last byte, and all of the others [PII-3, LIST-4]", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "a", "b", "c", "é", "日"), maxLength: 7 })
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 12, size: "max" }),
        fc.array(fc.nat(11), { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        (people, drawn, isJoined) => {
          const trigrams = new Trigrams()
          const texts = textsOf(people)
          const count = people.length
          const part = TrigramPostings.of(texts, count, trigrams)
          // The second part has the slots behind those of the first.
          const postings = isJoined
            ? TrigramPostings.concat([part, TrigramPostings.of(texts, count, trigrams)], count)
            : part
          const slots = Array.from({ length: isJoined ? 2 * count : count }, (_, slot) => slot)
          const there = new Set(slots)
          const foundBy = (needle: Buffer): ReadonlyArray<number> => {
            const found = new Set<number>()
            const look = () => expect.unreachable("no text is looked at")
            const never = { contains: look, includes: look }
            postings.find(needleOf(needle, trigrams), 0, never, (slot) => found.add(slot))
            return [...found]
          }
          const needles = [
            ...new Map(
              people.flatMap((_, slot) => partsOf(texts, slot)).map((part) => [part.toString("hex"), part])
            ).values()
          ]
          for (const slot of drawn.map((n) => n % slots.length)) {
            if (!there.delete(slot)) continue
            postings.remove(texts, slot % count, slot, trigrams)
            for (const needle of needles) {
              const expected = slots.filter(
                (other) => there.has(other) && partsOf(texts, other % count).some((own) => own.equals(needle))
              )
              expect([needle.toString("hex"), foundBy(needle)]).toEqual([needle.toString("hex"), expected])
            }
          }
        }
      ),
      { numRuns: cases(60) }
    )
  })

  it("of texts that repeat some characters are read twice for a needle that does, and each text once [LIST-4]", () => {
    // Also where no text has more places than it costs to look at it: each list keeps what those before it have left.
    const drawn = ["a", "ab", "aab", "日本"].map((motif) => [motif, 300, 50] as const)
    for (const [motif, times, wanted] of [...drawn, ["a", 30, 25] as const]) {
      const trigrams = new Trigrams()
      const people = Array.from({ length: 8 }, (_, i) => [motif.repeat(times), `${i}`] as const)
      const texts = textsOf(people)
      const postings = TrigramPostings.of(texts, people.length, trigrams)
      const needle = Buffer.from(motif.repeat(wanted))
      let compared = 0
      const looked: Array<number> = []
      const found: Array<number> = []
      const comparable = {
        contains: () => (compared++, true),
        includes: (slot: number, bytes: Buffer) => {
          looked.push(slot)
          return bytes.equals(needle)
        }
      }
      postings.find(needleOf(needle, trigrams), 0, comparable, (slot) => found.push(slot))
      // All postings together would find them too, but there is a list of hundreds for each of the needle's bytes.
      expect([motif, compared, looked]).toEqual([motif, 0, people.map((_, slot) => slot)])
      expect(found).toEqual(looked)
    }
  })

  it("finds all texts where one trigram has more places than a part has slots [LIST-4]", () => {
    const trigrams = new Trigrams()
    const people = Array.from({ length: 12 }, () => ["a".repeat(6000), ""] as const)
    const postings = TrigramPostings.of(textsOf(people), people.length, trigrams)
    const found = new Set<number>()
    const never = { contains: () => false, includes: () => false }
    postings.find(needleOf(Buffer.from("aaaa"), trigrams), 0, never, (slot) => found.add(slot))
    expect([...found]).toEqual(people.map((_, slot) => slot))
  })
})
