/** The name that somebody probably meant. */

/** How far two names are apart: insertions, deletions, replacements, and neighbours that changed places. */
const editDistance = (a: string, b: string): number => {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const replaced = rows[i - 1]![j - 1]! + (isSame ? 0 : 1)
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? rows[i - 2]![j - 2]! + 1 : Infinity
      row.push(Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, replaced, swapped))
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "")

/** The nearest of the names, if it differs in a third of its letters at most; null otherwise. */
export const nearest = (name: string, names: ReadonlyArray<string>): string | null => {
  const wanted = plain(name)
  if (wanted === "" || wanted.length > 60) return null
  const [best] = names
    .map((known) => ({ known, distance: editDistance(wanted, plain(known)) }))
    .filter(({ distance, known }) => distance <= Math.max(1, Math.ceil(plain(known).length / 3)))
    .sort((a, b) => a.distance - b.distance)
  return best?.known ?? null
}
