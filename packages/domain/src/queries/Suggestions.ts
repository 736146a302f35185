/** Finds the known name that a misspelt one probably meant, for parameters and for fields of bodies. */

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

/** The longest name that is compared: the time grows with the length of what was sent. */
export const maxNameLength = 40

const maxDistance = 2

/**
 * Returns the first of `names` that is at most two letters away from `name`, ignoring case and punctuation; undefined where none is, where
 * all letters differ, and for a name of more than 40 characters.
 */
export const similarName = (name: string, names: ReadonlyArray<string>): string | undefined =>
  name.length > maxNameLength
    ? undefined
    : names.find((known) => {
        const distance = editDistance(plain(known), plain(name))
        return distance <= maxDistance && distance < plain(known).length
      })
