/** How often an oracle judged its rules, and how often it judged less than the whole rule, and why. */

/** The checks of one rule in one run or in a campaign. */
export interface CheckCount {
  /** The name of the oracle. */
  readonly oracle: string
  /** The rule, in a few words. */
  readonly rule: string
  /** Checks of the whole rule. */
  readonly judged: number
  /** Checks of a part of the rule or of nothing, by the reason. */
  readonly weakened: Readonly<Record<string, number>>
}

/** Counts the checks of one rule. */
export class RuleChecks {
  judged = 0
  readonly weakened = new Map<string, number>()

  /** Counts a check that leaves out a part of the rule. */
  weaken(reason: string): void {
    this.weakened.set(reason, (this.weakened.get(reason) ?? 0) + 1)
  }
}

/** Counts the checks of an oracle in one run. */
export class Checks {
  private readonly rules = new Map<string, RuleChecks>()

  constructor(private readonly oracle: string) {}

  rule(name: string): RuleChecks {
    const rule = this.rules.get(name) ?? new RuleChecks()
    this.rules.set(name, rule)
    return rule
  }

  get isEmpty(): boolean {
    return this.rules.size === 0
  }

  get counts(): ReadonlyArray<CheckCount> {
    return [...this.rules].map(([rule, { judged, weakened }]) => ({
      oracle: this.oracle,
      rule,
      judged,
      weakened: Object.fromEntries(weakened)
    }))
  }
}

/** Sums the checks of several runs, rule by rule. */
export const summedChecks = (runs: Iterable<ReadonlyArray<CheckCount>>): ReadonlyArray<CheckCount> => {
  const sums = new Map<
    string,
    { oracle: string; rule: string; judged: number; weakened: Record<string, number> }
  >()
  for (const counts of runs) {
    for (const { judged, oracle, rule, weakened } of counts) {
      const name = `${oracle}\n${rule}`
      const sum = sums.get(name) ?? { oracle, rule, judged: 0, weakened: {} }
      sums.set(name, sum)
      sum.judged += judged
      for (const [reason, count] of Object.entries(weakened))
        sum.weakened[reason] = (sum.weakened[reason] ?? 0) + count
    }
  }
  return [...sums.values()]
}

/** The checks that were weakened, as a share from 0 to 1 of all checks of the rule. */
export const weakenedShare = ({ judged, weakened }: Pick<CheckCount, "judged" | "weakened">): number => {
  const left = Object.values(weakened).reduce((sum, count) => sum + count, 0)
  return left === 0 ? 0 : left / (judged + left)
}
