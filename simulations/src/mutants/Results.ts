/** Judgements kept in a file, one a line, so that a campaign that was interrupted goes on. */
import { createHash } from "node:crypto"
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { root } from "../bugs/PlantedModules.ts"
import {
  isKill,
  type Judgement,
  type SimulatorBudget,
  type SimulatorJudgement,
  type TestJudgement
} from "./Judgement.ts"
import type { Mutant } from "./Mutant.ts"
import type { ReachMemory, TrialReach } from "./MutantReach.ts"
import { filesBelow } from "./SourceFiles.ts"
import type { CleanTests } from "./TestJudge.ts"
import type { Trial } from "./trial.ts"

/** A line of the file. */
type Line =
  | {
      readonly mutant: string
      /** The hash of the module. */
      readonly source: string
      /** The hash of the judge: of the simulator, or of the tests. */
      readonly judge: string
      readonly judgement: Judgement
    }
  | { readonly clean: CleanTests; readonly judge: string }
  | { readonly reached: TrialReach; readonly judge: string }

const hashOfFiles = (folders: ReadonlyArray<string>, isCounted: (path: string) => boolean): string => {
  const hash = createHash("sha256")
  for (const folder of folders) {
    const paths = filesBelow(join(root, folder))
      .filter((path) => /\.(?:ts|mjs|json)$/.test(path))
      .map((path) => path.slice(root.length + 1))
      .filter((path) => !/\.types|\.bundle|\.generated|dist/.test(path) && isCounted(path))
      .sort()
    for (const path of paths) hash.update(path).update(readFileSync(join(root, path)))
  }
  return hash.digest("hex").slice(0, 16)
}

/** The simulator without what only prints or mutates. */
const simulatorHash = (): string =>
  hashOfFiles(
    ["simulations/src"],
    (path) => !/^simulations.src.(?:bugs|cli|report|mutants.(?![tT]rial))/.test(path)
  )

const testsHash = (): string => hashOfFiles(["test"], () => true)

const packagesHash = (): string => hashOfFiles(["packages"], () => true)

const keyOf = (mutant: string, source: string, by: Judgement["by"]): string => `${mutant} ${source} ${by}`

const keyOfTrial = ({ store, trial }: Pick<TrialReach, "store" | "trial">): string =>
  JSON.stringify([store, trial])

/** Appends each judgement as it comes. A line that an interruption cut off is ignored. */
export class Results implements ReachMemory {
  private readonly judgements = new Map<string, Extract<Line, { readonly mutant: string }>>()
  private readonly cleanTests = new Map<string, CleanTests>()
  private readonly reached = new Map<string, TrialReach>()
  private readonly judges = { simulator: simulatorHash(), tests: testsHash() }
  /** A driver that one version of Node can load can fail under another. */
  private readonly cleanJudge = `${this.judges.tests} ${packagesHash()} ${process.version}`

  private readonly cleanSimulator = `${this.judges.simulator} ${packagesHash()}`

  constructor(private readonly file: string) {
    if (!existsSync(file)) return
    for (const text of readFileSync(file, "utf8").split("\n")) {
      if (text !== "") this.note(this.parsed(text))
    }
  }

  private parsed(text: string): Line | null {
    try {
      return JSON.parse(text) as Line
    } catch {
      // The end of a line that an interrupted campaign began.
      return null
    }
  }

  private note(line: Line | null): void {
    if (line === null) return
    if ("clean" in line)
      this.cleanTests.set(line.judge, { ...this.cleanTests.get(line.judge), ...line.clean })
    else if ("reached" in line) {
      if (line.judge === this.cleanSimulator) this.noteReach(line.reached)
    } else this.judgements.set(keyOf(line.mutant, line.source, line.judgement.by), line)
  }

  private noteReach(reached: TrialReach): void {
    const key = keyOfTrial(reached)
    this.reached.set(key, { ...reached, counts: { ...this.reached.get(key)?.counts, ...reached.counts } })
  }

  private add(line: Line): void {
    mkdirSync(dirname(this.file), { recursive: true })
    appendFileSync(this.file, `${JSON.stringify(line)}\n`)
    this.note(line)
  }

  /** Killed is killed; who survived must be judged again by another simulator, or with a larger budget. */
  simulator({ id, source }: Mutant, budget: SimulatorBudget): SimulatorJudgement | null {
    const line = this.judgements.get(keyOf(id, source, "simulator"))
    if (line === undefined) return null
    const judgement = line.judgement as SimulatorJudgement
    const isEnough =
      line.judge === this.judges.simulator &&
      (judgement.outcome === "absent" ||
        judgement.outcome === "unreached" ||
        judgement.isExhausted === true ||
        judgement.seeds >= budget.seeds ||
        judgement.seconds >= budget.seconds)
    return isKill(judgement) || isEnough ? judgement : null
  }

  /** Killed is killed; who survived must be judged again by other tests, or by more of them. */
  tests({ id, source }: Mutant, files: number): TestJudgement | null {
    const line = this.judgements.get(keyOf(id, source, "tests"))
    if (line === undefined) return null
    const judgement = line.judgement as TestJudgement
    const isEnough = line.judge === this.judges.tests && judgement.files >= files
    return isKill(judgement) || isEnough ? judgement : null
  }

  /** What is known of the trial, for some mutants at least. */
  reach(trial: Trial | null, store: Trial["store"]): TrialReach | null {
    return this.reached.get(keyOfTrial({ trial, store })) ?? null
  }

  keepReach(reached: TrialReach): void {
    this.add({ reached, judge: this.cleanSimulator })
  }

  /** What these tests did on this code. */
  clean(): CleanTests {
    return this.cleanTests.get(this.cleanJudge) ?? {}
  }

  keep({ id, source }: Mutant, judgement: Judgement): void {
    this.add({ mutant: id, source, judge: this.judges[judgement.by], judgement })
  }

  keepClean(clean: CleanTests): void {
    this.add({ clean, judge: this.cleanJudge })
  }
}
