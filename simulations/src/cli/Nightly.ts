/** `simulate nightly`: replays what earlier nights found and covered, and then explores new seeds until the time is up. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Either } from "effect"
import { campaign, type SeedReport, type SeedRun } from "../Campaign.ts"
import { compareReplay, inputOfCounterexample, readCounterexample } from "../Counterexample.ts"
import { explorationOf } from "../nightly/Exploration.ts"
import { foundIn, type FoundRun, Night } from "../nightly/Night.ts"
import { type CorpusEntry, type Finding, FolderProblem, NightlyFolder } from "../nightly/NightlyFolder.ts"
import { findingName } from "../nightly/Signature.ts"
import { counted, findingLine, findingSummary } from "../report/Findings.ts"
import { run } from "../Run.ts"
import { scenarioNamed } from "../Scenarios.ts"
import { CoverageMarks, seedsForCoverage } from "./CoverageMarks.ts"
import { exitCodes } from "./ExitCodes.ts"
import { keepCounterexampleOf } from "./KeepCounterexample.ts"
import type { Output } from "./Output.ts"
import { plantedBug, plantedWorker } from "./PlantedProcess.ts"
import { readText } from "./ScenarioFiles.ts"

/** The options of `simulate nightly`, read and judged. */
export interface NightlyOptions {
  /** Where the corpus and the findings are kept. */
  readonly folder: string
  /** Null: where the last night stopped. */
  readonly firstSeed: number | null
  readonly minutes: number
  /** How many seeds are explored at most. */
  readonly seeds: number
  /** Processes. */
  readonly jobs: number
  readonly isShrunk: boolean
}

/** How many seeds of the swarm a rare situation may take. */
const seedsForSwarmCoverage = seedsForCoverage * 4
/** How much may be lost when the process is killed: those seeds are run again. */
const saveMillis = 1000

class NightlyRun {
  private readonly night: Night
  private readonly swarm = new CoverageMarks(scenarioNamed("swarm")!, true)
  private savedAt = 0
  private swarmSeeds = 0
  private explored = 0
  private added = 0
  private mended = 0

  constructor(
    private readonly output: Output,
    private readonly options: NightlyOptions,
    private readonly folder: NightlyFolder
  ) {
    this.night = new Night(folder.load())
    if (options.firstSeed !== null) this.night.nextSeed = options.firstSeed
  }

  /** Answers the exit code. */
  async run(): Promise<number> {
    const { jobs, minutes } = this.options
    const { night, output } = this
    const endsAt = performance.now() + minutes * 60_000
    output.text(
      `nightly · ${this.folder.path} · from seed ${night.nextSeed} · ${minutes} minutes · ${counted(jobs, "process", "processes")}`
    )
    this.event("started", { folder: this.folder.path, nextSeed: night.nextSeed, minutes, jobs })
    this.replayFindings()
    await this.replayCorpus()
    await this.explore(endsAt)
    return this.conclude()
  }

  /** What was mended since is no longer known: if it comes again, it is new. */
  private replayFindings(): void {
    for (const finding of this.night.allFindings) {
      const file = this.fileOf(finding)
      if (file === null || !existsSync(file)) continue
      const counterexample = Either.flatMap(readText(file), readCounterexample)
      if (Either.isLeft(counterexample)) continue
      const { right } = counterexample
      const replayed = compareReplay(right, run(inputOfCounterexample(right), right.store))
      if (replayed.replayed !== "passed") continue
      this.night.mend(finding)
      this.mended++
      this.output.text(`mended · ${findingLine(finding, file)}`)
      this.event("mended", { ...finding, counterexample: file })
    }
    this.save()
  }

  private async replayCorpus(): Promise<void> {
    const { corpus } = this.night.state
    const jobs = corpus.flatMap((entry) => this.jobOf(entry))
    let done = 0
    const onFailed = ({ scenario, seed, store }: SeedRun): void =>
      this.night.replayed({ scenario: scenario.name, seed, store, coverageMarks: [] }, false)
    await this.campaign(jobs, onFailed, (report) => {
      this.countSwarm(report)
      this.night.replayed(report, report.outcome === "passed")
      this.output.progress.update(++done / jobs.length, `corpus: ${done} of ${jobs.length} seeds`)
    })
    const lost = this.night.endReplay()
    this.save()
    if (corpus.length === 0) return
    const { corpusSize, keys } = this.night
    this.output.progress.clear()
    this.output.text(
      `corpus: ${counted(corpus.length, "seed")} replayed, ${corpusSize} kept; ${counted(keys, "coverage key")}${lost.length === 0 ? "" : `, ${lost.length} no longer reached: ${lost.join("; ")}`}`
    )
    this.event("corpus", { seeds: corpus.length, kept: corpusSize, keys, lost })
  }

  private jobOf({ scenario, seed, store }: CorpusEntry): ReadonlyArray<SeedRun> {
    const found = scenarioNamed(scenario)
    return found === null ? [] : [{ scenario: found, seed, store, hours: null }]
  }

  private async explore(endsAt: number): Promise<void> {
    const { minutes, seeds } = this.options
    const first = this.night.nextSeed
    function* jobs(): Generator<SeedRun> {
      for (let seed = first; seed < first + seeds && performance.now() < endsAt; seed++) {
        yield explorationOf(seed)
      }
    }
    const done = ({ seed }: { readonly seed: number }): void => {
      this.explored++
      // The next night would meet a seed that fails again: it goes on behind it.
      this.night.nextSeed = seed + 1
    }
    await this.campaign(jobs(), done, (report) => {
      done(report)
      this.countSwarm(report)
      if (this.night.cover(report)) {
        this.added++
        this.save()
      } else if (performance.now() - this.savedAt > saveMillis) this.save()
      const left = Math.max(0, endsAt - performance.now())
      this.output.progress.update(
        Math.max(1 - left / (minutes * 60_000), this.explored / seeds),
        `${counted(this.explored, "seed")} explored, ${counted(this.night.newFindings.length, "new finding")}, ${Math.ceil(left / 60_000)} minutes left`
      )
    })
  }

  private async campaign(
    jobs: Iterable<SeedRun>,
    onFailed: (job: SeedRun) => void,
    onReport: (report: SeedReport) => void
  ): Promise<void> {
    await campaign(
      jobs,
      (report) => {
        onReport(report)
        const found = foundIn(report)
        if (found !== null) this.found(found)
      },
      {
        parallel: this.options.jobs,
        ...(plantedWorker === undefined ? {} : { program: plantedWorker }),
        onFailed: (job, error) => {
          const { scenario, seed, store } = job
          onFailed(job)
          this.found({
            scenario: scenario.name,
            seed,
            store,
            outcome: "crashed",
            violation: { oracle: "simulator", message: error.message.split("\n")[0]! }
          })
        }
      }
    )
  }

  private countSwarm(report: SeedReport): void {
    if (report.scenario !== "swarm") return
    this.swarmSeeds++
    this.swarm.add(report)
  }

  private found(run: FoundRun): void {
    const { night, output } = this
    const finding = night.find(run)
    if (finding === null) return
    const kept = run.outcome === "crashed" ? finding : this.kept(finding)
    night.keep(kept)
    this.save()
    const file = this.fileOf(kept)
    output.progress.clear()
    output.text(`new · ${findingLine(kept, file)}`)
    this.event("finding", { ...kept, counterexample: file })
  }

  /** Shrinks the counterexample of a new finding, and writes it. */
  private kept(finding: Finding): Finding {
    const { rule, scenario, seed, signature, store } = finding
    const counterexample = join("counterexamples", `${findingName(rule, signature)}.json`)
    keepCounterexampleOf(
      this.output,
      { file: join(this.folder.path, counterexample), isShrunk: this.options.isShrunk, report: undefined },
      { scenario, seed, store, until: undefined, bug: plantedBug },
      { scenario: scenarioNamed(scenario)!, hours: undefined }
    )
    return { ...finding, counterexample }
  }

  private conclude(): number {
    const { added, explored, mended, night, output, swarm, swarmSeeds } = this
    const { allFindings, corpusSize, keys, newFindings, nextSeed, seenAgain } = night
    const vacuity = swarmSeeds === 0 ? null : swarm.vacuity(swarmSeeds, seedsForSwarmCoverage)
    const code = this.exitCode(vacuity)
    output.progress.clear()
    output.text(
      `${counted(explored, "seed")} explored, the next is ${nextSeed}; ${added} of them joined the corpus of ${counted(corpusSize, "seed")} and ${counted(keys, "coverage key")}`
    )
    if (vacuity !== null) output.text(`coverage is lacking: ${vacuity}`)
    output.text(
      `${counted(newFindings.length, "new finding")}, ${seenAgain.size} seen again, ${mended} mended, ${allFindings.length} in all`
    )
    for (const finding of allFindings) output.text(findingSummary(finding, this.fileOf(finding)))
    this.event("summary", {
      explored,
      nextSeed,
      added,
      corpus: corpusSize,
      keys,
      lacking: vacuity,
      findings: { new: newFindings.length, seenAgain: seenAgain.size, mended, all: allFindings.length },
      exitCode: code
    })
    night.report()
    this.save()
    return code
  }

  /** By the gravest cause. */
  private exitCode(vacuity: string | null): number {
    const outcomes = new Set(this.night.newFindings.map(({ outcome }) => outcome))
    for (const outcome of ["violated", "crashed", "livelocked"] as const) {
      if (outcomes.has(outcome)) return exitCodes[outcome]
    }
    return vacuity === null ? exitCodes.passed : exitCodes.vacuous
  }

  private fileOf({ counterexample }: Finding): string | null {
    return counterexample === null ? null : join(this.folder.path, counterexample)
  }

  private save(): void {
    this.folder.save(this.night.state)
    this.savedAt = performance.now()
  }

  private event(event: string, fields: object): void {
    if (this.output.isJson) this.output.line(JSON.stringify({ event, ...fields }))
  }
}

/** Answers the exit code. */
export const runNightly = async (output: Output, options: NightlyOptions): Promise<number> => {
  let folder: NightlyFolder | null = null
  try {
    folder = NightlyFolder.open(options.folder)
    return await new NightlyRun(output, options, folder).run()
  } catch (error) {
    if (!(error instanceof FolderProblem)) throw error
    output.error(error.message)
    return exitCodes.usage
  } finally {
    folder?.close()
  }
}
