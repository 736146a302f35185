/** A sample of the mutants in which each package and kind has the share that it has of all of them. */
import { createHash } from "node:crypto"
import type { Kind, Mutant, MutatedPackage } from "./Mutant.ts"

/** A number that only the seed and the name decide: what other names there are changes nothing. */
const drawn = (seed: number, name: string): string =>
  createHash("sha256").update(`${seed} ${name}`).digest("hex")

/** In an order by lot, in which the first of them are a fair sample as well. */
export const byLot = (mutants: ReadonlyArray<Mutant>): ReadonlyArray<Mutant> =>
  mutants
    .map((mutant) => ({ mutant, place: drawn(0, mutant.id) }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ mutant }) => mutant)

interface Stratum {
  readonly name: string
  readonly mutants: ReadonlyArray<Mutant>
}

const strataOf = (mutants: ReadonlyArray<Mutant>): ReadonlyArray<Stratum> => {
  const byName = new Map<string, Array<Mutant>>()
  for (const mutant of mutants) {
    const name: `${MutatedPackage} ${Kind}` = `${mutant.package} ${mutant.kind}`
    if (!byName.has(name)) byName.set(name, [])
    byName.get(name)!.push(mutant)
  }
  return [...byName].map(([name, those]) => ({ name, mutants: those }))
}

/**
 * As many of the mutants as `size` says, all of them where there are fewer, in their order. A change of the sources, or another size of
 * the sample, exchanges few of them. Rests of the shares are given out by lot.
 */
export const sample = (mutants: ReadonlyArray<Mutant>, size: number, seed: number): ReadonlyArray<Mutant> => {
  if (size >= mutants.length) return mutants
  const shares = strataOf(mutants).map((stratum) => {
    const share = (size * stratum.mutants.length) / mutants.length
    return { stratum, whole: Math.floor(share), rest: share - Math.floor(share) }
  })
  const left = size - shares.reduce((sum, { whole }) => sum + whole, 0)
  // Systematic sampling: a stratum gets one more with the probability of its rest.
  const strataByLot = shares.toSorted((a, b) =>
    drawn(seed, a.stratum.name) < drawn(seed, b.stratum.name) ? -1 : 1
  )
  const given = new Set<string>()
  let sum = Number.parseInt(drawn(seed, "start").slice(0, 8), 16) / 2 ** 32
  for (const { rest, stratum } of strataByLot) {
    const before = Math.floor(sum)
    sum += rest
    if (Math.floor(sum) > before && given.size < left) given.add(stratum.name)
  }
  // The sum of the rests can end below an integer by rounding.
  for (const { stratum } of strataByLot) if (given.size < left) given.add(stratum.name)
  const chosen = new Set(
    shares.flatMap(({ stratum, whole }) =>
      stratum.mutants
        .map((mutant) => ({ mutant, place: drawn(seed, mutant.id) }))
        .sort((a, b) => (a.place < b.place ? -1 : 1))
        .slice(0, whole + (given.has(stratum.name) ? 1 : 0))
        .map(({ mutant }) => mutant)
    )
  )
  return mutants.filter((mutant) => chosen.has(mutant))
}
