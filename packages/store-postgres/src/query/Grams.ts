/**
 * What finds a lead by its texts: hashes of every sequence of one, two and three characters in the folded name and headline, each with
 * the brand. Hashes of two sequences can be equal, so whatever they find is compared with the texts, too.
 */
import { Folding } from "@lead-signals/domain/pure"

/** One step of FNV-1a with 32 bits, over two halves of a number. */
const mix = (h: number, value: number): number =>
  Math.imul(Math.imul(h ^ (value & 0xffff), 0x01000193) ^ (value >>> 16), 0x01000193)

const beginning = (brandId: number): number =>
  mix(mix(0x811c9dc5, brandId | 0), Math.floor(brandId / 0x1_0000_0000))

/** The last numbers of a sequence would change few of the high bits. */
const finish = (h: number): number => {
  const mixed = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d)
  return mixed ^ (mixed >>> 13)
}

const codesOf = (text: string): ReadonlyArray<number> => {
  const codes: Array<number> = []
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i)!
    codes.push(code)
    if (code > 0xffff) i++
  }
  return codes
}

const maxGram = 3

/** The hashes of a lead's texts, each once. */
export const gramsOf = (brandId: number, texts: ReadonlyArray<string | null>): ReadonlyArray<number> => {
  const first = beginning(brandId)
  const grams = new Set<number>()
  for (const text of texts) {
    const codes = codesOf(text ?? "")
    for (let from = 0; from < codes.length; from++) {
      let h = first
      for (let i = from; i < Math.min(from + maxGram, codes.length); i++) {
        h = mix(h, codes[i]!)
        grams.add(finish(h))
      }
    }
  }
  return [...grams]
}

/** Sequences of a needle that one search looks up at most: more find hardly fewer leads, and each takes time. */
const maxLookedUp = 24

/**
 * Hashes that the texts of every match have, of sequences spread over the needle, which cover it where it is short; null when nothing can
 * match: no stored text has such characters.
 */
export const gramsOfNeedle = (brandId: number, needle: string): ReadonlyArray<number> | null => {
  if (needle.includes("\u0000") || !needle.isWellFormed()) return null
  const codes = codesOf(needle)
  const length = Math.min(codes.length, maxGram)
  const last = codes.length - length
  const count = Math.min(Math.ceil(codes.length / maxGram), maxLookedUp)
  const beginnings = Array.from({ length: count }, (_, i) =>
    count === 1 ? 0 : Math.min(Math.ceil((i * last) / (count - 1)), last)
  )
  return [
    ...new Set(
      beginnings.map((from) => finish(codes.slice(from, from + length).reduce(mix, beginning(brandId))))
    )
  ]
}

/** The folded texts that a search compares. */
export interface SearchTexts {
  readonly name: string
  readonly headline: string | null
}

/** The folded texts that searches compare. */
export const searchTextsOf = (name: string, headline: string | null): SearchTexts => ({
  name: Folding.fold(name),
  headline: headline === null ? null : Folding.fold(headline)
})
