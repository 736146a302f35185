/**
 * Makes a counterexample small: leaves out actions, faults, receivers, brands, hours, and scheduling steps that a host would not have taken, as
 * long as *the same* oracle is violated. Since what happens at a point depends on its label alone, what is left goes on
 * as it did.
 */
import { Retention } from "@lead-signals/domain"
import type { Action, Plan, PlannedBrand, Sighting } from "./plan/Plan.ts"
import type { RunInput, RunReport, Schedule } from "./Run.ts"
import { noRates } from "./Scenario.ts"
import { simplerActions } from "./ShrinkActions.ts"
import { livelock } from "./Counterexample.ts"

/** The result of shrinking. */
export interface Shrunk {
  /** The smallest input that still breaks the same rule. */
  readonly input: RunInput
  /** The report of that input. */
  readonly report: RunReport
  /** How many runs it took. */
  readonly runs: number
}

/** When to stop shrinking. */
export interface ShrinkOptions {
  /** Runs at most, 1,500 by default. */
  readonly runs?: number
  /** Seconds of real time at most; the run under way is finished. By default runs alone count, so that every machine finds the same. */
  readonly seconds?: number
  /** Called after each run with the number of runs so far and the smallest input. */
  readonly onProgress?: (runs: number, input: RunInput) => void
}

const brokenBy = ({ outcome, violation }: RunReport): string | null =>
  outcome === "livelocked" ? livelock.oracle : (violation?.oracle ?? null)

/** A run to be tried, and its limit in virtual seconds. */
interface Trial {
  readonly input: RunInput
  readonly untilSeconds: number
}

/** Work that requests runs and goes on with their results: its driver may have to wait for each. */
type Trying<A> = Generator<Trial, A, RunReport>

/** Leaves out as many items as it can, in pieces of half their number, then smaller ones. */
function* without<A>(
  items: ReadonlyArray<A>,
  isEnough: (kept: ReadonlyArray<A>) => Trying<boolean>
): Trying<void> {
  let kept = items
  if (kept.length > 0 && (yield* isEnough([]))) return
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < kept.length;) {
      const fewer = [...kept.slice(0, from), ...kept.slice(from + size)]
      if (fewer.length < kept.length && (yield* isEnough(fewer))) kept = fewer
      else from += size
    }
  }
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
    const { runs = 1500, seconds = Infinity } = this.options
    return this.runs >= runs || performance.now() - this.startedAt > seconds * 1000
  }

  /** Takes the candidate over if it still breaks the same rule. */
  private *attempt(candidate: RunInput): Trying<boolean> {
    if (this.isOver) return false
    this.runs++
    // What broke a rule while it ran need not run on for weeks in which it doesn't.
    const { simulatedSeconds } = this.report.counts
    const report = yield { input: candidate, untilSeconds: simulatedSeconds * 2 + 7200 }
    this.options.onProgress?.(this.runs, this.best)
    if (brokenBy(report) !== this.oracle) return false
    if (this.oracle === livelock.oracle && report.counts.simulatedSeconds > simulatedSeconds) return false
    this.best = candidate
    this.report = report
    return true
  }

  private *attemptPlan(change: Partial<Plan>): Trying<boolean> {
    return yield* this.attempt({ ...this.best, plan: { ...this.best.plan, ...change } })
  }

  private *schedule(schedule: Schedule): Trying<boolean> {
    return yield* this.attempt({ ...this.best, schedule })
  }

  private *length(): Trying<void> {
    const millis = this.report.counts.simulatedSeconds * 1000
    const { plan } = this.best
    const actions = plan.actions.filter(({ at }) => at <= millis)
    const scheduledFaults = plan.scheduledFaults.filter(({ at }) => at <= millis)
    const last = Math.max(0, ...actions.map(({ at }) => at), ...scheduledFaults.map(({ at }) => at))
    const hours = Math.min(plan.hours, (last + 1000) / 3_600_000)
    if (hours === plan.hours && actions.length === plan.actions.length) return
    if (!(yield* this.attemptPlan({ actions, scheduledFaults, hours })))
      yield* this.attemptPlan({ actions, scheduledFaults })
  }

  private *faults(): Trying<void> {
    const { faults, plan } = this.best
    if (faults !== null && faults.length > 0) {
      yield* without(faults, (kept) => this.attempt({ ...this.best, faults: kept }))
    }
    // Without faults the rules are stricter: whether they break then is worth knowing.
    if (this.best.faults?.length === 0 && Object.values(plan.rates).some((rate) => rate > 0)) {
      yield* this.attemptPlan({ rates: noRates })
    }
    if (plan.scheduledFaults.length > 0) {
      yield* without(plan.scheduledFaults, (scheduledFaults) => this.attemptPlan({ scheduledFaults }))
    }
  }

  private *sightings(i: number, seen: ReadonlyArray<Sighting>): Trying<boolean> {
    const { actions } = this.best.plan
    return seen.length === 0
      ? false
      : yield* this.attemptPlan({ actions: actions.with(i, { ...actions[i]!, seen } as Action) })
  }

  private *actions(): Trying<void> {
    yield* without(this.best.plan.actions, (actions) => this.attemptPlan({ actions }))
    for (const [i, action] of this.best.plan.actions.entries()) {
      if ("seen" in action && action.seen.length > 1) {
        yield* without(action.seen, (seen) => this.sightings(i, seen))
      }
      if (action.do === "probe" && action.probes.length > 1) {
        yield* without(action.probes, (probes) => this.replaced(i, { ...action, probes }))
      }
    }
  }

  private *replaced(i: number, action: Action): Trying<boolean> {
    return yield* this.attemptPlan({ actions: this.best.plan.actions.with(i, action) })
  }

  /** Makes each action that is left as simple as it can be. */
  private *simplified(): Trying<void> {
    for (const i of this.best.plan.actions.keys()) {
      for (let tried = 0; ;) {
        const candidate = simplerActions(this.best.plan.actions[i]!)[tried]
        if (candidate === undefined) break
        tried = (yield* this.replaced(i, candidate)) ? 0 : tried + 1
        if (this.isOver) return
      }
    }
  }

  private *consumers(b: number, consumers: PlannedBrand["consumers"]): Trying<boolean> {
    return yield* this.attemptPlan({ brands: this.best.plan.brands.with(b, { consumers }) })
  }

  private *parties(): Trying<void> {
    for (const b of this.best.plan.brands.keys()) {
      yield* without(this.best.plan.brands[b]!.consumers, (kept) => this.consumers(b, kept))
      for (const [i, consumer] of this.best.plan.brands[b]!.consumers.entries()) {
        if (consumer.behaviour === "healthy") continue
        const { consumers } = this.best.plan.brands[b]!
        yield* this.consumers(b, consumers.with(i, { ...consumer, behaviour: "healthy" }))
      }
    }
    const used = Math.max(0, ...this.best.plan.actions.map(({ brand }) => brand)) + 1
    if (used < this.best.plan.brands.length) {
      yield* this.attemptPlan({ brands: this.best.plan.brands.slice(0, used) })
    }
    yield* this.processes()
    yield* this.limits()
    yield* this.retention()
  }

  /** With the default numbers of places for attempts and of requests that wait, without days in which the service is off, without recoveries in the end, and without earlier signals. */
  private *limits(): Trying<void> {
    for (const limit of ["places", "maxWaits", "offDays", "recovers", "earlierSignals"] as const) {
      const { [limit]: given, ...plan } = this.best.plan
      if (given !== undefined) yield* this.attempt({ ...this.best, plan })
    }
  }

  /** Without pruning, or as production prunes, or with fewer kinds that are pruned. */
  private *retention(): Trying<void> {
    const { pruning, retention, ...plan } = this.best.plan
    if (retention === undefined || (yield* this.attempt({ ...this.best, plan }))) return
    if (pruning !== undefined) yield* this.attempt({ ...this.best, plan: { ...plan, retention } })
    for (const kind of Retention.retentionKinds) {
      const { retention: now } = this.best.plan
      if (now !== undefined && now[kind] !== null)
        yield* this.attemptPlan({ retention: { ...now, [kind]: null } })
    }
  }

  /** Fewer processes, of this version, which share a store without a network. */
  private *processes(): Trying<void> {
    const { networkedStore, processes: before = [], ...alone } = this.best.plan
    const network = networkedStore === undefined ? {} : { networkedStore }
    if (before.length > 0) {
      const { routing: _, ...plan } = alone
      if (yield* this.attempt({ ...this.best, plan: { ...plan, ...network } })) return
      for (let count = 2; count < before.length; count++) {
        if (yield* this.attemptPlan({ processes: before.slice(0, count) })) break
      }
      const { processes = [] } = this.best.plan
      if (processes.some(({ older }) => older)) {
        yield* this.attemptPlan({ processes: processes.map(() => ({ older: false })) })
      }
    }
    if (this.best.plan.networkedStore === true) {
      const { networkedStore: _, ...plan } = this.best.plan
      yield* this.attempt({ ...this.best, plan })
    }
  }

  private *order(): Trying<void> {
    const { kind } = this.best.schedule
    if (kind === "fifo" || (yield* this.schedule({ kind: "fifo" }))) return
    if (kind === "seed" && !(yield* this.schedule({ kind: "picks", picks: this.report.picks }))) return
    const { schedule } = this.best
    if (schedule.kind === "picks") {
      yield* without(schedule.picks, (picks) => this.schedule({ kind: "picks", picks }))
    }
  }

  /** Another order of scheduling steps may need less. */
  private *otherSchedules(): Trying<void> {
    if (this.best.schedule.kind !== "seed") return
    const { length } = this.best.plan.actions
    for (let seed = 1; seed <= 3; seed++) {
      if (!(yield* this.schedule({ kind: "seed", seed }))) continue
      yield* this.actions()
      if (this.best.plan.actions.length < length) return
    }
  }

  *all(): Trying<void> {
    // The same faults, by name: from here on each can be left out.
    yield* this.attempt({ ...this.best, faults: this.report.faults })
    yield* this.length()
    if (this.best.schedule.kind === "seed") yield* this.schedule({ kind: "fifo" })
    for (let size = Infinity; !this.isOver;) {
      yield* this.faults()
      yield* this.actions()
      yield* this.parties()
      yield* this.length()
      const { faults, plan } = this.best
      const now = plan.actions.length + (faults?.length ?? 0) + plan.scheduledFaults.length
      if (now >= size) break
      size = now
    }
    yield* this.otherSchedules()
    yield* this.order()
    yield* this.simplified()
  }
}

/**
 * Finds a smaller input that breaks the same rule, within the given runs and seconds; answers the input itself when
 * nothing can be left out. The report is of a whole run of the answer.
 */
export const shrink = (
  input: RunInput,
  report: RunReport,
  execute: (input: RunInput, untilSeconds?: number) => RunReport,
  options: ShrinkOptions = {}
): Shrunk => {
  const work = new Shrinking(input, report, options)
  const trying = work.all()
  for (let next = trying.next(); next.done !== true;) {
    next = trying.next(execute(next.value.input, next.value.untilSeconds))
  }
  return { input: work.best, report: execute(work.best), runs: work.runs }
}

/** As `shrink`, for runs that are promises. */
export const shrinkAsync = async (
  input: RunInput,
  report: RunReport,
  execute: (input: RunInput, untilSeconds?: number) => Promise<RunReport>,
  options: ShrinkOptions = {}
): Promise<Shrunk> => {
  const work = new Shrinking(input, report, options)
  const trying = work.all()
  for (let next = trying.next(); next.done !== true;) {
    next = trying.next(await execute(next.value.input, next.value.untilSeconds))
  }
  return { input: work.best, report: await execute(work.best), runs: work.runs }
}
