/** Finds the name that a misspelt one probably meant: of a parameter, a field, a command, an option or a scenario. It imports nothing. */

/** How far two names are apart: insertions, deletions, replacements, and neighbours that changed places. */
const editDistance = (a: string, b: string): number => {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwapped ? rows[i - 2]![j - 2]! + 1 : Infinity
      row.push(Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, replaced, swapped))
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "")

/** The longest name, in UTF-16 units, that is compared: the time grows with the length of what was sent. */
export const maxNameLength = 40

const maxDistance = 2

/**
 * Returns the one of `names` that is nearest to `name`, and at most two letters away from it, ignoring case and punctuation; the first of
 * those that are equally near. Undefined where none is so near, where all letters differ, and for a name of more than 40 characters.
 */
export const similarName = (name: string, names: Iterable<string>): string | undefined => {
  if (name.length > maxNameLength) return undefined
  const given = plain(name)
  let nearest: string | undefined
  let min = maxDistance + 1
  for (const known of names) {
    const distance = editDistance(plain(known), given)
    if (distance >= min || distance >= plain(known).length) continue
    nearest = known
    min = distance
  }
  return nearest
}

/** The sentence that offers a name, such as `Did you mean "pageSize"?`; undefined where no name is similar. */
export const didYouMean = (name: string, names: Iterable<string>): string | undefined => {
  const meant = similarName(name, names)
  return meant === undefined ? undefined : `Did you mean "${meant}"?`
}
