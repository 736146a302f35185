/** Two texts side by side: which lines are equal, and what differs in the others. */
import type { Violation } from "../world/KnownFacts.ts"

/** Lines of both sides that stand beside each other; null where one side has no such line. */
export interface ComparedRow {
  readonly expected: string | null
  readonly actual: string | null
  readonly isEqual: boolean
}

/** The greatest number of pairs of lines that are compared; beyond it only equal lines at the beginning and the end are found. */
const maxPairs = 1_000_000

/** JSON over several lines, so that a difference has a line of its own; any other text as it is. */
const linesOf = (text: string): ReadonlyArray<string> => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2).split("\n")
  } catch {
    return text.split("\n")
  }
}

/** The lengths of the longest common subsequences of all ends of both lists. */
const commonLengths = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): ReadonlyArray<Uint32Array> => {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i]![j] =
        a[i] === b[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!)
    }
  }
  return lengths
}

/** Lines that differ stand beside each other as far as both sides have some. */
const besides = (
  expected: ReadonlyArray<string>,
  actual: ReadonlyArray<string>
): ReadonlyArray<ComparedRow> =>
  Array.from({ length: Math.max(expected.length, actual.length) }, (_, i) => ({
    expected: expected[i] ?? null,
    actual: actual[i] ?? null,
    isEqual: false
  }))

const middle = (
  expected: ReadonlyArray<string>,
  actual: ReadonlyArray<string>
): ReadonlyArray<ComparedRow> => {
  if (expected.length * actual.length > maxPairs) return besides(expected, actual)
  const lengths = commonLengths(expected, actual)
  const rows: Array<ComparedRow> = []
  let [i, j, fromI, fromJ] = [0, 0, 0, 0]
  const flush = (): void => {
    rows.push(...besides(expected.slice(fromI, i), actual.slice(fromJ, j)))
  }
  while (i < expected.length && j < actual.length) {
    if (expected[i] === actual[j]) {
      flush()
      rows.push({ expected: expected[i]!, actual: actual[j]!, isEqual: true })
      ;[fromI, fromJ] = [++i, ++j]
    } else if (lengths[i + 1]![j]! >= lengths[i]![j + 1]!) i++
    else j++
  }
  ;[i, j] = [expected.length, actual.length]
  flush()
  return rows
}

/** All rows of two texts; JSON is compared line by line, indented. */
export const compareTexts = (expected: string, actual: string): ReadonlyArray<ComparedRow> => {
  const [a, b] = [linesOf(expected), linesOf(actual)]
  let from = 0
  while (from < Math.min(a.length, b.length) && a[from] === b[from]) from++
  let same = 0
  while (same < Math.min(a.length, b.length) - from && a.at(-1 - same) === b.at(-1 - same)) same++
  const equal = (line: string): ComparedRow => ({ expected: line, actual: line, isEqual: true })
  return [
    ...a.slice(0, from).map(equal),
    ...middle(a.slice(from, a.length - same), b.slice(from, b.length - same)),
    ...a.slice(a.length - same).map(equal)
  ]
}

const isWordAt = (text: string, at: number): boolean => /[\w.+-]/.test(text[at] ?? "")

/** A text in three parts: what it shares with the other at the beginning, what differs, in whole words, and what it shares at the end. */
export const partsOf = (
  text: string,
  other: string
): readonly [before: string, differs: string, after: string] => {
  const shortest = Math.min(text.length, other.length)
  let from = 0
  while (from < shortest && text[from] === other[from]) from++
  while (from > 0 && isWordAt(text, from - 1)) from--
  let same = 0
  while (same < shortest - from && text.at(-1 - same) === other.at(-1 - same)) same++
  while (same > 0 && isWordAt(text, text.length - same)) same--
  return [text.slice(0, from), text.slice(from, text.length - same), text.slice(text.length - same)]
}

/**
 * What a rule expected and what it got: the texts that the oracle compared, or the excerpts in its message; null where it
 * compared no texts.
 */
export const comparedBy = ({
  message,
  texts
}: Pick<Violation, "message" | "texts">): {
  readonly expected: string
  readonly actual: string
  readonly isExcerpt: boolean
} | null => {
  if (texts !== undefined) return { ...texts, isExcerpt: false }
  const excerpts = /…(.*)… instead of …(.*)…$/s.exec(message)
  if (excerpts !== null) return { actual: `…${excerpts[1]}…`, expected: `…${excerpts[2]}…`, isExcerpt: true }
  const answers = /was answered (\S+), not (\S+)$/.exec(message)
  return answers === null ? null : { actual: answers[1]!, expected: answers[2]!, isExcerpt: true }
}
