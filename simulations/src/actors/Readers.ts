/** Clients of the API: they list, page, look at one lead and read metrics; some request what is another brand's, or with wrong parameters. */
import type { Filter, Query } from "@lead-signals/store-contract/reference"
import { Effect } from "effect"
import type { Action, PlannedBound, PlannedQuery } from "../plan/Plan.ts"
import { instantForms } from "../vocabulary/Times.ts"
import { type Json, type KnownBrand, personOf } from "../world/KnownFacts.ts"
import { type Caller, persistently, type ActorContext, succeeding } from "./ActorContext.ts"

const instantOf = ({ by, instant }: PlannedBound, { instants }: KnownBrand, otherwise: number): number =>
  (instants[instant % Math.max(1, instants.length)] ?? otherwise) + by

const requested = (planned: PlannedQuery, brand: KnownBrand, now: number) => {
  const filter: Filter = { ...planned.flags }
  const parameters: Array<readonly [string, string]> = Object.entries(planned.flags).map(([name, value]) => [
    name,
    value ? "TRUE" : "false"
  ])
  if (planned.signal !== null) {
    filter.signalId = brand.signalIds[planned.signal]!
    parameters.push(["signalId", filter.signalId])
  }
  if (planned.search !== null) {
    filter.search = planned.search
    parameters.push(["search", planned.search])
  }
  for (const bound of planned.bounds) {
    const { means, text } = instantForms[bound.form]!.write(instantOf(bound, brand, now))
    filter[bound.name] = means
    parameters.push([bound.name, text])
  }
  const withEngagements = planned.engagements !== "none"
  if (withEngagements) parameters.push(["includeEngagements", "true"])
  if (planned.engagements === "detailed") parameters.push(["includeEngagementDetail", "true"])
  parameters.push(["sort", `${planned.field}:${planned.direction.toUpperCase()}`])
  parameters.push(["page", String(planned.page)], ["pageSize", String(planned.pageSize)])
  const query: Query = {
    filter,
    field: planned.field,
    direction: planned.direction,
    page: planned.page,
    pageSize: Math.min(planned.pageSize, withEngagements ? 25 : 100),
    engagements: planned.engagements
  }
  // As a script or as a form sends it, with `+` for a space. [LIST-4]
  const isForm = planned.pageSize % 2 === 1
  const text = isForm
    ? new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, value])).toString()
    : parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")
  return { query, text }
}

/** The body of one page; the instants and ids in it are kept for later questions. `more` is a further part of the query, which changes nothing. */
export const page = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  planned: PlannedQuery,
  more = ""
): Effect.Effect<Json> =>
  Effect.gen(function* () {
    const { query, text } = requested(planned, brand, context.world.kernel.now)
    const body = yield* succeeding(context, caller, {
      route: planned.page % 2 === 1 ? "/signals/leads" : "/signal-leads",
      query: text + more,
      brand,
      key: brand.key,
      meaning: { means: "list", query }
    })
    for (const { createdAt, extId, id, updatedAt } of body?.data ?? []) {
      brand.leadIds.set(extId, id)
      if (brand.instants.length < 1000) brand.instants.push(Date.parse(createdAt), Date.parse(updatedAt))
    }
    return body
  })

/** The share of lists that are read again with misspelt parameters: as many each time, and other ones. [LIST-10] */
const misspeltShare = 0.12
const misspelt = ["&pageSze=5", "&qualifed=true", "&colour=red"]

/** One page, and those that follow it at once. */
export const list = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  { query, next = [] }: Extract<Action, { do: "list" }>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (const [i, planned] of [query, ...next].entries())
      yield* page(
        context,
        i === 0 ? caller : { ...caller, label: `${caller.label} next ${i}` },
        brand,
        planned
      )
    if (!context.world.decisions.chance(`${caller.label} misspelt again`, misspeltShare)) return
    const last = next.at(-1) ?? query
    for (const [i, parameter] of misspelt.entries())
      yield* page(context, { ...caller, label: `${caller.label} misspelt ${i}` }, brand, last, parameter)
  })

/** All pages of an order, one after the other. */
export const walk = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  planned: PlannedQuery
): Effect.Effect<ReadonlyArray<Json>> =>
  Effect.gen(function* () {
    const all: Array<Json> = []
    const before = brand.reference.events.length
    for (let n = 1; ; n++) {
      const label = `${caller.label} page ${n}`
      const { data, meta } = yield* page(context, { ...caller, label }, brand, { ...planned, page: n })
      if (brand.reference.events.length !== before && n > 1) {
        context.facts.coverageMarks.add("two pages raced a change")
      }
      all.push(...data)
      if (n >= meta.pagination.pageCount) return all
    }
  })

/** Reads one lead with the brand's key; nothing where the person is no lead yet. */
export const detail = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  person: string,
  withDetail: boolean
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const id = brand.leadIds.get(person)
    if (id === undefined) return
    const { status } = yield* persistently(context, caller, {
      route: "/signals/leads/{id}",
      params: { id },
      query: withDetail ? "includeEngagementDetail=true" : "",
      brand,
      key: brand.key,
      meaning: { means: "detail", id, withDetail }
    })
    const { erasing, prunedLeads } = context.facts
    if (status !== 200 && !erasing.has(personOf(brand, person)) && !prunedLeads.has(id)) {
      context.facts.violate("calls succeed", `the detail of ${person} was answered ${status}`)
    }
  })

/** Reads the metrics of the brand's campaign, between days where the action has them. */
export const metrics = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  { endDate, startDate }: Extract<Action, { do: "metrics" }>
): Effect.Effect<void> => {
  const query = Object.entries({ startDate, endDate })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${value}`)
    .join("&")
  return Effect.asVoid(
    succeeding(context, caller, {
      route: "/campaign/{id}/metrics",
      params: { id: brand.campaignId },
      query,
      brand,
      key: brand.key,
      meaning: { means: "metrics", startDate, endDate }
    })
  )
}

/** Requests another brand's lead and campaign with a brand's key. */
export const cross = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  other: KnownBrand,
  person: string
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const id = other.leadIds.get(person) ?? [...other.leadIds.values()][0] ?? null
    const meaning = { means: "cross" } as const
    if (id !== null) {
      yield* persistently(
        context,
        { ...caller, label: `${caller.label} lead` },
        {
          route: "/signals/leads/{id}",
          params: { id },
          brand,
          key: brand.key,
          meaning
        }
      )
      context.facts.coverageMarks.add("another brand's was asked for")
    }
    yield* persistently(
      context,
      { ...caller, label: `${caller.label} campaign` },
      {
        route: "/campaign/{id}/metrics",
        params: { id: other.campaignId },
        brand,
        key: brand.key,
        meaning
      }
    )
  })
