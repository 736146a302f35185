/**
 * The fenced blocks of a page of the documentation. The words after the language say what the tests do with a block:
 *
 * - `sh run`: runs to its end, in the page's own terminal. Nothing is set but what earlier blocks of it have exported.
 * - `sh run NAME`: runs in a terminal of its own and goes on. The next block waits until it listens.
 * - `ts run`: a program. `server/readme.test.ts` runs those that read `process.env` as `sh run`, `packed/packed.test.ts` the others.
 * - `ts example`: a program in the folder of a private package; `architecture/readmes.test.ts` runs it.
 * - `text output`: each line is among those that the block before has printed; with a NAME, that this terminal prints. Numbers and
 *   gaps may differ, and `…` stands for anything.
 * - `json output`: the block before has printed these keys with values of these types, and maybe more.
 */

export interface Block {
  readonly language: string
  /** What follows the language. */
  readonly words: ReadonlyArray<string>
  readonly code: string
}

export const blocksOf = (page: string): ReadonlyArray<Block> =>
  Array.from(page.matchAll(/^```(\w+)(.*)\n([\s\S]*?)^```$/gm), ([, language, words, code]) => ({
    language: language!,
    words: words!.split(" ").filter((word) => word !== ""),
    code: code!
  }))

const readsEnvironment = (code: string): boolean => code.includes("process.env")

/** Whether the block runs in a session of its page. */
export const isCommand = ({ code, language, words }: Block): boolean =>
  words[0] === "run" && (language === "sh" || (language === "ts" && readsEnvironment(code)))

/** Whether the block is a program that runs by itself. */
export const isProgram = ({ code, language, words }: Block): boolean =>
  words[0] === "run" && language === "ts" && !readsEnvironment(code)

export const isOutput = ({ words }: Block): boolean => words[0] === "output"

const patternOf = (line: string): RegExp => {
  const pattern = line
    .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
    .replace(/\d+/g, "\\d+")
    .replace(/ +/g, " +")
    .replaceAll("…", ".*")
  return new RegExp(`^${pattern}$`)
}

const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

/** The lines of `shown` that no line of `printed` is like, in any order. */
const missingLines = (rendered: string, printed: string): ReadonlyArray<string> => {
  const lines = linesOf(printed)
  return linesOf(rendered).filter((line) => !lines.some((each) => patternOf(line).test(each)))
}

const typeOf = (value: unknown): string => (Array.isArray(value) ? "array" : typeof value)

/** Where `actual` lacks what `shown` has. Null may stand for any value, in either: another person's data has other gaps. */
const missingKeys = (rendered: any, actual: any, at = "the answer"): ReadonlyArray<string> => {
  if (actual === undefined) return [`${at} is not there`]
  if (rendered === null || actual === null) return []
  if (typeOf(rendered) !== typeOf(actual)) return [`${at} is no ${typeOf(rendered)}`]
  if (typeof rendered !== "object") return []
  return Object.keys(rendered).flatMap((key) => missingKeys(rendered[key], actual[key], `${at}.${key}`))
}

/** What an output shows and `printed` lacks. */
export const missingIn = (printed: string, { code, language }: Block): ReadonlyArray<string> =>
  language === "json" ? missingKeys(JSON.parse(code), JSON.parse(printed)) : missingLines(code, printed)
