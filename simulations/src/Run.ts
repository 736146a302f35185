/**
 * One run of a scenario with one seed: set-up without faults, the scenario's hours with them, then quiet, in which
 * everything that is owed must arrive, and the oracles' conclusions. It is one synchronous turn, a function of its arguments.
 */
import { firstDivergence, Prng, sealed, type TraceEvent } from "@lead-signals/simulator"
import { Clock, Effect, Fiber } from "effect"
import { bodyOf, type Json, persistently } from "./actors/Calls.ts"
import { consumer } from "./actors/Consumers.ts"
import { erase } from "./actors/Eraser.ts"
import { engage } from "./actors/People.ts"
import { SyncClient } from "./actors/SyncClient.ts"
import { brandsApart } from "./oracles/BrandsApart.ts"
import { erasedStayGone } from "./oracles/ErasedStayGone.ts"
import { everythingArrives } from "./oracles/EverythingArrives.ts"
import { mirrorsConverge } from "./oracles/MirrorsConverge.ts"
import { oneBodyPerId } from "./oracles/OneBodyPerId.ts"
import { oneEventEach } from "./oracles/OneEventEach.ts"
import type { Oracle } from "./oracles/Oracle.ts"
import { signed } from "./oracles/Signed.ts"
import type { Scenario } from "./Scenario.ts"
import { drawn, noFaults } from "./world/Faults.ts"
import { Ledger, type Violation } from "./world/Ledger.ts"
import type { StorePorts } from "./world/StorePorts.ts"
import { operatorToken, World } from "./world/World.ts"

const hour = 3_600_000
const day = 24 * hour
/** A Monday morning: the same for every run, whenever and wherever it is run. */
const startsAt = Date.UTC(2026, 0, 5, 8)
/** Longer than every schedule of retries takes, and every pause between them. */
const quietDays = 20

export type Outcome = "held" | "violated" | "stuck"

export interface RunReport {
  readonly scenario: string
  readonly seed: number
  readonly outcome: Outcome
  readonly violation: Violation | null
  /** 64 hex digits: the same for every run with the same scenario, seed and options. */
  readonly digest: string
  readonly marks: ReadonlySet<string>
  readonly counts: {
    readonly steps: number
    readonly requests: number
    readonly posts: number
    readonly engagements: number
    readonly kills: number
    readonly simulatedHours: number
  }
  readonly trace: ReadonlyArray<TraceEvent>
}

export interface RunOptions {
  /** Instead of the scenario's hours. */
  readonly hours?: number
  /** Puts something between the service and its store: a planted bug, or a store of one's own. */
  readonly plant?: (ports: StorePorts) => StorePorts
}

const watching: ReadonlyArray<Oracle> = [oneBodyPerId, oneEventEach, signed, brandsApart, erasedStayGone]

const run = (
  scenario: Scenario,
  seed: number,
  world: World,
  hours: number
): Omit<RunReport, "digest" | "trace"> => {
  const { kernel } = world
  const ledger = new Ledger()
  for (const oracle of watching) oracle.watch?.(ledger)
  const clients: Array<SyncClient> = []
  const rates = scenario.swarm ? drawn(scenario.faults, kernel.stream("rates")) : scenario.faults
  const kills = kernel.stream("kills")
  const clocks = kernel.stream("clocks")
  const endsAt = startsAt + hours * hour
  let isOver = false

  const operate = (method: "GET" | "POST" | "PATCH", url: string, body?: unknown): Effect.Effect<Json> =>
    Effect.map(
      persistently(world, ledger, "operator", {
        method,
        url: `/operator/brands${url}`,
        token: operatorToken,
        ...(body === undefined ? {} : { body })
      }),
      bodyOf
    )

  const setUpBrand = (plan: Scenario["brands"][number], index: number) =>
    Effect.gen(function* () {
      const { id } = (yield* operate("POST", "", { name: `Brand ${index}` })).data
      const signalIds: Array<string> = []
      for (const name of ["Posts", "Words"]) {
        const source = { type: "posts-with-keywords", value: name }
        const signal = yield* operate("POST", `/${id}/signals`, { name, signalType: "keywords", source })
        signalIds.push(signal.data.id)
      }
      for (const [i, persona] of plan.consumers.entries()) {
        const url = `https://b${id}-${i}-${persona}.example/hook`
        const made = (yield* operate("POST", `/${id}/webhooks`, {
          url,
          events: ["lead2.created", "activity.detected"]
        })).data
        const webhook = { id: made.id, brandId: id, url, persona, secret: made.secret }
        ledger.webhooks.push(webhook)
        world.consumers.set(url, consumer(webhook, ledger, kernel.stream(`consumer ${url}`)))
      }
      if (plan.syncMinutes > 0) {
        const { key } = (yield* operate("POST", `/${id}/keys`, { label: "sync" })).data
        clients.push(new SyncClient(world, ledger, id, key))
      }
      return { id: id as string, signalIds, plan }
    })

  const killing = Effect.gen(function* () {
    if (rates.killsPerDay === 0) return
    for (;;) {
      yield* Effect.sleep(kills.wait(day / rates.killsPerDay))
      if ((yield* Clock.currentTimeMillis) >= endsAt) return
      if (!world.isUp) continue
      const underWay = ledger.received.length
      world.kill()
      ledger.marks.add("the service was killed")
      yield* Effect.sleep(60_000)
      if (ledger.received.length > underWay) ledger.marks.add("posts went on after a restart")
    }
  })

  const steppingClock = Effect.gen(function* () {
    if (rates.clockStepsPerDay === 0) return
    for (;;) {
      yield* Effect.sleep(clocks.wait(day / rates.clockStepsPerDay))
      if ((yield* Clock.currentTimeMillis) >= endsAt) return
      world.stepClock(Math.round((clocks.fraction() - 0.5) * 2 * hour))
      ledger.marks.add("the clock jumped")
    }
  })

  /** Until nothing is owed: what waits for its next attempt, and what is held for a receiver that was gone. */
  const drain = Effect.gen(function* () {
    for (const { brandId, id } of ledger.webhooks) {
      for (;;) {
        const { enabled } = (yield* operate("GET", `/${brandId}/webhooks/${id}`)).data
        if (enabled !== true) {
          ledger.marks.add("a webhook was disabled")
          yield* operate("PATCH", `/${brandId}/webhooks/${id}`, { enabled: true })
        }
        const pending = yield* operate(
          "GET",
          `/${brandId}/webhooks/${id}/deliveries?state=pending&pageSize=1`
        )
        if (enabled === true && pending.meta.pagination.total === 0) break
        yield* Effect.sleep(10 * 60_000)
      }
    }
  })

  const readDeadLetters = Effect.gen(function* () {
    for (const { brandId, id } of ledger.webhooks) {
      for (let page = 1; ; page++) {
        const { data } = yield* operate(
          "GET",
          `/${brandId}/webhooks/${id}/deliveries?state=dead&pageSize=100&page=${page}`
        )
        if (data.length === 0) break
        ledger.marks.add("a delivery died")
        for (const { engagementId, event } of data) {
          const of = event === "lead2.created" ? ledger.sent.get(engagementId)!.person : engagementId
          ledger.dead.add(`${id} ${event} ${of}`)
        }
      }
    }
  })

  const story = Effect.gen(function* () {
    while (!world.isUp) yield* Effect.sleep(100)
    const brands = yield* Effect.forEach(scenario.brands, setUpBrand)
    world.rates = rates
    const syncing = yield* Effect.forEach(clients, (client, i) =>
      Effect.fork(client.syncEvery(scenario.brands[i]!.syncMinutes))
    )
    const troubles = [yield* Effect.fork(killing), yield* Effect.fork(steppingClock)]
    const erasing = yield* Effect.forEach(
      brands.filter(({ plan }) => plan.erasuresPerHour > 0),
      ({ id, plan }) =>
        Effect.fork(
          erase(
            world,
            ledger,
            id,
            { erasuresPerHour: plan.erasuresPerHour, until: endsAt },
            kernel.stream(`eraser ${id}`)
          )
        )
    )
    yield* Effect.forEach(
      brands,
      ({ id, plan, signalIds }) =>
        engage(
          world,
          ledger,
          { id, signalIds },
          { people: plan.people, engagementsPerHour: plan.engagementsPerHour, until: endsAt },
          kernel.stream(`people ${id}`)
        ),
      { concurrency: "unbounded" }
    )
    world.rates = noFaults
    yield* Fiber.interruptAll([...syncing, ...troubles])
    // An erasure that was asked for is seen through.
    yield* Effect.forEach(erasing, Fiber.join)
    while (!world.isUp) yield* Effect.sleep(100)
    yield* drain
    yield* readDeadLetters
    const truth = new Map<string, ReadonlyArray<Json>>()
    for (const client of clients) {
      yield* client.sync
      truth.set(client.brandId, yield* client.everything)
    }
    for (const oracle of [...watching, everythingArrives, mirrorsConverge]) {
      const message = oracle.conclude?.({ ledger, clients, truth }) ?? null
      if (message !== null) ledger.violate(oracle.name, message)
    }
    isOver = true
  })

  world.others.fork(story)
  const ended = kernel.run({
    until: endsAt + quietDays * day,
    isDone: () => isOver || ledger.violation !== null
  })
  if (ledger.violation !== null) kernel.record("oracle", "violated", { ...ledger.violation })
  return {
    scenario: scenario.name,
    seed,
    outcome: ledger.violation !== null ? "violated" : ended === "done" ? "held" : "stuck",
    violation: ledger.violation,
    marks: ledger.marks,
    counts: {
      steps: kernel.steps,
      requests: ledger.requests,
      posts: ledger.received.length,
      engagements: ledger.sent.size,
      kills: world.kills,
      simulatedHours: Math.round((kernel.now - startsAt) / hour)
    }
  }
}

export const simulate = (scenario: Scenario, seed: number, options: RunOptions = {}): RunReport => {
  let now = startsAt
  return sealed(
    Prng.of(seed, "sealed"),
    () => now,
    () => {
      const world = new World(seed, startsAt, options.plant)
      world.kernel.trace.listen(({ at }) => {
        now = startsAt + at
      })
      const report = run(scenario, seed, world, options.hours ?? scenario.hours)
      const { trace } = world.kernel
      return { ...report, digest: trace.digest(), trace: trace.events }
    }
  )
}

/** Runs twice; the first event at which the two histories part, or null. */
export const check = (scenario: Scenario, seed: number, options: RunOptions = {}): TraceEvent | null => {
  const [first, second] = [simulate(scenario, seed, options), simulate(scenario, seed, options)]
  const at = firstDivergence(first.trace, second.trace)
  return at === null ? null : (second.trace[at] ?? first.trace[at]!)
}
