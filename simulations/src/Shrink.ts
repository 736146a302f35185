/**
 * Makes a story small: leaves out actions, faults, receivers, brands, hours, and turns that a host would not have taken, as
 * long as *the same* oracle is violated. Since what happens at a point depends on its label alone, what is left goes on
 * as it did.
 */
import type { Plan } from "./Plan.ts"
import type { RunInput, RunReport, Schedule } from "./Run.ts"
import { noRates } from "./Scenario.ts"
import { stuck } from "./Story.ts"

export interface Shrunk {
  readonly input: RunInput
  readonly report: RunReport
  /** How many runs it took. */
  readonly runs: number
}

export interface ShrinkOptions {
  readonly execute: (input: RunInput, untilSeconds: number) => RunReport
  readonly runs?: number
  readonly seconds?: number
  readonly onProgress?: (runs: number, input: RunInput) => void
}

const brokenBy = ({ outcome, violation }: RunReport): string | null =>
  outcome === "stuck" ? stuck.oracle : (violation?.oracle ?? null)

/** Leaves out as many items as it can, in pieces of half their number, then smaller ones. */
const without = <A>(
  items: ReadonlyArray<A>,
  isEnough: (kept: ReadonlyArray<A>) => boolean
): ReadonlyArray<A> => {
  let kept = items
  if (kept.length > 0 && isEnough([])) return []
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < kept.length;) {
      const fewer = [...kept.slice(0, from), ...kept.slice(from + size)]
      if (fewer.length < kept.length && isEnough(fewer)) kept = fewer
      else from += size
    }
  }
  return kept
}

class Shrinking {
  runs = 0
  best: RunInput
  report: RunReport
  private readonly oracle: string | null
  private readonly startedAt = performance.now()

  constructor(
    input: RunInput,
    report: RunReport,
    private readonly options: ShrinkOptions
  ) {
    this.best = input
    this.report = report
    this.oracle = brokenBy(report)
  }

  get isOver(): boolean {
    const { runs = 1500, seconds = 60 } = this.options
    return this.runs >= runs || performance.now() - this.startedAt > seconds * 1000
  }

  /** Takes the candidate over if it still breaks the same rule. */
  readonly attempt = (candidate: RunInput): boolean => {
    if (this.isOver) return false
    this.runs++
    // What broke a rule while it ran need not run on for weeks in which it doesn't.
    const { simulatedSeconds } = this.report.counts
    const report = this.options.execute(candidate, simulatedSeconds * 2 + 7200)
    this.options.onProgress?.(this.runs, this.best)
    if (brokenBy(report) !== this.oracle) return false
    if (this.oracle === stuck.oracle && report.counts.simulatedSeconds > simulatedSeconds) return false
    this.best = candidate
    this.report = report
    return true
  }

  readonly attemptPlan = (change: Partial<Plan>): boolean =>
    this.attempt({ ...this.best, plan: { ...this.best.plan, ...change } })

  private schedule(schedule: Schedule): boolean {
    return this.attempt({ ...this.best, schedule })
  }

  length(): void {
    const { counts } = this.report
    const seconds = counts.simulatedSeconds
    const actions = this.best.plan.actions.filter(({ at }) => at <= seconds * 1000)
    const troubles = this.best.plan.troubles.filter(({ at }) => at <= seconds * 1000)
    const last = Math.max(0, ...actions.map(({ at }) => at), ...troubles.map(({ at }) => at))
    const hours = Math.min(this.best.plan.hours, (last + 1000) / 3_600_000)
    if (hours < this.best.plan.hours || actions.length < this.best.plan.actions.length) {
      if (!this.attemptPlan({ actions, troubles, hours })) this.attemptPlan({ actions, troubles })
    }
  }

  faults(): void {
    const { faults, plan } = this.best
    if (faults !== null && faults.length > 0) {
      without(faults, (kept) => this.attempt({ ...this.best, faults: kept }))
    }
    // Without faults the rules are stricter: whether they break then is worth knowing.
    if (this.best.faults?.length === 0 && Object.values(plan.rates).some((rate) => rate > 0)) {
      this.attemptPlan({ rates: noRates })
    }
    if (plan.troubles.length > 0) without(plan.troubles, (troubles) => this.attemptPlan({ troubles }))
  }

  actions(): void {
    without(this.best.plan.actions, (actions) => this.attemptPlan({ actions }))
    for (const [i, action] of this.best.plan.actions.entries()) {
      if (!("seen" in action) || action.seen.length < 2) continue
      const replaced = (seen: typeof action.seen) =>
        this.attemptPlan({ actions: this.best.plan.actions.with(i, { ...action, seen }) })
      without(action.seen, (seen) => seen.length > 0 && replaced(seen))
    }
  }

  parties(): void {
    const { plan } = this.best
    plan.brands.forEach((_, b) => {
      const consumersOf = (): Plan["brands"][number]["consumers"] => this.best.plan.brands[b]!.consumers
      const replaced = (consumers: ReturnType<typeof consumersOf>) =>
        this.attemptPlan({ brands: this.best.plan.brands.with(b, { consumers }) })
      without(consumersOf(), replaced)
      for (const [i, consumer] of consumersOf().entries()) {
        if (consumer.persona !== "healthy")
          replaced(consumersOf().with(i, { ...consumer, persona: "healthy" }))
      }
    })
    const used = Math.max(0, ...this.best.plan.actions.map(({ brand }) => brand)) + 1
    if (used < this.best.plan.brands.length)
      this.attemptPlan({ brands: this.best.plan.brands.slice(0, used) })
  }

  order(): void {
    const { schedule } = this.best
    if (schedule.kind === "fifo" || this.schedule({ kind: "fifo" })) return
    if (schedule.kind === "seed" && !this.schedule({ kind: "picks", picks: this.report.picks })) return
    if (this.best.schedule.kind !== "picks") return
    without(this.best.schedule.picks, (picks) => this.schedule({ kind: "picks", picks }))
  }

  /** Another dealing of turns may need less. */
  otherTurns(): void {
    if (this.best.schedule.kind !== "seed") return
    for (let seed = 1; seed <= 3; seed++) {
      const before = this.best
      if (!this.schedule({ kind: "seed", seed })) continue
      const { length } = before.plan.actions
      this.actions()
      if (this.best.plan.actions.length < length) return
    }
  }
}

/** The smallest input that was found within the given runs and seconds; the input itself when nothing can be left out. */
export const shrink = (input: RunInput, report: RunReport, options: ShrinkOptions): Shrunk => {
  const work = new Shrinking(input, report, options)
  // The same faults, by name: from here on each can be left out.
  work.attempt({ ...input, faults: report.faults })
  work.length()
  if (work.best.schedule.kind === "seed") work.attempt({ ...work.best, schedule: { kind: "fifo" } })
  for (let size = Infinity; !work.isOver;) {
    work.faults()
    work.actions()
    work.parties()
    work.length()
    const { faults, plan } = work.best
    const now = plan.actions.length + (faults?.length ?? 0) + plan.troubles.length
    if (now >= size) break
    size = now
  }
  work.otherTurns()
  work.order()
  // The whole of it once more, with its whole trace.
  return { input: work.best, report: options.execute(work.best, Number.POSITIVE_INFINITY), runs: work.runs }
}
