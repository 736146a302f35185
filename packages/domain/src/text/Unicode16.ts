/**
 * NFKC of Unicode 16, the version of the oldest supported runtime. `String.normalize` and `\p{…}` follow the runtime's version,
 * in which a text can have another form, while stores keep folded texts and fold the same texts again under other runtimes.
 */
import { markBounds, unassignedBounds } from "./Unicode16Table.ts"

/** The code points at which a class of characters begins and ends in turn, ascending. */
const decode = (bounds: string): ReadonlyArray<number> => {
  let last = 0
  return bounds.split(" ").map((distance) => (last += Number.parseInt(distance, 36)))
}

/** Whether a class has the code point: an odd number of its bounds lies at or below it. */
const contains = (bounds: ReadonlyArray<number>, code: number): boolean => {
  let [from, to] = [0, bounds.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (bounds[middle]! <= code) from = middle + 1
    else to = middle
  }
  return from % 2 === 1
}

const unassigned = decode(unassignedBounds)
const marks = decode(markBounds)

/** Classes of code points. A mark is a combining mark, or one of the two halfwidth letters that decompose to marks. */
const ordinary = 0
const mark = 1
const absent = 2

/** The class of each code point below U+10000: a look-up takes a tenth of the time of the search that others need. */
const classes = new Uint8Array(0x10000)
for (let i = 0; i < unassigned.length; i += 2) classes.fill(absent, unassigned[i], unassigned[i + 1])
for (let i = 0; i < marks.length; i += 2) classes.fill(mark, marks[i], marks[i + 1])
classes.fill(mark, 0xff9e, 0xffa0)

/** The class of the code point in Unicode 16. */
const classOf = (code: number): number =>
  code < 0x10000
    ? classes[code]!
    : contains(unassigned, code)
      ? absent
      : contains(marks, code)
        ? mark
        : ordinary

/**
 * How many combining marks in a row stay at most; further ones are dropped. Normalisation puts marks in their canonical order
 * in time quadratic in their number. Unicode's stream-safe text format (UAX #15, 13) has the same bound, and no orthography puts
 * ten marks on a base.
 */
const maxMarks = 30

/**
 * NFKC as Unicode 16 defines it, the same in every runtime of that version or a later one, in time linear in the text. Of a run
 * of more than thirty combining marks the first thirty stay.
 *
 * A text of characters that one version assigns has the same form in all later ones, by Unicode's stability policy, so the
 * runtime normalises such segments. Unassigned characters stay as they are and separate the segments: Unicode 16 gives them
 * no decomposition and the combining class 0.
 */
export const normalize = (text: string): string => {
  let normalized = ""
  let segment = ""
  let from = 0
  let marksInRow = 0
  for (let i = 0; i < text.length;) {
    const code = text.codePointAt(i)!
    const characterClass = classOf(code)
    const next = code < 0x10000 ? i + 1 : i + 2
    marksInRow = characterClass === mark ? marksInRow + 1 : 0
    if (characterClass === absent || marksInRow > maxMarks) {
      segment += text.slice(from, i)
      from = next
    }
    if (characterClass === absent) {
      normalized += segment.normalize("NFKC") + text.slice(i, next)
      segment = ""
    }
    i = next
  }
  return normalized + (segment + text.slice(from)).normalize("NFKC")
}
