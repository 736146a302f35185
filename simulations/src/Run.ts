/**
 * One run of a plan: set-up without faults, the plan's hours with them, then quiet, in which everything that is owed must
 * arrive, and the oracles' conclusions. It is a function of its arguments.
 */
import { firstDivergence, Picker, Prng, sealed, type TraceEvent, virtualised } from "@lead-signals/simulator"
import { Cause, Effect } from "effect"
import { consumer } from "./actors/Consumers.ts"
import * as KeyHolders from "./actors/KeyHolders.ts"
import * as Operator from "./actors/Operator.ts"
import { observe } from "./actors/People.ts"
import * as Readers from "./actors/Readers.ts"
import { type Caller, type Stage, succeeding } from "./actors/Stage.ts"
import { sync } from "./actors/SyncClient.ts"
import * as WebhookOwner from "./actors/WebhookOwner.ts"
import { oracles } from "./oracles/index.ts"
import type { Watch } from "./oracles/Oracle.ts"
import { ReferenceCampaign } from "./oracles/ReferenceCampaign.ts"
import { ReferenceModel, type ReferenceSignal } from "./oracles/ReferenceModel.ts"
import { type Action, type Plan, planOf, signalsPerBrand } from "./Plan.ts"
import type { Scenario } from "./Scenario.ts"
import * as Disk from "./world/Disk.ts"
import { type Host, service } from "./world/Host.ts"
import { type Call, type KnownWebhook, Ledger, type StagedBrand, type Violation } from "./world/Ledger.ts"
import { type OwnHost, ownHost } from "./world/OwnHost.ts"
import { World } from "./world/World.ts"

const hour = 3_600_000
const day = 24 * hour
/** A Monday morning: the same for every run, whenever and wherever it is run. */
export const startsAt = Date.UTC(2026, 0, 5, 8)
/** Longer than every schedule of retries takes, and every pause between them. */
const quietDays = 30
const limitedRequestsPerMinute = 6

export type Outcome = "held" | "violated" | "stuck"
export type StoreKind = "memory" | "sqlite"

/** Who goes on, when several can: as the seed says, as a host would, or as it was noted. */
export type Schedule =
  | { readonly kind: "seed"; readonly seed: number }
  | { readonly kind: "fifo" }
  | { readonly kind: "picks"; readonly picks: ReadonlyArray<readonly [number, number]> }

/** Everything that a run depends on, besides the code. */
export interface RunInput {
  readonly seed: number
  readonly plan: Plan
  /** The faults to have, by label; null: as the seed says. */
  readonly faults: ReadonlyArray<string> | null
  readonly schedule: Schedule
}

export interface RunReport {
  readonly outcome: Outcome
  readonly violation: Violation | null
  /** 64 hex digits: the same for every run with the same input, over whatever store. */
  readonly digest: string
  readonly marks: ReadonlySet<string>
  readonly counts: {
    readonly actions: number
    readonly steps: number
    readonly requests: number
    readonly posts: number
    readonly engagements: number
    readonly kills: number
    readonly faults: number
    readonly simulatedSeconds: number
  }
  /** What went wrong, by label. */
  readonly faults: ReadonlyArray<string>
  /** Picks that a host would not have made, by how many came before. */
  readonly picks: ReadonlyArray<readonly [number, number]>
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

/* Set-up */

const sources = [
  { type: "posts-with-keywords", value: "social signals" },
  {
    type: "li-company-mention",
    value: "https://network.example/company/quartz",
    liCompanyId: "880034",
    company: { id: 34, name: "Quartz Labs", industry: "Software" }
  },
  { type: "li-profile-url", value: "https://network.example/in/watched" }
]

const setUp = (stage: Stage, plan: Plan["brands"][number], index: number): Effect.Effect<StagedBrand> =>
  Effect.gen(function* () {
    const { ledger, world } = stage
    const party = `operator ${index}`
    const caller = (what: string): Caller => ({ party, label: `set up ${index} ${what}` })
    const make = (what: string, route: string, params: Record<string, string>, body: unknown) =>
      Effect.map(
        succeeding(stage, caller(what), {
          method: "POST",
          route,
          params,
          body,
          brand: null,
          meaning: { means: "make" }
        }),
        ({ data }) => data
      )
    const { id } = yield* make("brand", "/operator/brands", {}, { name: `Brand ${index}` })
    const of = { brandId: id as string }
    const signals: Array<ReferenceSignal> = []
    for (const [i, source] of sources.slice(0, signalsPerBrand).entries()) {
      const body = { name: `Signal ${i}`, signalType: "keywords", source }
      const made = yield* make(`signal ${i}`, "/operator/brands/{brandId}/signals", of, body)
      signals.push({
        id: made.id,
        name: body.name,
        signalType: body.signalType,
        source: { liCompanyId: null, company: null, ...source }
      })
    }
    const campaign = yield* make("campaign", "/operator/brands/{brandId}/campaigns", of, { name: "Spring" })
    const webhooks: Array<KnownWebhook> = []
    for (const [i, { events, persona }] of plan.consumers.entries()) {
      const url = `https://b${index}-${i}-${persona}.example/hook`
      const made = yield* make(`webhook ${i}`, "/operator/brands/{brandId}/webhooks", of, { url, events })
      webhooks.push({
        id: made.id,
        brandId: id,
        url,
        persona,
        events,
        secrets: [{ secret: made.secret, since: 0 }],
        rotations: 0,
        resends: 0,
        enabledAt: 0,
        disabledAt: null
      })
    }
    const brand: StagedBrand = {
      index,
      id,
      signalIds: signals.map((signal) => signal.id),
      campaignId: campaign.id,
      key: yield* KeyHolders.makeKey(stage, caller("key"), id, 1_000_000),
      limitedKey: yield* KeyHolders.makeKey(stage, caller("limited key"), id, limitedRequestsPerMinute),
      webhooks,
      reference: new ReferenceModel(id, signals),
      campaign: new ReferenceCampaign(campaign.id),
      leadIds: new Map(),
      instants: [],
      mirror: new Map(),
      syncedUntil: null
    }
    ledger.brands.push(brand)
    for (const webhook of webhooks) world.consumers.set(webhook.url, consumer(stage, webhook))
    return brand
  })

/* The plan's hours */

/** Things that one person does one after the other, however long each takes. */
interface Turns {
  readonly operator: Effect.Semaphore
  readonly sync: Effect.Semaphore
}

const partyOf = ({ brand, do: deed }: Action): string => {
  switch (deed) {
    case "observe":
    case "again":
      return `people ${brand}`
    case "list":
    case "detail":
    case "walk":
    case "metrics":
    case "bad":
    case "cross":
      return `reader ${brand}`
    case "sync":
      return `sync ${brand}`
    case "burst":
    case "key":
      return `keys ${brand}`
    default:
      return `operator ${brand}`
  }
}

const perform = (
  stage: Stage,
  action: Action,
  brand: StagedBrand,
  brands: ReadonlyArray<StagedBrand>,
  turns: Turns
): Effect.Effect<void> => {
  const caller: Caller = { party: partyOf(action), label: `${action.do} ${action.brand}-${action.n}` }
  const webhook = "webhook" in action ? brand.webhooks[action.webhook % brand.webhooks.length] : undefined
  switch (action.do) {
    case "observe":
    case "again":
      return observe(stage, caller, brand, action.seen, action.do === "observe")
    case "amend":
      return turns.operator.withPermits(1)(Operator.amend(stage, caller, brand, action))
    case "erase":
      return Operator.erase(stage, caller, brand, action.person)
    case "export":
      return Operator.exported(stage, caller, brand, action.person)
    case "reading":
      return turns.operator.withPermits(1)(Operator.reading(stage, caller, brand, action))
    case "list":
      return Effect.asVoid(Readers.page(stage, caller, brand, action.query))
    case "walk":
      return Effect.asVoid(Readers.walk(stage, caller, brand, action.query))
    case "detail":
      return Readers.detail(stage, caller, brand, action.person, action.withDetail)
    case "metrics":
      return Readers.metrics(stage, caller, brand, action)
    case "bad":
      return Readers.bad(stage, caller, brand, action.which)
    case "cross": {
      const other = brands[(brand.index + 1) % brands.length]!
      return other === brand ? Effect.void : Readers.cross(stage, caller, brand, other, action.person)
    }
    case "sync":
      return turns.sync.withPermits(1)(sync(stage, caller, brand))
    case "key":
      return KeyHolders.key(stage, caller, brand, action)
    case "burst":
      return KeyHolders.burst(stage, caller, brand, action)
    case "rotate":
      return webhook === undefined
        ? Effect.void
        : // Of two at once nobody would know which secret is the newer.
          turns.operator.withPermits(1)(WebhookOwner.rotate(stage, caller, brand, webhook))
    case "test":
      return webhook === undefined ? Effect.void : WebhookOwner.test(stage, caller, brand, webhook)
    case "resend":
      return webhook === undefined ? Effect.void : WebhookOwner.resend(stage, caller, brand, webhook, action)
    case "redeliver":
      return webhook === undefined
        ? Effect.void
        : WebhookOwner.redeliver(stage, caller, brand, webhook, action.nth)
    case "recover":
      return webhook === undefined
        ? Effect.void
        : WebhookOwner.recover(stage, caller, brand, webhook, action.agoMillis)
    case "toggle":
      return webhook === undefined
        ? Effect.void
        : WebhookOwner.toggle(stage, caller, brand, webhook, action.offMillis)
  }
}

const trouble = (world: World, each: Plan["troubles"][number]): void => {
  switch (each.trouble) {
    case "kill":
      return world.killAfter(each.steps)
    case "clock":
      return world.stepClock(each.millis)
    case "drift":
      return world.driftClock(each.rate)
    case "pause":
      return world.pause(each.millis)
    case "partition":
      return world.partition(each.millis)
  }
}

/* Quiet */

/** Until nothing is owed: what waits for its next attempt, and what is held for a receiver that was gone. */
const drain = (stage: Stage, brand: StagedBrand): Effect.Effect<void> =>
  Effect.gen(function* () {
    const caller = (what: string): Caller => ({
      party: `operator ${brand.index}`,
      label: `drain ${brand.index} ${what}`
    })
    for (const [i, webhook] of brand.webhooks.entries()) {
      const params = { brandId: brand.id, id: webhook.id }
      for (let round = 0; ; round++) {
        const { data } = yield* succeeding(stage, caller(`look ${i} ${round}`), {
          route: "/operator/brands/{brandId}/webhooks/{id}",
          params,
          brand,
          meaning: { means: "look" }
        })
        if (data.enabled !== true) {
          if (data.disabledReason !== "The operator disabled it.")
            stage.ledger.marks.add("a webhook was disabled")
          yield* WebhookOwner.setEnabled(stage, caller(`enable ${i} ${round}`), brand, webhook, true)
        }
        const pending = yield* succeeding(stage, caller(`count ${i} ${round}`), {
          route: "/operator/brands/{brandId}/webhooks/{id}/deliveries",
          params,
          query: "state=pending&pageSize=1",
          brand,
          meaning: { means: "look" }
        })
        if (data.enabled === true && pending.meta.pagination.total === 0) break
        yield* Effect.sleep(round < 3 ? 60_000 : 6 * hour)
      }
    }
  })

/** Of so many deliveries of a webhook the log is read. */
const logsRead = 30

const readDeliveries = (stage: Stage, brand: StagedBrand): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { ledger } = stage
    const party = `operator ${brand.index}`
    for (const [i, webhook] of brand.webhooks.entries()) {
      const params = { brandId: brand.id, id: webhook.id }
      let read = 0
      for (let page = 1; ; page++) {
        const { data } = yield* succeeding(
          stage,
          { party, label: `deliveries ${brand.index} ${i} ${page}` },
          {
            route: "/operator/brands/{brandId}/webhooks/{id}/deliveries",
            params,
            query: `pageSize=100&page=${page}`,
            brand,
            meaning: { means: "look" }
          }
        )
        if (data.length === 0) break
        for (const { engagementId, event, id, leadId, state } of data) {
          if (state === "dead" && leadId !== null) {
            ledger.marks.add("a delivery died")
            const row = brand.reference.rows.find((each) => each.id === leadId)
            const subject = event === "lead2.created" ? row?.extId : engagementId
            ledger.dead.add(`${webhook.id} ${event} ${subject}`)
          }
          if (read++ >= logsRead) continue
          const detail = yield* succeeding(
            stage,
            { party, label: `delivery ${brand.index} ${i} ${read}` },
            {
              route: "/operator/brands/{brandId}/webhooks/{id}/deliveries/{deliveryId}",
              params: { ...params, deliveryId: id },
              brand,
              meaning: { means: "look" }
            }
          )
          ledger.deliveries.push({ webhook, delivery: detail.data })
        }
      }
    }
  })

const finalOrders = [
  ["createdAt", "asc"],
  ["updatedAt", "desc"],
  ["score1", "desc"],
  ["name", "asc"]
] as const

const readLists = (stage: Stage, brand: StagedBrand): Effect.Effect<void> =>
  Effect.gen(function* () {
    const party = `reader ${brand.index}`
    if (brand.mirror.size > 0) {
      yield* sync(stage, { party: `sync ${brand.index}`, label: `last sync ${brand.index}` }, brand)
    }
    const pageSize = brand.reference.rows.length > 200 ? 100 : 7
    for (const [field, direction] of finalOrders) {
      const label = `last ${field} ${brand.index}`
      const leads = yield* Readers.walk(stage, { party, label }, brand, {
        signal: null,
        flags: {},
        search: null,
        bounds: [],
        field,
        direction,
        page: 1,
        pageSize,
        engagements: "none"
      })
      stage.ledger.finalLists.set(`${brand.id} ${field}:${direction}`, leads)
    }
  })

/** What a call may have done is noted when the service begins with it: its answer may never be seen. */
const note = ({ meaning }: Call, now: number): void => {
  if (meaning.means === "rotate") meaning.webhook.rotations++
  if (meaning.means === "resend") meaning.webhook.resends += meaning.mostEvents
  if (meaning.means === "enable" && meaning.enabled) {
    meaning.webhook.enabledAt = now
    meaning.webhook.disabledAt = null
  }
}

/** The writes that a reader of a history wants to see. */
const shownWrites = new Set([
  "commit",
  "update",
  "erase",
  "putReading",
  "revokeKey",
  "updateWebhook",
  "resend",
  "recover"
])

/* The run */

/** Everything that a run is made of, before it runs. */
const prepare = (input: RunInput, host: Host) => {
  const { plan, seed } = input
  const ledger = new Ledger(plan)
  const picks = new Map<number, number>()
  const watches = oracles.map(({ name, watch }): { readonly name: string; readonly watch: Watch } => ({
    name,
    watch: watch(ledger)
  }))
  const tell = <K extends "stored" | "answered" | "posted">(
    kind: K,
    fact: Parameters<NonNullable<Watch[K]>>[0]
  ) => {
    for (const { name, watch } of watches) {
      const message = (watch[kind] as ((of: typeof fact) => string | null) | undefined)?.(fact)
      if (typeof message === "string") ledger.violate(name, message)
    }
  }
  const world: World = new World(ledger, {
    seed,
    startsAt,
    host,
    faults: input.faults === null ? null : new Set(input.faults),
    picker: Picker.recorded(pickerOf(input.schedule), picks),
    onStored: (done) => {
      if (done.call !== null && shownWrites.has(done.method)) {
        world.kernel.record("store", "commit", { method: done.method, call: done.call.label })
      }
      tell("stored", done)
    },
    onHandled: (call) => note(call, world.kernel.now),
    onAnswered: (answered) => tell("answered", answered),
    onPosted: (post) => {
      ledger.received.push(post)
      tell("posted", post)
    }
  })
  const stage: Stage = { world, ledger }
  let isOver = false

  const story = Effect.gen(function* () {
    while (!world.isUp) yield* Effect.sleep(100)
    const brands = yield* Effect.forEach(plan.brands, (brand, index) => setUp(stage, brand, index))
    const turns = yield* Effect.forEach(brands, () =>
      Effect.all({ operator: Effect.makeSemaphore(1), sync: Effect.makeSemaphore(1) })
    )
    const from = world.kernel.now
    world.rates = plan.rates
    for (const each of plan.troubles) {
      world.kernel.after(each.at, world.others, () => trouble(world, each))
    }
    const doing = yield* Effect.forEach(plan.actions, (action) =>
      Effect.fork(
        Effect.gen(function* () {
          yield* Effect.sleep(from + action.at - world.kernel.now)
          const brand = brands[action.brand]
          if (brand === undefined) return
          world.kernel.record(partyOf(action), "acts", { n: action.n, what: action.do })
          yield* perform(stage, action, brand, brands, turns[action.brand]!)
        })
      )
    )
    yield* Effect.sleep(Math.max(0, from + plan.hours * hour - world.kernel.now))
    world.calm()
    for (const fiber of doing) yield* fiber.await
    while (!world.isUp) yield* Effect.sleep(100)
    for (const brand of brands) yield* drain(stage, brand)
    for (const brand of brands) {
      yield* readDeliveries(stage, brand)
      yield* readLists(stage, brand)
    }
    for (const { name, watch } of watches) {
      const message = watch.conclude?.() ?? null
      if (message !== null) ledger.violate(name, message)
    }
    isOver = true
  })

  world.watch(world.others.fork(story))
  return {
    world,
    limits: {
      until: startsAt + plan.hours * hour + quietDays * day,
      isDone: () => isOver || ledger.violation !== null || world.defect !== null
    },
    report: (): RunReport => {
      const { kernel } = world
      if (world.defect !== null && ledger.violation === null) {
        throw new Error(`The simulation failed: ${Cause.pretty(world.defect)}`)
      }
      if (ledger.violation !== null) kernel.record("oracle", "violated", { ...ledger.violation })
      return {
        outcome: ledger.violation !== null ? "violated" : isOver ? "held" : "stuck",
        violation: ledger.violation,
        digest: kernel.trace.digest(),
        marks: ledger.marks,
        counts: {
          actions: plan.actions.length,
          steps: kernel.steps,
          requests: ledger.requests,
          posts: ledger.received.length,
          engagements: ledger.engagements,
          kills: world.kills,
          faults: world.faults.length,
          simulatedSeconds: Math.round((kernel.now - startsAt) / 1000)
        },
        faults: world.faults,
        picks: [...picks],
        trace: kernel.trace.events
      }
    }
  }
}

const diskOf = (store: StoreKind): Disk.Disk => (store === "sqlite" ? Disk.sqlite() : Disk.memory())

/**
 * Runs the service of production over one of its stores, in one synchronous turn; for at most so many virtual seconds,
 * when it is known that later nothing is looked for.
 */
export const run = (
  input: RunInput,
  store: StoreKind | Disk.Disk = "memory",
  untilSeconds = Number.POSITIVE_INFINITY
): RunReport => {
  let now = startsAt
  return sealed(
    Prng.of(input.seed, "sealed"),
    () => now,
    () => {
      const disk = typeof store === "string" ? diskOf(store) : store
      const { limits, report, world } = prepare(input, service(disk, input.seed))
      world.kernel.trace.listen(({ at }) => {
        now = startsAt + at
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

/** Runs somebody's own host, whose promises are let run between turns. */
export const runHost = async (
  input: RunInput,
  make: OwnHost,
  untilSeconds = Number.POSITIVE_INFINITY
): Promise<RunReport> => {
  const { limits, report, world } = prepare(input, ownHost(make))
  return virtualised(
    Prng.of(input.seed, "sealed"),
    {
      now: () => world.serviceNow,
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

/** What a scenario's seed runs. */
export const inputOf = (scenario: Scenario, seed: number, hours?: number): RunInput => ({
  seed,
  plan: planOf(scenario, seed, startsAt, hours),
  faults: null,
  schedule: { kind: "seed", seed }
})

export const simulate = (
  scenario: Scenario,
  seed: number,
  options: { readonly hours?: number; readonly store?: StoreKind | Disk.Disk } = {}
): RunReport => run(inputOf(scenario, seed, options.hours), options.store)

/** Runs twice; the first event at which the two histories part, or null. */
export const check = (input: RunInput, store: StoreKind = "memory"): TraceEvent | null => {
  const [first, second] = [run(input, store), run(input, store)]
  const at = firstDivergence(first.trace, second.trace)
  return at === null ? null : (second.trace[at] ?? first.trace[at]!)
}
