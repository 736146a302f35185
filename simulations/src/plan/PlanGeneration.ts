/** The plan of a seed: a plain function of scenario and seed. */
import { Prng } from "@lead-signals/simulation-kernel"
import type { Scenario } from "../Scenario.ts"
import { actionsOf } from "./Actions.ts"
import { hour } from "./EventTimes.ts"
import { drawnRates, scheduledFaultsOf } from "./Faults.ts"
import { type Action, type Plan, type PlannedBrand, type PlaceLimits, processesOf } from "./Plan.ts"
import { mayNeedTenantsPeople } from "./Probes.ts"
import { type RetentionPlan, retentionOfSeed } from "./PlannedRetention.ts"
import { hasLongTexts } from "./RareSituations.ts"
import { processesOfSeed, withProcesses } from "./PlannedProcesses.ts"

const bothEvents = ["lead2.created", "activity.detected"]

type PlannedConsumer = PlannedBrand["consumers"][number]

/** Some webhooks are ordered; some of these wait for a while at most. */
const orderOf = (prng: Prng, share: number): Pick<PlannedConsumer, "ordering" | "maxDelay"> =>
  prng.chance(share)
    ? { ordering: "lead", ...(prng.chance(0.4) ? { maxDelay: prng.pick([60, 900, 7200]) } : {}) }
    : {}

/** Where a seed prunes soon, most ordered webhooks wait for a minute at most: then there are dead letters to be named, and to be pruned. */
const dyingSoon = (prng: Prng, consumer: PlannedConsumer): PlannedConsumer =>
  consumer.ordering === "lead" && prng.chance(0.7) ? { ...consumer, maxDelay: 60 } : consumer

/** Some webhooks take several events in a post, and some take CloudEvents. */
const formOf = (
  prng: Prng,
  { batched, cloudEvents }: Scenario["webhooks"]
): Pick<PlannedConsumer, "format" | "maxBatch" | "maxWait"> => ({
  ...(prng.chance(cloudEvents) ? { format: "cloudevents" } : {}),
  ...(prng.chance(batched)
    ? {
        maxBatch: prng.pick([2, 3, 5, 8, 20, 100]),
        ...(prng.chance(0.6) ? { maxWait: prng.pick([1, 10, 120]) } : {})
      }
    : {})
})

/** In half of the seeds there are so few places for attempts that webhooks compete for them; in most others those that answer fast take half of all. [DELIV-7] */
const placesOfSeed = (seed: number): { readonly places?: PlaceLimits } => {
  const draw = Prng.of(seed, "places")
  if (!draw.chance(0.5)) return { places: draw.pick(["few", "reserved"]) }
  return draw.chance(0.7) ? { places: "ahead" } : {}
}

/** In most seeds so few requests can wait for a change at once that clients meet the limit. [CHG-6] */
const waitsOfSeed = (seed: number): { readonly maxWaits?: number } => {
  const draw = Prng.of(seed, "waits")
  return draw.chance(0.3) ? {} : { maxWaits: draw.pick([1, 2, 2, 3, 6]) }
}

/** After a few seeds the service is off for days: for longer than removals are remembered, for less, or for much less. [CHG-5] */
const absenceOfSeed = (seed: number): { readonly offDays?: number } => {
  const draw = Prng.of(seed, "absence")
  return draw.chance(1 / 12) ? { offDays: draw.pick([91, 91, 88, 5]) } : {}
}

/** In some seeds the operator recovers dead letters when everything else has come. [DELIV-8] */
const recoveryOfSeed = (seed: number): { readonly recovers?: true } =>
  Prng.of(seed, "recovery").chance(0.4) ? { recovers: true } : {}

/** In some seeds the ids of the first brand's signals have one digit and two: 8, 9 and 10, or 9, 10 and 11. */
const earlierSignalsOfSeed = (seed: number): { readonly earlierSignals?: number } => {
  const draw = Prng.of(seed, "earlier signals")
  return draw.chance(0.12) ? { earlierSignals: 7 + draw.below(2) } : {}
}

/** The action without people of brands beside those of the plan, of whom the rule of retention knows nothing; nothing where none of it is left. */
const withoutTenantsPeople = (action: Action): ReadonlyArray<Action> => {
  if (action.do === "tenant") return []
  if (action.do !== "probe") return [action]
  const probes = action.probes.filter((name) => !mayNeedTenantsPeople(name))
  return probes.length === 0 ? [] : [{ ...action, probes }]
}

/** Midnights within runs: one of a month's days, and the end of a month. */
const midnights = [Date.UTC(2026, 0, 6), Date.UTC(2026, 1, 1)]

/** In a fifth of the seeds of a swarm a day ends while people act. [AUD-8] */
const startOfSeed = (scenario: Scenario, seed: number, hours: number): { readonly startsAt?: number } => {
  const draw = Prng.of(seed, "midnight")
  if (!scenario.swarm || hours > 12 || !draw.chance(0.2)) return {}
  const before = Math.round(hours * hour * (0.2 + 0.6 * draw.fraction()))
  return { startsAt: draw.pick(midnights) - before }
}

/** The plan of the seed, which begins at `otherwise` where the seed draws no other start; `hours` instead of the scenario's. */
export const planOf = (scenario: Scenario, seed: number, otherwise: number, hours = scenario.hours): Plan => {
  const start = startOfSeed(scenario, seed, hours)
  const { startsAt = otherwise } = start
  const processes = processesOfSeed(scenario, seed)
  const isCalm = Prng.of(seed, "calm").chance(1 / 8)
  const orders = Prng.of(seed, "orders")
  const forms = Prng.of(seed, "forms")
  const tastes = Prng.of(seed, "subscriptions")
  const scheduledFaults = withProcesses(
    scheduledFaultsOf(seed, scenario, hours, isCalm),
    seed,
    processesOf(processes).length
  )
  const areClocksRight = !scheduledFaults.some(({ fault }) => fault === "clock" || fault === "drift")
  const planned = scenario.brands.flatMap((brand, i) =>
    actionsOf(seed, i, brand, hours, startsAt, scenario.swarm)
  )
  // Where more is due than a piece looks at, nobody but the store knows which of it goes.
  const isPrunedExactly = areClocksRight && planned.every((action) => action.do !== "load")
  const pruned: Partial<RetentionPlan> =
    scenario.swarm && !isPrunedExactly ? {} : (retentionOfSeed(scenario, seed, hours) ?? {})
  const deaths = Prng.of(seed, "deaths")
  const actions = planned
    .sort((a, b) => a.at - b.at)
    .map((action, n) => ({ n, ...action }))
    .flatMap((action) => (pruned.retention === undefined ? [action] : withoutTenantsPeople(action)))
  const isLoaded = (brand: number): boolean =>
    actions.some((action) => action.brand === brand && action.do === "load")
  return {
    hours,
    ...start,
    brands: scenario.brands.map(({ changesWait, consumers }, brand) => ({
      ...(changesWait > 0 ? { changesWait } : {}),
      // Two events of each of a thousand people to each receiver would take longer than all else.
      consumers: (isLoaded(brand) ? [] : consumers)
        // Of many receivers a seed has some.
        .filter((_, i) => !scenario.swarm || tastes.chance(0.55) || i === 0)
        .map((behaviour) => ({
          behaviour,
          events: scenario.swarm && tastes.chance(0.2) ? [tastes.pick(bothEvents)] : bothEvents,
          ...orderOf(orders, scenario.webhooks.ordered),
          ...formOf(forms, scenario.webhooks)
        }))
        // Somebody gets several of the longest events in a post.
        .map((consumer, i) =>
          i === 0 && scenario.swarm && hasLongTexts(seed, brand)
            ? { ...consumer, maxBatch: 3 + (seed % 4) }
            : consumer
        )
        .map((consumer) => (pruned.pruning === undefined ? consumer : dyingSoon(deaths, consumer)))
    })),
    actions,
    scheduledFaults,
    rates: drawnRates(scenario, Prng.of(seed, "rates"), isCalm),
    ...(scenario.swarm
      ? {
          ...placesOfSeed(seed),
          ...waitsOfSeed(seed),
          ...absenceOfSeed(seed),
          ...recoveryOfSeed(seed),
          ...earlierSignalsOfSeed(seed)
        }
      : {}),
    ...pruned,
    ...processes
  }
}
