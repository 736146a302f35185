/** How much of the vocabulary a campaign has exercised. */
import { isRefused, type Probe, probes } from "./Probes.ts"
import { unreachable } from "./Unreachable.ts"

/** Of one operation. */
export interface OperationCoverage {
  readonly operation: string
  /** Fields of path, query and body. */
  readonly fields: number
  readonly accepted: number
  readonly refused: number
  readonly exercised: number
  readonly reachable: number
}

export interface Coverage {
  readonly operations: ReadonlyArray<OperationCoverage>
  readonly reachable: number
  readonly exercised: number
  /** Reachable, and not exercised. */
  readonly missed: ReadonlyArray<string>
  readonly unreachable: ReadonlyArray<{ readonly probe: string; readonly reason: string }>
}

const isReachable = ({ name }: Probe): boolean => unreachable(name) === null

/** Compares what was exercised, by the names of probes, with all that there is. */
export const coverageOf = (exercised: ReadonlySet<string>): Coverage => {
  const all = [...probes().values()]
  const reachable = all.filter(isReachable)
  const missed = reachable.filter(({ name }) => !exercised.has(name)).map(({ name }) => name)
  const operations = Map.groupBy(all, ({ operation }) => operation)
  return {
    operations: [...operations].map(([{ fields, id }, of]) => ({
      operation: id,
      fields: fields.length,
      accepted: of.filter((probe) => !isRefused(probe)).length,
      refused: of.filter(isRefused).length,
      exercised: of.filter(({ name }) => exercised.has(name)).length,
      reachable: of.filter(isReachable).length
    })),
    reachable: reachable.length,
    exercised: reachable.length - missed.length,
    missed,
    unreachable: all.flatMap(({ name }) => {
      const reason = unreachable(name)
      return reason === null ? [] : [{ probe: name, reason }]
    })
  }
}

/** The share in percent, rounded down to a tenth: 100 is all. */
export const percent = ({ exercised, reachable }: Pick<Coverage, "exercised" | "reachable">): string =>
  `${(Math.floor((1000 * exercised) / reachable) / 10).toFixed(1)} %`
