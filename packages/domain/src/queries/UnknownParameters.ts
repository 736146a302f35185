/**
 * Warns of parameters that no query has, and suggests the name that was meant. The answers of a list and of metrics carry the
 * warnings over HTTP and in `@lead-signals/embedded` alike, so they are made here, of names alone. [LIST-10]
 */

/** How far two names are apart: insertions, deletions and replacements. */
const editDistance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "")

const meant = (name: string, names: ReadonlyArray<string>): string | undefined =>
  name.length > 40 ? undefined : names.find((known) => editDistance(plain(known), plain(name)) <= 2)

const shortened = (name: string): string =>
  name.length > 40 ? `${Array.from(name).slice(0, 40).join("")}…` : name

const warning = (name: string, names: ReadonlyArray<string>): string => {
  const guess = meant(name, names)
  return `The parameter "${shortened(name)}" is unknown and was ignored.${guess === undefined ? "" : ` Did you mean "${guess}"?`}`
}

/** At most so many warnings: more would only echo what was sent. */
const maxWarnings = 10

/** Those that look misspelt first, and how many are not listed. */
export const warningsOf = (
  unknown: ReadonlyArray<string>,
  names: ReadonlyArray<string>
): ReadonlyArray<string> => {
  if (unknown.length <= maxWarnings) return unknown.map((name) => warning(name, names))
  const guessed = unknown.filter((name) => meant(name, names) !== undefined)
  const listed = [...new Set([...guessed, ...unknown])].slice(0, maxWarnings - 1)
  return [
    ...listed.map((name) => warning(name, names)),
    `${unknown.length - listed.length} more parameters are unknown and were ignored.`
  ]
}
