/** Which forms of inputs a seed tries. */
import type { Prng } from "@lead-signals/simulation-kernel"
import { isRefused, probes } from "../vocabulary/Probes.ts"
import { unreachable } from "../vocabulary/Unreachable.ts"

interface Names {
  readonly all: ReadonlyArray<string>
  readonly refused: ReadonlyArray<string>
}

let names: Names | null = null

const reachable = (): Names => {
  if (names !== null) return names
  const all = [...probes().values()].filter(({ name }) => unreachable(name) === null)
  names = { all: all.map(({ name }) => name), refused: all.filter(isRefused).map(({ name }) => name) }
  return names
}

/** So many refused forms, each as likely as any other. */
export const drawRefused = (prng: Prng, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, () => prng.pick(reachable().refused))

/** Multiples of it, without their whole parts, lie evenly between 0 and 1, however many there are. */
const goldenRatio = (1 + Math.sqrt(5)) / 2

/** Probes of a seed and a brand, at most. */
const mostOfSeed = 128
const mostOfBrand = 64

/**
 * The n-th probe of a seed's brand. Neighbouring seeds have others, evenly over all that there are, so that a campaign exercises
 * the whole vocabulary in the fewest seeds.
 */
export const probeOf = (seed: number, brand: number, n: number): string => {
  const { all } = reachable()
  const place = seed * mostOfSeed + (brand % 2) * mostOfBrand + (n % mostOfBrand)
  return all[Math.floor(((place * goldenRatio) % 1) * all.length)]!
}
