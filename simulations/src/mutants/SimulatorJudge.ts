/**
 * The simulator as a judge of mutants. It first counts how often each of its runs comes to the place of each mutant. Then it
 * judges a mutant by the runs that come to it, in processes that stay, each mutant in turn exchanged into a program that is
 * compiled already.
 */
import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bundleWith } from "../bugs/PlantedModules.ts"
import type { StoreKind } from "../Run.ts"
import type { LimitedTrial } from "./judge.ts"
import { JudgeProcess } from "./JudgeProcess.ts"
import type { SimulatorBudget, SimulatorJudgement } from "./Judgement.ts"
import { compiled, type LinkedProgram, linkedProgram } from "./LinkedProgram.ts"
import { applied, type Mutant, type MutatedPackage } from "./Mutant.ts"
import type { Place } from "./Reach.ts"
import { Reaching, type ReachMemory } from "./MutantReach.ts"
import { partNearness } from "./PartNearness.ts"
import { textOf } from "./Sources.ts"
import { ofVocabulary, type Trial } from "./trial.ts"
import { trialsOver } from "./Trials.ts"

/** The CPU time that a run of a mutant may take: a multiple of what the unchanged code takes, and some seconds more. */
const patience = { factor: 8, seconds: 4 }

const program = "mutants/trial.ts"

const ofSqlite = new Set<MutatedPackage>(["store-sqlite", "sql-rows"])

/** The store whose runs can show the mutant. */
const storeFor = (mutant: Mutant): StoreKind => (ofSqlite.has(mutant.package) ? "sqlite" : "memory")

const contentHash = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex")

const firstDifference = (a: string, b: string): number => {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at
}

/** A mutant as it is run. */
interface Exchange {
  /** The text of the whole module. */
  readonly code: string
  /** Where the code differs first. */
  readonly place: Place
}

/** What it takes to run a trial, and how often it comes to a mutant. */
export interface Measured {
  readonly trial: Trial
  readonly seconds: number
  /** 0 where the run comes to it when the program starts, and not again. */
  readonly count: number
}

/** How much of the time the vocabulary has, beside all scenarios, where no run comes to the mutant again after its start. */
const shareOfTables = 3

/**
 * Those first that take the least time. Of a scenario those that come to the mutant most often in their time; the scenarios share the
 * time, so that none waits for an expensive one, and none has its turn for being cheap alone. What is evaluated when the program starts, such
 * as a schema or a table, is a part of every run: the forms of inputs show most of it, each in one part of the vocabulary. The parts
 * that are nearest to the mutant begin, by `nearness`: 0 for a part that has nothing to do with it.
 */
export const inOrder = (
  measured: ReadonlyArray<Measured>,
  nearness: (part: number) => number = () => 0
): ReadonlyArray<Measured> => {
  const rate = ({ count, seconds }: Measured): number => count / seconds
  const nameOf = ({ trial }: Measured): string => `${trial.scenario} over ${trial.store}`
  const scenarios = new Set(measured.map(nameOf)).size - 1
  const isOfStart = measured.every(({ count }) => count === 0)
  const costOf = ({ seconds, trial }: Measured): number =>
    isOfStart && trial.scenario === ofVocabulary
      ? seconds / (shareOfTables * Math.max(1, scenarios))
      : seconds
  const byScenario = new Map<string, { spent: number; readonly open: Array<Measured> }>()
  const nearOf = ({ trial }: Measured): number =>
    isOfStart && trial.scenario === ofVocabulary ? nearness(trial.seed) : 0
  for (const each of measured.toSorted((a, b) => nearOf(b) - nearOf(a) || rate(b) - rate(a))) {
    const of = byScenario.get(nameOf(each))
    if (of === undefined) byScenario.set(nameOf(each), { spent: 0, open: [each] })
    else of.open.push(each)
  }
  const ordered: Array<Measured> = []
  while (ordered.length < measured.length) {
    let [next, ends] = [null as Array<Measured> | null, Number.POSITIVE_INFINITY]
    for (const { open, spent } of byScenario.values()) {
      if (open.length > 0 && spent + costOf(open[0]!) < ends) [next, ends] = [open, spent + costOf(open[0]!)]
    }
    const taken = next!.shift()!
    byScenario.get(nameOf(taken))!.spent = ends
    ordered.push(taken)
  }
  return ordered
}

/** Made once for a campaign, and ended with it. */
export class SimulatorJudge {
  /** How often each trial over a store comes to each mutant, by its id; the trials' seconds. */
  private readonly reached = new Map<string, ReadonlyArray<Measured>>()
  /** The hash of the bundle of the code as it is, which has no function that nothing calls. */
  private cleanHash: string | null = null

  private constructor(
    private readonly budget: SimulatorBudget,
    private readonly folder: string,
    private readonly bundle: string,
    private readonly programFile: string,
    private readonly linked: LinkedProgram,
    private readonly memory: ReachMemory | null
  ) {}

  /** `memory` keeps what was counted for the next campaign over the same code. */
  static async make(budget: SimulatorBudget, memory: ReachMemory | null = null): Promise<SimulatorJudge> {
    const linked = await linkedProgram(program)
    const folder = mkdtempSync(join(tmpdir(), "lead-signals-judge-"))
    const programFile = join(folder, "program.json")
    writeFileSync(programFile, JSON.stringify(linked))
    return new SimulatorJudge(
      budget,
      folder,
      await bundleWith("mutants/judge.ts", null),
      programFile,
      linked,
      memory
    )
  }

  /** A process that judges one mutant at a time. */
  process(): JudgeProcess {
    return new JudgeProcess(this.bundle, this.programFile)
  }

  /** Null where the simulator's program does not contain the change. Fails where the module does not parse. */
  private async exchangeOf(mutant: Mutant): Promise<Exchange | null> {
    const module = this.linked.modules[mutant.file]
    if (module === undefined) return null
    const code = await compiled(mutant.file, applied(textOf(mutant.file), mutant))
    if (code === module.code) return null
    return { code, place: { file: mutant.file, offset: firstDifference(code, module.code) } }
  }

  /**
   * Runs each trial of the code as it is, and counts how often it comes to the place of each mutant. Fails where one of them does not
   * pass: then nothing can be said of mutants.
   */
  async measure(mutants: ReadonlyArray<Mutant>, onTrial: (share: number) => void = () => {}): Promise<void> {
    const unknown = mutants.filter(({ id }) => !this.reached.has(id))
    const stores = ["memory", "sqlite"] as const
    const shares = stores.map(() => 0)
    await Promise.all(
      stores.map((store, i) => {
        const those = unknown.filter((mutant) => storeFor(mutant) === store)
        return this.measureOver(store, those, (share) => {
          shares[i] = share
          onTrial(Math.min(...shares))
        })
      })
    )
  }

  private async measureOver(
    store: StoreKind,
    mutants: ReadonlyArray<Mutant>,
    onTrial: (share: number) => void
  ): Promise<void> {
    const those: Array<{ readonly mutant: Mutant; readonly place: Place }> = []
    for (const mutant of mutants) {
      const exchange = await this.exchangeOf(mutant).catch(() => null)
      if (exchange !== null) those.push({ mutant, place: exchange.place })
    }
    onTrial(those.length === 0 ? 1 : 0)
    if (those.length === 0) return
    const counted = new Map(those.map(({ mutant }) => [mutant.id, [] as Array<Measured>]))
    const reaching = new Reaching(store, those, this.memory, () => this.process())
    try {
      const atStart = await reaching.counts(null)
      const trials = trialsOver(store)
      for (const [i, trial] of trials.entries()) {
        if ([...counted.values()].every(({ length }) => length >= this.budget.seeds)) break
        const { counts, seconds } = await reaching.counts(trial)
        for (const [id, list] of counted) {
          const count = counts[id]!
          if (count > 0 || atStart.counts[id]! > 0) list.push({ trial, seconds, count })
        }
        onTrial((i + 1) / trials.length)
      }
    } finally {
      reaching.stop()
    }
    for (const { mutant } of those)
      this.reached.set(mutant.id, inOrder(counted.get(mutant.id)!, partNearness(mutant)))
  }

  /** Whether the bundled program, from which what nothing calls is left out, has the change. */
  private async isContained(mutant: Mutant): Promise<boolean> {
    const hashOf = async (changed: boolean): Promise<string> => {
      const name = createHash("sha256").update(mutant.id).digest("hex").slice(0, 16)
      const text = applied(textOf(mutant.file), mutant)
      const bundle = await bundleWith(program, changed ? { name, file: mutant.file, text } : null)
      try {
        return contentHash(bundle)
      } finally {
        rmSync(bundle, { force: true })
      }
    }
    this.cleanHash ??= await hashOf(false)
    return (await hashOf(true)) !== this.cleanHash
  }

  async judge(mutant: Mutant, judgeProcess: JudgeProcess): Promise<SimulatorJudgement> {
    const nothingRun = { by: "simulator", seeds: 0, seconds: 0 } as const
    let exchange: Exchange | null
    try {
      exchange = await this.exchangeOf(mutant)
    } catch (error) {
      const [detail] = (error as Error).message.split("\n")
      return { ...nothingRun, outcome: "load", detail: detail! }
    }
    if (exchange === null) return { ...nothingRun, outcome: "absent", detail: "" }
    if (!this.reached.has(mutant.id)) await this.measure([mutant])
    const trials: ReadonlyArray<LimitedTrial> = this.reached
      .get(mutant.id)!
      .slice(0, this.budget.seeds)
      .map(({ seconds, trial }) => ({ trial, mostSeconds: patience.seconds + patience.factor * seconds }))
    if (trials.length === 0) {
      const outcome = (await this.isContained(mutant)) ? "unreached" : "absent"
      return { ...nothingRun, outcome, detail: "" }
    }
    const change = { file: mutant.file, code: exchange.code }
    const judgement = await judgeProcess.judge({
      kind: "judge",
      change,
      trials,
      seconds: this.budget.seconds
    })
    const isExhausted =
      judgement.outcome === "survived" && judgement.seeds === this.reached.get(mutant.id)!.length
    return { by: "simulator", ...judgement, ...(isExhausted ? { isExhausted } : {}) }
  }

  close(): void {
    rmSync(this.bundle, { force: true })
    rmSync(this.folder, { recursive: true, force: true })
  }
}
