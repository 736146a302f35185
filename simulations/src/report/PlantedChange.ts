/** What a planted bug changes, for people: the file, and the lines as they are and as they become. */

/** Neighbouring lines that are replaced. */
export interface ChangedLines {
  /** The number of the first line, from 1. */
  readonly line: number
  readonly removed: ReadonlyArray<string>
  readonly added: ReadonlyArray<string>
}

/** What the page and the console show of a planted bug. */
export interface PlantedChange {
  readonly name: string
  readonly about: string
  /** From the root of the repository. */
  readonly file: string
  readonly changes: ReadonlyArray<ChangedLines>
}

/** The lines without the indentation that they share. */
const outdented = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const full = lines.filter((line) => line.trim() !== "")
  const indentation = Math.min(...full.map((line) => line.length - line.trimStart().length))
  return full.map((line) => line.slice(indentation))
}

/** The change as a difference of two texts, for a terminal or a page. */
export const renderPlantedChange = ({ about, changes, file, name }: PlantedChange): ReadonlyArray<string> => [
  `planted bug: ${name}: ${about}`,
  ...changes.flatMap(({ added, line, removed }) => [
    `  ${file}:${line}`,
    ...outdented(removed).map((each) => `  - ${each}`),
    ...outdented(added).map((each) => `  + ${each}`)
  ])
]
