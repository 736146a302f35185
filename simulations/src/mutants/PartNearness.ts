/** Which parts of the vocabulary have most to do with a mutant: those whose probes have its words. */
import { vocabularyInput, vocabularyParts } from "../VocabularyRun.ts"
import type { Mutant } from "./Mutant.ts"

/** In small letters and the singular, so that `AllowedAddresses` and `allowedAddresses` are one. */
const wordsIn = (text: string): ReadonlyArray<string> =>
  (text.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? []).map((word) => word.toLowerCase().replace(/s$/, ""))

/** How many probes of a part have each word. */
type WordCounts = ReadonlyMap<string, number>

const wordCountsOf = (part: number): WordCounts => {
  const counts = new Map<string, number>()
  for (const action of vocabularyInput(part).plan.actions) {
    if (action.do !== "probe") continue
    for (const probe of action.probes)
      for (const word of new Set(wordsIn(probe))) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return counts
}

let parts: ReadonlyArray<WordCounts> | null = null

const partsByWords = (): ReadonlyArray<WordCounts> =>
  (parts ??= Array.from({ length: vocabularyParts() }, (_, i) => wordCountsOf(i + 1)))

/** Words of the names count for more than those beside the change. */
const weights = { name: 1, beside: 0.4 }

/** How near each part, from 1 on, is to the mutant; 0 for one that has none of its words. A word that few parts have says more than others. */
export const partNearness = ({ diff, id }: Pick<Mutant, "diff" | "id">): ((part: number) => number) => {
  const all = partsByWords()
  const [module = "", names = ""] = id.split(":")
  const weightOf = new Map(wordsIn(diff).map((word) => [word, weights.beside]))
  for (const word of wordsIn(`${module.split("/").at(-1)} ${names}`)) weightOf.set(word, weights.name)
  const terms = [...weightOf].flatMap(([word, weight]) => {
    const having = all.filter((counts) => counts.has(word)).length
    return having === 0 ? [] : [{ word, weight: weight * Math.log((all.length + 1) / having) }]
  })
  return (part) =>
    terms.reduce((sum, { weight, word }) => sum + weight * Math.log1p(all[part - 1]!.get(word) ?? 0), 0)
}
