/**
 * One run of a plan: set-up without faults, the plan's hours with them, then quiet, in which everything that is owed must
 * arrive, and the oracles' conclusions. It is a function of its arguments.
 */
import {
  firstDivergence,
  Picker,
  Prng,
  isolated,
  type TraceEvent,
  virtualised
} from "@lead-signals/simulation-kernel"
import { Cause, Effect } from "effect"
import type { ActorContext } from "./actors/ActorContext.ts"
import { type CheckCount, Checks } from "./oracles/Checks.ts"
import { oracles } from "./oracles/index.ts"
import type { OracleInstance } from "./oracles/Oracle.ts"
import { injectFault, partyOf, perform } from "./Perform.ts"
import { type Action, type Plan, usualStart } from "./plan/Plan.ts"
import { drainDaysOf } from "./plan/DrainTime.ts"
import { planOf } from "./plan/PlanGeneration.ts"
import { beOff } from "./Absence.ts"
import { recoverDeadLetters } from "./Recovery.ts"
import { drain, readAudit, readDeliveries, readFeed, readFigures, readLists } from "./DrainPhase.ts"
import type { Scenario } from "./Scenario.ts"
import { setUp } from "./SetUp.ts"
import * as Disk from "./world/Disk.ts"
import { sqlite } from "#sqlite-disk"
import { type Host, service } from "./world/Host.ts"
import { type Answered, type Call, KnownFacts, type Violation } from "./world/KnownFacts.ts"
import { type OwnHost, ownHost } from "./world/OwnHost.ts"
import type { StoreMethod } from "./world/StorePorts.ts"
import { World } from "./world/World.ts"

/** After everything came that was owed: some rounds of pruning. */
const pruningMillis = 70 * 60_000
const hour = 3_600_000
const day = 24 * hour

/** The stores that the service of a run may have: memory, a SQLite file, or an encrypted one. */
export const storeKinds = ["memory", "sqlite", "sqlite-encrypted"] as const

/**
 * `passed`: every rule held and everything owed arrived. `violated`: an oracle found a broken rule. `livelocked`:
 * something owed had not arrived when nothing went on any more, or when the drain phase was over: after 30 days, or as many more as
 * an ordered webhook needs for the events of a lead.
 */
export type Outcome = "passed" | "violated" | "livelocked"

/** The store of a run. All of them give the same digest. */
export type StoreKind = (typeof storeKinds)[number]

/** Who goes on, when several can: as the seed says, as a host would, or as it was noted. */
export type Schedule =
  | { readonly kind: "seed"; readonly seed: number }
  | { readonly kind: "fifo" }
  | { readonly kind: "picks"; readonly picks: ReadonlyArray<readonly [number, number]> }

/** Everything that a run depends on, besides the code. */
export interface RunInput {
  /** The seed of what the run draws: random numbers, faults, the behaviour of receivers. */
  readonly seed: number
  /** The actions of everyone, and the faults that are scheduled. */
  readonly plan: Plan
  /** The labels of the faults to inject; null: as the seed says. */
  readonly faults: ReadonlyArray<string> | null
  /** The order in which runnable fibers go on. */
  readonly schedule: Schedule
}

/** The result of a run. */
export interface RunReport {
  /** How the run ended. */
  readonly outcome: Outcome
  /** The first rule that broke, and how; null unless the outcome is `violated`. */
  readonly violation: Violation | null
  /** 64 hex digits: the same for every run with the same input, over whatever store. */
  readonly digest: string
  /** Rare situations that the run met. A campaign that lacks one of its scenario's marks proves little. */
  readonly coverageMarks: ReadonlySet<string>
  /** The forms of inputs that were answered, by the names of their probes. */
  readonly exercised: ReadonlySet<string>
  /** Numbers of the run: what was done in it, what befell it, and how much virtual time it took. */
  readonly counts: {
    readonly actions: number
    readonly steps: number
    readonly requests: number
    readonly posts: number
    readonly engagements: number
    /** Leads and removals that clients took from the feed of changes, or from lists by `updatedAt`. */
    readonly changes: number
    readonly kills: number
    readonly faults: number
    readonly simulatedSeconds: number
  }
  /** The labels of the faults that befell the run. */
  readonly faults: ReadonlyArray<string>
  /** The picks of the scheduler that a host would not have made, each with the number of picks before it. */
  readonly picks: ReadonlyArray<readonly [number, number]>
  /** How often each rule was judged, and how often in part or not at all. */
  readonly checks: ReadonlyArray<CheckCount>
  /** The events of the run, in order. */
  readonly trace: ReadonlyArray<TraceEvent>
}

const pickerOf = (schedule: Schedule): Picker.Picker => {
  switch (schedule.kind) {
    case "fifo":
      return Picker.fifo
    case "picks":
      return Picker.scripted(new Map(schedule.picks))
    case "seed":
      return Picker.ofSeed(Prng.of(schedule.seed, "scheduling"))
  }
}

/** What a call may have done is noted when the service begins with it: its answer may never be seen. */
const note = (call: Call, facts: KnownFacts, now: number): void => {
  const { meaning } = call
  if (meaning.means === "rotate") meaning.webhook.rotations++
  if (meaning.means === "signOut") {
    const begun = facts.signOuts.get(meaning.cookie) ?? new Set()
    facts.signOuts.set(meaning.cookie, begun.add(call))
  }
  if (meaning.means === "resend") meaning.webhook.resends += meaning.maxEvents
  if (meaning.means === "enable" && meaning.enabled) {
    meaning.webhook.enabledAt = now
    meaning.webhook.disabledAt = null
  }
}

/** The writes that a reader of a history wants to see. */
const reportedWrites: ReadonlySet<StoreMethod> = new Set<StoreMethod>([
  "leads.commit",
  "leads.update",
  "leads.erase",
  "campaigns.putReading",
  "keys.revoke",
  "webhooks.update",
  "deliveries.queue",
  "deliveries.recover"
])

/** The answer and what the reference says, where the message shows their difference: reports show all of both. */
const comparedTexts = (message: string, fact: object): Violation["texts"] =>
  "call" in fact && "body" in fact && message.includes("… instead of …")
    ? { expected: JSON.stringify((fact as Answered).call.expected), actual: JSON.stringify(fact.body) }
    : undefined

/** Everything that a run is made of, before it runs. */
const prepare = (input: RunInput, host: Host) => {
  const { plan, seed } = input
  const { startsAt = usualStart } = plan
  const facts = new KnownFacts(plan)
  facts.auditsKeyReads = host.auditsKeyReads
  const picks = new Map<number, number>()
  const instances = oracles.map(({ instantiate, name }) => {
    const checks = new Checks(name)
    const instance: OracleInstance = instantiate(facts, checks)
    return { name, checks, instance, whole: checks.isEmpty ? checks.rule("each call") : null }
  })
  /** Tells all oracles that judge such facts, in their order. */
  const notifier = <K extends "stored" | "answered" | "posted" | "logged">(kind: K) => {
    type Fact = Parameters<NonNullable<OracleInstance[K]>>[0]
    const judges = instances.flatMap(({ instance, name, whole }) => {
      const judge = instance[kind] as ((of: Fact) => string | null) | undefined
      return judge === undefined ? [] : [{ judge, name, whole }]
    })
    return (fact: Fact): void => {
      for (const { judge, name, whole } of judges) {
        if (whole !== null) whole.judged++
        const message = judge(fact)
        if (typeof message === "string") facts.violate(name, message, comparedTexts(message, fact))
      }
    }
  }
  const notify = {
    stored: notifier("stored"),
    answered: notifier("answered"),
    posted: notifier("posted"),
    logged: notifier("logged")
  }
  const world: World = new World(facts, {
    seed,
    startsAt,
    host,
    plan,
    faults: input.faults === null ? null : new Set(input.faults),
    begunAtOnce: plan.actions.length,
    picker: Picker.recorded(pickerOf(input.schedule), picks),
    onStored: (done) => {
      if (done.call !== null && reportedWrites.has(done.method)) {
        world.kernel.record("store", "commit", { method: done.faultPoint, call: done.call.label })
      }
      notify.stored(done)
    },
    onLogged: notify.logged,
    onTailLost: (since) => {
      for (const { instance } of instances) instance.tailLost?.(since)
    },
    onHandled: (call) => {
      note(call, facts, world.kernel.now)
      for (const { instance } of instances) instance.handled?.(call)
    },
    onAnswered: notify.answered,
    onPosted: (post) => {
      facts.receive(post)
      notify.posted(post)
    }
  })
  const context: ActorContext = { world, facts }
  let isOver = false

  const course = Effect.gen(function* () {
    while (!world.isUp) yield* Effect.sleep(100)
    const brands = yield* Effect.forEach(plan.brands, (brand, index) => setUp(context, brand, index))
    const locks = yield* Effect.forEach(brands, () =>
      Effect.all({ operator: Effect.makeSemaphore(1), sync: Effect.makeSemaphore(1) })
    )
    const from = world.kernel.now
    world.rates = plan.rates
    for (const each of plan.scheduledFaults) {
      world.kernel.after(each.at, world.others, () => injectFault(world, each))
    }
    const act = Effect.fnUntraced(function* (action: Action) {
      yield* Effect.sleep(from + action.at - world.kernel.now)
      const brand = brands[action.brand]
      if (brand === undefined) return
      world.kernel.record(partyOf(action), "acts", { n: action.n, what: action.do })
      yield* perform(context, action, brand, brands, locks[action.brand]!)
    })
    const doing = yield* Effect.forEach(plan.actions, (action) => Effect.fork(act(action)))
    yield* Effect.sleep(Math.max(0, from + plan.hours * hour - world.kernel.now))
    world.calm()
    for (const fiber of doing) yield* fiber.await
    while (!world.isUp) yield* Effect.sleep(100)
    for (const brand of brands) yield* drain(context, brand)
    if (plan.recovers === true) yield* recoverDeadLetters(context, brands)
    if (plan.offDays !== undefined) yield* beOff(context, brands, plan.offDays)
    // What died last is due, too, and what is due goes.
    if (plan.retention !== undefined) yield* Effect.sleep(pruningMillis)
    let pruned = facts.prunedLeads.size
    for (const brand of brands) {
      yield* readDeliveries(context, brand)
      yield* readLists(context, brand)
      yield* readFeed(context, brand)
      yield* readFigures(context, brand)
    }
    yield* readAudit(context)
    // Leads that were pruned meanwhile moved the others between pages, or are in copies and lists from before.
    for (let again = 1; facts.prunedLeads.size > pruned; again++) {
      pruned = facts.prunedLeads.size
      for (const brand of brands) yield* readLists(context, brand, `again ${again} `)
    }
    for (const { instance, name, whole } of instances) {
      if (instance.conclude !== undefined && whole !== null) whole.judged++
      const message = instance.conclude?.() ?? null
      if (message !== null) facts.violate(name, message)
    }
    const damage = host.presentDamage()
    if (damage !== null) facts.violate("files whole", damage)
    isOver = true
  })

  world.watch(world.others.fork(course))
  return {
    world,
    coverageMarks: facts.coverageMarks as ReadonlySet<string>,
    limits: {
      until: startsAt + plan.hours * hour + drainDaysOf(plan) * day,
      isDone: () => isOver || facts.violation !== null || world.defect !== null
    },
    report: (): RunReport => {
      const { kernel } = world
      if (world.defect !== null && facts.violation === null) {
        throw new Error(`The simulation failed: ${Cause.pretty(world.defect)}`)
      }
      if (facts.violation !== null) {
        const { message, oracle } = facts.violation
        kernel.record("oracle", "violated", { oracle, message })
      }
      return {
        outcome: facts.violation !== null ? "violated" : isOver ? "passed" : "livelocked",
        violation: facts.violation,
        digest: kernel.trace.digest(),
        coverageMarks: facts.coverageMarks,
        exercised: facts.exercised,
        counts: {
          actions: plan.actions.length,
          steps: kernel.steps,
          requests: facts.requests,
          posts: facts.messages,
          engagements: facts.engagements,
          changes: facts.changes,
          kills: world.processes.kills,
          faults: world.faults.length,
          simulatedSeconds: Math.round((kernel.now - startsAt) / 1000)
        },
        faults: world.faults,
        checks: instances.flatMap(({ checks }) => checks.counts),
        picks: [...picks],
        trace: kernel.trace.events
      }
    }
  }
}

/** `seed` says which bounds the processes over SQLite have; without it they have those of production. */
export const diskOf = (store: StoreKind, { rates }: Plan, seed?: number): Disk.Disk =>
  store === "memory"
    ? Disk.memory()
    : sqlite({ synced: rates.tornWrites > 0, encrypted: store === "sqlite-encrypted", bounds: seed ?? null })

/**
 * Is called with each event of a run while it goes on, and with the coverage marks so far. Time and chance are the run's
 * meanwhile: it must draw no random number, and a timer throws.
 */
export type Observer = (event: TraceEvent, coverageMarks: ReadonlySet<string>) => void

/**
 * Runs the service of production over one of its stores, in one synchronous call. `untilSeconds` ends the run early,
 * in virtual seconds. The same arguments give the same report on every machine, with or without an observer.
 */
export const run = (
  input: RunInput,
  store: StoreKind | Disk.Disk = "memory",
  untilSeconds = Number.POSITIVE_INFINITY,
  observer?: Observer
): RunReport =>
  runOver(
    input,
    () => service(typeof store === "string" ? diskOf(store, input.plan, input.seed) : store, input.seed),
    untilSeconds,
    observer
  )

/** As `run`, over what `host` makes. */
export const runOver = (
  input: RunInput,
  host: () => Host,
  untilSeconds = Number.POSITIVE_INFINITY,
  observer?: Observer
): RunReport => {
  const { startsAt = usualStart } = input.plan
  let now = startsAt
  return isolated(
    Prng.of(input.seed, "sealed"),
    () => now,
    () => {
      const { coverageMarks, limits, report, world } = prepare(input, host())
      world.kernel.trace.listen((event) => {
        now = startsAt + event.at
        observer?.(event, coverageMarks)
      })
      try {
        world.kernel.run({ ...limits, until: Math.min(limits.until, startsAt + untilSeconds * 1000) })
        return report()
      } finally {
        world.end()
      }
    }
  )
}

/** Runs somebody's own host, whose promises are let run between scheduling steps. */
export const runHost = async (
  input: RunInput,
  make: OwnHost,
  untilSeconds = Number.POSITIVE_INFINITY
): Promise<RunReport> => {
  const { startsAt = usualStart } = input.plan
  const { limits, report, world } = prepare(input, ownHost(make))
  return virtualised(
    Prng.of(input.seed, "sealed"),
    {
      now: () => world.processes.all[0]!.clock.read(world.kernel.now),
      after: (millis, task) => world.kernel.after(millis, world.others, task)
    },
    async (settle) => {
      const until = Math.min(limits.until, startsAt + untilSeconds * 1000)
      try {
        await world.kernel.runSettling({ ...limits, until }, settle)
        return report()
      } finally {
        world.end()
      }
    }
  )
}

/** The input of a seed of a scenario; `hours` replaces the scenario's length. */
export const inputOf = (scenario: Scenario, seed: number, hours?: number): RunInput => ({
  seed,
  plan: planOf(scenario, seed, usualStart, hours),
  faults: null,
  schedule: { kind: "seed", seed }
})

/**
 * Runs a seed of a scenario over one of the stores, in memory by default; `hours` replaces the scenario's length. The
 * same arguments give the same report on every machine.
 */
export const simulate = (
  scenario: Scenario,
  seed: number,
  options: { readonly hours?: number; readonly store?: StoreKind | Disk.Disk } = {}
): RunReport => run(inputOf(scenario, seed, options.hours), options.store)

/** Runs the input twice. Answers the first event at which the two histories part, null when they are the same. */
export const check = (input: RunInput, store: StoreKind = "memory"): TraceEvent | null => {
  const [first, second] = [run(input, store), run(input, store)]
  const at = firstDivergence(first.trace, second.trace)
  return at === null ? null : (second.trace[at] ?? first.trace[at]!)
}
