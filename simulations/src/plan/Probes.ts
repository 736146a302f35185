/** Which forms of inputs a seed tries. */
import type { Prng } from "@lead-signals/simulation-kernel"
import { isRefused, probes } from "../vocabulary/Probes.ts"
import { unreachable } from "../vocabulary/Unreachable.ts"

interface Names {
  readonly all: ReadonlyArray<string>
  readonly refused: ReadonlyArray<string>
  /** Those that name another brand's things. */
  readonly foreign: ReadonlyArray<string>
}

let names: Names | null = null

const reachable = (): Names => {
  if (names !== null) return names
  const all = [...probes().values()].filter(({ name }) => unreachable(name) === null)
  names = {
    all: all.map(({ name }) => name),
    refused: all.filter(isRefused).map(({ name }) => name),
    foreign: all.map(({ name }) => name).filter((name) => name.endsWith(": another brand's"))
  }
  return names
}

/** The given number of refused forms, each as likely as any other. */
export const drawRefused = (prng: Prng, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, () => prng.pick(reachable().refused))

/** Some of another brand's things, and always an observation with its signal. */
export const drawForeign = (prng: Prng, count: number): ReadonlyArray<string> => [
  "recordObservations observations[].signalId: another brand's",
  ...Array.from({ length: count }, () => prng.pick(reachable().foreign))
]

/** Whether the probe's people may be a tenant's, of whose leads and deliveries the rule of retention knows nothing. */
export const mayNeedTenantsPeople = (name: string): boolean => {
  const { fields, id } = probes().get(name)!.operation
  const isOfPeople = fields.some(
    ({ format }) => format?.is === "id" && (format.kind === "lead" || format.kind === "delivery")
  )
  return isOfPeople || id === "testWebhook"
}

/** How many probes of a seed are its own; what it draws beyond them are its neighbours'. */
const ownOfSeed = 42
/** The number among them that are the first brand's. */
const ownOfFirstBrand = 27

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b))

/** A large step that visits every place once before it comes back to the first. */
const stepOver = (count: number): number => {
  let step = Math.floor(count * 0.618)
  while (gcd(step, count) !== 1) step++
  return step
}

/**
 * The n-th probe of a seed's brand. Each seed goes on where the seed before ends, and all are visited before one comes again: so a
 * campaign exercises the whole vocabulary in few seeds.
 */
export const probeOf = (seed: number, brand: number, n: number): string => {
  const { all } = reachable()
  const place = (seed % all.length) * ownOfSeed + (brand % 2) * ownOfFirstBrand + n
  return all[(place * stepOver(all.length)) % all.length]!
}
