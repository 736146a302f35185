/** Answers of the API as the documentation shows them: short, and the same in each run. */

const maxLine = 110
const maxText = 200
/** Elements of a list that are shown. */
const maxElements = 1

/** What differs from run to run: times, days, cursors, ids of deliveries and ports. */
const steady = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, "2026-…Z")
    .replaceAll(/\d{4}-\d{2}-\d{2}/g, "2026-…")
    .replaceAll(/\b(wh_)[0-9a-f]{32}/g, "$1…")
    .replaceAll(/(127\.0\.0\.1:)\d+/g, "$1…")

const text = (value: string): string => {
  const short = steady(value)
  return JSON.stringify(short.length > maxText ? `${short.slice(0, maxText)}…` : short).replaceAll(
    /\p{Cf}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )
}

const renderedEntries = (value: object): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(value).filter(([, field]) => field !== null)

const inBrackets = (
  open: string,
  close: string,
  parts: (indent: string) => ReadonlyArray<string>,
  indent: string
): string => {
  const line = `${open}${parts("").join(", ")}${close}`
  if (line.length + indent.length <= maxLine && !line.includes("\n")) return line
  const deeper = `${indent}  `
  return `${open}\n${parts(deeper)
    .map((part) => `${deeper}${part}`)
    .join(",\n")}\n${indent}${close}`
}

/**
 * JSON of a line, or of indented ones where it is longer. Fields that are null are left out, as is all but the first element of a list, which says how many
 * there are; `…` stands for what differs from run to run and for the rest of a long text.
 */
export const readableAnswer = (value: unknown, indent = ""): string => {
  if (typeof value === "string") return text(value)
  if (Array.isArray(value)) {
    const rest = value.length - maxElements
    // Texts are short enough for all of them.
    const isWhole = rest <= 0 || value.every((element) => typeof element !== "object")
    return inBrackets(
      "[",
      "]",
      (deeper) => [
        ...value.slice(0, isWhole ? value.length : maxElements).map((each) => readableAnswer(each, deeper)),
        ...(isWhole ? [] : [`… ${rest} more`])
      ],
      indent
    )
  }
  if (typeof value === "object" && value !== null) {
    return inBrackets(
      "{",
      "}",
      (deeper) =>
        renderedEntries(value).map(([name, field]) => {
          const isOpaque = name === "cursor"
          return `${JSON.stringify(name)}: ${isOpaque ? '"…"' : readableAnswer(field, deeper)}`
        }),
      indent
    )
  }
  return JSON.stringify(value)
}
