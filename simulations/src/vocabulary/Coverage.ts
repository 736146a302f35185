/** How much of the vocabulary a campaign has exercised. */
import { isRefused, type Probe, probes } from "./Probes.ts"
import { unreachable } from "./Unreachable.ts"

/** The coverage of one operation. */
export interface OperationCoverage {
  /** Its name in the OpenAPI document, without the group. */
  readonly operation: string
  /** Fields of path, query and body. */
  readonly fields: number
  /** Forms that the contract accepts. */
  readonly accepted: number
  /** Forms that the contract refuses. */
  readonly refused: number
  /** Probes that were answered. */
  readonly exercised: number
  /** Probes that a campaign sends. */
  readonly reachable: number
}

/** The coverage of the interface. */
export interface Coverage {
  /** In the order of the OpenAPI document. */
  readonly operations: ReadonlyArray<OperationCoverage>
  /** Probes that a campaign sends. */
  readonly reachable: number
  /** Those of them that were answered. */
  readonly exercised: number
  /** Reachable, and not exercised. */
  readonly missed: ReadonlyArray<string>
  /** Probes that no campaign sends, each with the reason. */
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
