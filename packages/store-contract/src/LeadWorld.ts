/** A brand in the store beside the same brand in the reference: histories are played in both, and queries run in both. */
import {
  type Brand,
  Brands,
  leadDetailView,
  leadListJson,
  leadListView,
  LeadQueries,
  Leads,
  LeadStore,
  NewSignal,
  Outbox,
  recordObservations,
  RenderedLeads,
  Signals,
  type WebhookId,
  Webhooks
} from "@lead-signals/domain"
import { Effect, Either, Option, Schema } from "effect"
import { assertEqual, assertSameJson } from "./Assertions.ts"
import { ChangeCopy } from "./ChangeCopy.ts"
import { type HistoryQuery, startOfHistories, type Step } from "./LeadHistories.ts"
import type { ReferenceSignal, Seen } from "./reference/ReferenceLead.ts"
import { ReferenceModel } from "./reference/ReferenceModel.ts"
import type { Filter } from "./reference/ReferenceQuery.ts"
import type { SettableClock } from "./SettableClock.ts"

const signals: ReadonlyArray<typeof NewSignal.Encoded> = [
  {
    name: "Posts",
    signalType: "competitor-posts",
    source: { type: "li-company-url", value: "https://n.example/c", company: { id: 5, name: "Rival" } }
  },
  {
    name: "Mentions",
    signalType: "competitor-mentions",
    source: { type: "li-company-mention", value: "  Exactly This ", liCompanyId: "880" }
  },
  { name: "Words", signalType: "keywords", source: { type: "posts-with-keywords", value: "a, b" } },
  {
    name: "Profile",
    signalType: "profile",
    source: { type: "li-profile-url", value: "https://n.example/in/x" }
  }
]

const encode = (seen: Seen) => ({
  ...seen,
  engagement: {
    ...seen.engagement,
    trackedAt: seen.engagement.trackedAt === null ? null : new Date(seen.engagement.trackedAt).toISOString()
  },
  raw: { internal: "never shown" }
})

/** No place is short. */
const unbounded = {
  limits: { total: 10_000, reserved: 0, perWebhook: 10_000, failingTotal: 10_000, perFailingWebhook: 10_000 },
  underWay: { total: 0, failingTotal: 0, byWebhook: new Map<WebhookId, number>() }
}

/** A brand in the store, and the same brand in the reference. */
export interface LeadWorld {
  readonly brand: Brand
  readonly reference: ReferenceModel
  /** Subscribes to everything: its deliveries show which events the store keeps. */
  readonly webhookId: WebhookId
}

/** Creates the brand, with four signals and a webhook. */
export const createLeadWorld = Effect.gen(function* () {
  const brand = yield* Brands.create("B")
  const created: Array<ReferenceSignal> = []
  for (const signal of signals) {
    const { source, ...rest } = yield* Signals.create(brand.id, Schema.decodeSync(NewSignal)(signal))
    created.push({ ...rest, source: { ...source } })
  }
  const { id: webhookId } = yield* Webhooks.create(brand.id, {
    url: "u",
    events: ["lead2.created", "activity.detected"],
    description: null,
    enabled: true
  })
  return { brand, reference: new ReferenceModel(brand.id, created), webhookId } satisfies LeadWorld
})

/** Plays the step in the store and in the reference. */
export const playStep = (step: Step, { brand, reference }: LeadWorld, clock: SettableClock) =>
  Effect.gen(function* () {
    switch (step.step) {
      case "wait":
        clock.millis += step.millis
        return
      case "observe": {
        const all = step.seen.map(({ signal, ...seen }) => ({
          ...seen,
          signalId: reference.signals[signal]!.id
        }))
        const outcomes = yield* recordObservations(brand, all.map(encode))
        assertEqual("LeadStore.commit, outcomes of a batch", outcomes.length, all.length)
        all.forEach((seen, i) => {
          const { engagementId, leadId, outcome } = outcomes[i]!
          assertEqual(
            `LeadStore.commit, outcome of engagement ${seen.engagement.id} of ${seen.person.extId}`,
            { engagementId, outcome, leadId },
            { engagementId: seen.engagement.id, ...reference.observe(seen, clock.millis, () => leadId!) }
          )
        })
        return
      }
      case "amend": {
        const row = reference.rows[step.lead]
        if (row === undefined) return
        yield* Leads.amend(brand.id, row.id, step.change)
        reference.amend(row.id, step.change, clock.millis)
        return
      }
      case "erase": {
        const row = reference.rows[step.lead]
        if (row === undefined) return
        yield* Leads.erase(brand, row.id)
        reference.erase(row.id, clock.millis)
        return
      }
    }
  })

const filterOf = (query: HistoryQuery, reference: ReferenceModel): Filter => {
  const instants = reference.rows.flatMap((row) => [row.createdAt, row.updatedAt])
  const days = instants.map((instant) => Math.floor(instant / 86_400_000) * 86_400_000)
  const choices = [...instants, ...days, startOfHistories]
  const filter: Filter = { ...query.flags }
  if (query.signal !== null) filter.signalId = reference.signals[query.signal]?.id ?? "999999999"
  if (query.search !== null) filter.search = query.search
  for (const { by, instant, name: bound } of query.bounds)
    filter[bound] = choices[instant % choices.length]! + by
  return filter
}

const parametersOf = (filter: Filter, order: HistoryQuery["order"]): Array<[string, string]> => [
  ...Object.entries(filter).map(([key, value]): [string, string] => [
    key,
    key.endsWith("After") || key.endsWith("Before") ? new Date(value as number).toISOString() : String(value)
  ]),
  ["sort", `${order.field}:${order.direction}`],
  ["page", String(order.page)],
  ["pageSize", String(order.pageSize)],
  ["includeEngagements", String(order.engagements !== "none")],
  ["includeEngagementDetail", String(order.engagements === "detailed")]
]

/** Runs the query in the store and in the reference. */
export const checkList = (drawn: HistoryQuery, { brand, reference }: LeadWorld) =>
  Effect.gen(function* () {
    const filter = filterOf(drawn, reference)
    const parameters = parametersOf(filter, drawn.order)
    const query = Either.getOrThrow(LeadQueries.readList(parameters))
    const expected = JSON.stringify(reference.list({ filter, ...drawn.order }))
    const what = `GET /signals/leads?${parameters.map(([name, value]) => `${name}=${value}`).join("&")}`
    const page = yield* Leads.list(brand.id, query)
    assertSameJson(`LeadStore.list for ${what}`, JSON.stringify(leadListView(query, page)), expected)
    const json = leadListJson(query, yield* Leads.listRendered(brand.id, query))
    assertSameJson(`LeadStore.listRendered for ${what}`, json, expected)
  })

/** Plays no step: reads the feed of changes, whose copy is then equal to the leads, in the order that the reference has. [CHG-1] */
export const checkChanges = (
  copies: ReadonlyArray<ChangeCopy>,
  limit: number,
  { brand, reference }: LeadWorld
) =>
  Effect.gen(function* () {
    for (const engagements of ["none", "plain"] as const) {
      const query = { filter: {}, field: "createdAt", direction: "asc", page: 1, pageSize: 100_000 } as const
      const { data } = reference.list({ ...query, engagements }) as {
        readonly data: ReadonlyArray<{ readonly id: number }>
      }
      const rendered = new Map(data.map((lead) => [lead.id, JSON.stringify(lead)]))
      const whole = new ChangeCopy(brand.id, engagements)
      const changes = yield* whole.sync(limit)
      const what = "the copy that LeadStore.changesAfter gives"
      assertEqual("LeadStore.changesAfter, all changes", changes, reference.changes)
      yield* whole.check(`${what} from the beginning`, rendered)
      for (const copy of copies) {
        if (engagements !== copy.engagements) continue
        yield* copy.sync(limit)
        yield* copy.check(`${what} in steps`, rendered)
      }
    }
  })

/** Every lead by its id, with and without the detail of its engagements, and as an export has it. */
export const checkDetails = ({ brand, reference }: LeadWorld) =>
  Effect.gen(function* () {
    const store = yield* LeadStore
    for (const { id } of reference.rows) {
      for (const engagements of ["detailed", "plain"] as const) {
        const detail = yield* Leads.getRendered(brand.id, id, engagements)
        const expected = JSON.stringify(reference.detail(id, engagements === "detailed"))
        const read = Option.getOrThrow(yield* store.get(brand.id, id, engagements))
        assertSameJson(`LeadStore.get of lead ${id}`, RenderedLeads.ofLead(read, engagements), expected)
        assertSameJson(`LeadStore.getRendered of lead ${id}`, detail, expected)
        assertSameJson(`leadDetailView of lead ${id}`, JSON.stringify(leadDetailView(detail)), expected)
      }
      const data = Option.getOrThrow(yield* store.exportData(brand.id, id))
      const { lead } = Option.getOrThrow(yield* store.get(brand.id, id, "none"))
      assertEqual(`LeadStore.exportData of lead ${id}, the lead`, data.lead, lead)
      assertEqual(
        `LeadStore.exportData of lead ${id}, its engagements`,
        data.engagements.map((read) => read.engagement.id),
        reference.engagementIds(id)
      )
    }
  })

const byTime = (a: { readonly occurredAt: number }, b: { readonly occurredAt: number }): number =>
  a.occurredAt - b.occurredAt

/** The events that wait for the world's webhook are those that fired, less those of erased leads. Moves the clock on. */
export const checkEvents = ({ reference, webhookId }: LeadWorld, clock: SettableClock) =>
  Effect.gen(function* () {
    const outbox = yield* Outbox
    // Whatever the clock was set back by, everything is due.
    clock.millis = Math.max(startOfHistories, clock.millis, ...reference.events.map((e) => e.occurredAt))
    const { leases } = yield* outbox.lease({
      token: `events-${clock.millis}`,
      leaseMillis: 1,
      ...unbounded,
      body: ({ subject }) => JSON.stringify(subject)
    })
    const kept = leases
      .filter(({ webhook }) => webhook.id === webhookId)
      .map(({ body }): Occurred => JSON.parse(body ?? "null"))
    const key = (event: Occurred): string => `${event.leadId} ${event.engagementId} ${event.event}`
    const inOrder = (events: ReadonlyArray<Occurred>) =>
      [...events].sort((a, b) => byTime(a, b) || (key(a) < key(b) ? -1 : 1))
    assertEqual("events in the outbox", inOrder(kept), inOrder(reference.events))
  })

type Occurred = ReferenceModel["events"][number]

/**
 * Runs the checks and takes the worlds' webhooks away, also after a check that failed: deliveries left behind would be leased in the
 * worlds after them, and each smaller history would fail by that.
 */
export const endingWorlds = <A, E, R>(
  worlds: ReadonlyArray<Pick<LeadWorld, "brand" | "webhookId">>,
  checks: Effect.Effect<A, E, R>
) =>
  Effect.ensuring(
    checks,
    Effect.orDie(
      Effect.forEach(worlds, ({ brand, webhookId }) => Webhooks.remove(brand.id, webhookId), {
        discard: true
      })
    )
  )

/** An observation of the person with a new engagement, by one of the world's signals. */
export const observationOf = ({ reference }: LeadWorld, extId: string, id: string, signal = 0) => ({
  signalId: reference.signals[signal]!.id,
  person: { extId, name: `Person ${extId}` },
  engagement: { id }
})

/** The query of a list with these parameters. */
export const queryOf = (...parameters: ReadonlyArray<readonly [string, string]>) =>
  Either.getOrThrow(LeadQueries.readList(parameters))
