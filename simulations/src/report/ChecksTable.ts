/** The table of checks: how often each rule was judged, and how often only in part, and why. */
import { type CheckCount, weakenedShare } from "../oracles/Checks.ts"

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`

/** The share of weakened checks among all of an oracle. */
const shareOfOracle = (counts: ReadonlyArray<CheckCount>, oracle: string): number => {
  const own = counts.filter((count) => count.oracle === oracle)
  return weakenedShare({
    judged: own.reduce((sum, { judged }) => sum + judged, 0),
    weakened: Object.fromEntries(
      own.map(({ rule, weakened }) => [rule, Object.values(weakened).reduce((sum, count) => sum + count, 0)])
    )
  })
}

/** A line for each rule, and one for each reason for which it was weakened. */
export const checksTable = (counts: ReadonlyArray<CheckCount>): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const oracles = [...new Set(counts.map(({ oracle }) => oracle))]
  for (const oracle of oracles) {
    lines.push(`  ${oracle}: ${percent(shareOfOracle(counts, oracle))} weakened`)
    for (const count of counts) {
      if (count.oracle !== oracle) continue
      const { judged, rule, weakened } = count
      if (judged === 0 && Object.keys(weakened).length === 0) continue
      lines.push(`    ${rule}: ${judged} judged, ${percent(weakenedShare(count))} weakened`)
      for (const [reason, times] of Object.entries(weakened)) lines.push(`      ${times} times: ${reason}`)
    }
  }
  return lines
}
