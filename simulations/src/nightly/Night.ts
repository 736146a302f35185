/** The state of one night: the corpus, the findings, and what was covered. They say what is new. */
import type { SeedReport } from "../Campaign.ts"
import { type Counterexample, violationOf } from "../Counterexample.ts"
import { coverageKeysOf } from "./CoverageKeys.ts"
import type { CorpusEntry, Finding, NightlyState } from "./NightlyFolder.ts"
import { signatureOf } from "./Signature.ts"

/** What made a finding: a seed of a scenario over a store. */
export type FoundRun = Pick<Finding, "scenario" | "seed" | "store" | "outcome"> & {
  readonly violation: Counterexample["violates"]
}

/** Holds no file: `state` is what the folder saves. The corpus of before stays until all of it was replayed. */
export class Night {
  nextSeed: number
  private readonly findings: Map<string, Finding>
  private readonly earlier: ReadonlyArray<CorpusEntry>
  private readonly corpus: Array<CorpusEntry> = []
  private readonly reached = new Set<string>()
  private isReplayed = false
  readonly seenAgain = new Set<string>()

  constructor(state: NightlyState) {
    this.nextSeed = state.nextSeed
    this.earlier = state.corpus
    // A crash has no counterexample that could show that it was mended: each time it comes it is new.
    const findings = state.findings.filter(({ isReported, outcome }) => !isReported || outcome !== "crashed")
    this.findings = new Map(findings.map((finding) => [finding.signature, finding]))
  }

  get state(): NightlyState {
    return {
      version: 1,
      nextSeed: this.nextSeed,
      // Which entries are still needed is known once all of them were replayed.
      corpus: this.isReplayed ? this.corpus : this.earlier,
      findings: [...this.findings.values()]
    }
  }

  get keys(): number {
    return this.reached.size
  }

  get corpusSize(): number {
    return this.corpus.length
  }

  get allFindings(): ReadonlyArray<Finding> {
    return [...this.findings.values()]
  }

  get newFindings(): ReadonlyArray<Finding> {
    return this.allFindings.filter(({ isReported }) => !isReported)
  }

  /** Takes over a seed of the corpus as far as it still reaches something. One that broke a rule ended early, and stays. */
  replayed(run: Pick<SeedReport, "scenario" | "seed" | "store" | "coverageMarks">, isPassed: boolean): void {
    const { scenario, seed, store } = run
    const entry = this.earlier.find(
      (each) => each.scenario === scenario && each.seed === seed && each.store === store
    )
    if (isPassed || entry === undefined) this.cover(run)
    else {
      for (const key of entry.keys) this.reached.add(key)
      this.corpus.push(entry)
    }
  }

  /** Ends the replay of the corpus; answers the coverage keys that no seed of it reaches any more. */
  endReplay(): ReadonlyArray<string> {
    this.isReplayed = true
    return this.earlier.flatMap(({ keys }) => keys).filter((key) => !this.reached.has(key))
  }

  /** Keeps the seed in the corpus if it reaches coverage keys that no other has reached tonight; answers whether. */
  cover(report: Pick<SeedReport, "scenario" | "seed" | "store" | "coverageMarks">): boolean {
    const { scenario, seed, store } = report
    const keys = coverageKeysOf(report).filter((key) => !this.reached.has(key))
    if (keys.length === 0) return false
    for (const key of keys) this.reached.add(key)
    this.corpus.push({ scenario, seed, store, keys })
    return true
  }

  /** Counts a run that broke a rule. Answers its finding when it is a new one. */
  find({ outcome, scenario, seed, store, violation }: FoundRun): Finding | null {
    const signature = signatureOf(violation)
    const known = this.findings.get(signature)
    if (known !== undefined) {
      this.findings.set(signature, { ...known, times: known.times + 1 })
      this.seenAgain.add(signature)
      return null
    }
    const { message, oracle: rule } = violation
    const finding: Finding = {
      scenario,
      seed,
      store,
      signature,
      rule,
      message,
      outcome,
      counterexample: null,
      times: 1,
      isReported: false
    }
    this.findings.set(signature, finding)
    return finding
  }

  keep(finding: Finding): void {
    this.findings.set(finding.signature, finding)
  }

  /** The rule holds on the finding's counterexample: if it breaks again, that is a new finding. */
  mend({ signature }: Finding): void {
    this.findings.delete(signature)
  }

  /** The command ends with an exit code that tells of the new findings. */
  report(): void {
    for (const finding of this.newFindings) this.keep({ ...finding, isReported: true })
  }
}

/** A report of a run that did not pass, as a finding. */
export const foundIn = (report: SeedReport): FoundRun | null => {
  const { outcome, scenario, seed, store } = report
  return outcome === "passed" ? null : { scenario, seed, store, outcome, violation: violationOf(report) }
}
