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

/** So many probes by their names, each as likely as any other. */
export const drawProbes = (prng: Prng, count: number, areRefused: boolean): ReadonlyArray<string> =>
  Array.from({ length: count }, () => prng.pick(areRefused ? reachable().refused : reachable().all))
