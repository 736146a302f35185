/** A campaign over mutants: the simulator judges each, and the tests those that it lets live. */
import type { Judged } from "./Judged.ts"
import { isKill, type Judgement, type SimulatorBudget } from "./Judgement.ts"
import type { Mutant } from "./Mutant.ts"
import type { Results } from "./Results.ts"
import { byLot } from "./MutantSample.ts"
import { SimulatorJudge } from "./SimulatorJudge.ts"
import { fateOf, isSimulatable } from "./Tally.ts"
import { type CleanTests, TestJudge } from "./TestJudge.ts"

/** Which mutants the tests judge: those that survive the simulator, all, or none. */
export type TestedMutants = "survivors" | "all" | "none"

/** How far a campaign goes, and who hears of it. */
export interface CampaignOptions {
  readonly budget: SimulatorBudget
  readonly tested: TestedMutants
  /** How many files of tests judge a mutant, the nearest of them. */
  readonly testFiles: number
  /** Mutants that are judged at once. */
  readonly jobs: number
  /** Whether another mutant may begin. */
  readonly isTimeLeft: () => boolean
  readonly onJudged: (mutant: Mutant, judgement: Judgement) => void
  readonly onProgress: (share: number, what: string) => void
}

/** Each worker handles one item at a time, in their order, until none is left or the time is over. */
const inParallel = async <A, W>(
  items: ReadonlyArray<A>,
  workers: ReadonlyArray<W>,
  isTimeLeft: () => boolean,
  handle: (item: A, worker: W) => Promise<void>
): Promise<void> => {
  let next = 0
  const work = async (worker: W): Promise<void> => {
    while (next < items.length && isTimeLeft()) await handle(items[next++]!, worker)
  }
  await Promise.all(workers.map(work))
}

const countTo = (jobs: number): ReadonlyArray<number> => Array.from({ length: jobs }, (_, i) => i)

const judgeBySimulator = async (
  mutants: ReadonlyArray<Mutant>,
  results: Results,
  options: CampaignOptions
): Promise<void> => {
  const { budget, jobs, onJudged, onProgress } = options
  const open = byLot(mutants.filter((mutant) => results.simulator(mutant, budget) === null))
  if (open.length === 0) return
  const what = "the simulator runs the code as it is"
  onProgress(0, what)
  const judge = await SimulatorJudge.make(budget, results)
  const processes = countTo(Math.min(jobs, open.length)).map(() => judge.process())
  try {
    await judge.measure(open, (share) => onProgress(share, what))
    let done = 0
    await inParallel(open, processes, options.isTimeLeft, async (mutant, judgeProcess) => {
      const judgement = await judge.judge(mutant, judgeProcess)
      results.keep(mutant, judgement)
      onJudged(mutant, judgement)
      onProgress(++done / open.length, `simulator: ${done} of ${open.length} mutants`)
    })
  } finally {
    for (const each of processes) each.stop()
    judge.close()
  }
}

/** Runs the files that will judge the mutants on the code as it is, but for those that `results` knows. */
const cleanTests = async (
  judge: TestJudge,
  mutants: ReadonlyArray<Mutant>,
  count: number,
  results: Results
): Promise<CleanTests> => {
  const known = results.clean()
  const files = new Set(mutants.flatMap((mutant) => judge.filesFor(mutant, count)))
  const unknown = [...files].filter((file) => known[file] === undefined)
  if (unknown.length > 0) results.keepClean(await judge.runClean(unknown))
  return results.clean()
}

const judgeByTests = async (
  mutants: ReadonlyArray<Mutant>,
  results: Results,
  options: CampaignOptions
): Promise<void> => {
  const { jobs, onJudged, onProgress, testFiles } = options
  const open = byLot(mutants.filter((mutant) => results.tests(mutant, testFiles) === null))
  if (open.length === 0 || !options.isTimeLeft()) return
  const judges = countTo(Math.min(jobs, open.length)).map(() => new TestJudge())
  try {
    onProgress(0, "the tests run on the code as it is")
    const clean = await cleanTests(judges[0]!, open, testFiles, results)
    let done = 0
    await inParallel(open, judges, options.isTimeLeft, async (mutant, judge) => {
      const judgement = await judge.judge(mutant, testFiles, clean)
      results.keep(mutant, judgement)
      onJudged(mutant, judgement)
      onProgress(++done / open.length, `tests: ${done} of ${open.length} mutants`)
    })
  } finally {
    for (const judge of judges) judge.close()
  }
}

/** Judges the mutants, but for what `results` holds already, and answers all in their order. */
export const judgeMutants = async (
  mutants: ReadonlyArray<Mutant>,
  equivalents: ReadonlyMap<string, string>,
  results: Results,
  options: CampaignOptions
): Promise<ReadonlyArray<Judged>> => {
  const { budget, testFiles, tested } = options
  const unmarked = mutants.filter(({ id }) => !equivalents.has(id))
  const simulated = unmarked.filter(isSimulatable)
  await judgeBySimulator(simulated, results, options)
  const isKilled = (mutant: Mutant): boolean => {
    const judgement = results.simulator(mutant, budget)
    return judgement !== null && isKill(judgement)
  }
  const isOpen = (mutant: Mutant): boolean =>
    isSimulatable(mutant) && results.simulator(mutant, budget) === null
  if (tested !== "none") {
    const toTest =
      tested === "all" ? unmarked : unmarked.filter((mutant) => !isKilled(mutant) && !isOpen(mutant))
    await judgeByTests(toTest, results, options)
  }
  const judged = mutants.map((mutant) => ({
    mutant,
    simulator: isSimulatable(mutant) ? results.simulator(mutant, budget) : null,
    tests: results.tests(mutant, testFiles),
    equivalent: equivalents.get(mutant.id) ?? null
  }))
  const byMutant = new Map(judged.map((each) => [each.mutant, each]))
  const inOrder = byLot(mutants)
  const end = inOrder.findIndex((mutant) => fateOf(byMutant.get(mutant)!) === "open")
  const fair = new Set(end === -1 ? inOrder : inOrder.slice(0, end))
  return judged.map((each) => ({ ...each, isOfFairPart: fair.has(each.mutant) }))
}
