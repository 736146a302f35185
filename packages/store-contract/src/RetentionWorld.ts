/**
 * A brand whose content is read before each pruning and after it. What must be left is worked out by the naive rules of
 * docs/specification.md, apart from the stores: each thing waits for those that refer to it.
 */
import {
  type BodyMaterial,
  type Brand,
  Brands,
  defaultSending,
  Deliveries,
  type DeliveryId,
  deliveryBodyView,
  Leads,
  LeadQueries,
  DeliverySlots,
  LeadStore,
  Outbox,
  type PruneCursor,
  type Pruned,
  Pruning,
  recordObservations,
  RenderedLeads,
  Retries,
  type RetentionKind,
  type RetentionLimits,
  Signals,
  type StoreUnavailable,
  type Webhook,
  WebhookStore
} from "@lead-signals/domain"
import { Effect, Either, Option } from "effect"
import { assertEqual, assertThat } from "./Assertions.ts"
import { ChangeCopy } from "./ChangeCopy.ts"
import { newIds } from "./DeliveryWorld.ts"
import type { SettableClock } from "./SettableClock.ts"
import type { Needs } from "./StoreUnderTest.ts"

interface KeptDelivery {
  readonly id: string
  readonly event: string
  readonly leadId: number | null
  readonly engagementId: string | null
  readonly state: string
  readonly finishedAt: number | null
  /** Attempts in its log. */
  readonly logged: number
}

interface KeptEngagement {
  readonly id: string
  readonly trackedAt: number
}

interface KeptLead {
  readonly id: number
  readonly updatedAt: number
  /** All that the list shows of it. */
  readonly rendered: unknown
  readonly engagements: ReadonlyArray<KeptEngagement>
}

interface FiredEvent {
  readonly type: "lead2.created" | "activity.detected"
  readonly leadId: number
  readonly engagementId: string
  readonly occurredAt: number
}

/** All that the ports show of a brand, and the events that were fired and not removed. */
export interface Content {
  readonly deliveries: ReadonlyArray<KeptDelivery>
  readonly leads: ReadonlyArray<KeptLead>
  readonly events: ReadonlyArray<FiredEvent>
}

/** Limits by which nothing is due. */
const noLimits: RetentionLimits = {
  deliveries: null,
  deadLetters: null,
  events: null,
  engagements: null,
  leads: null,
  suppressions: null
}

const authorName = (person: string): string => `the author ${person}`

/** The names of webhooks' states and what prunes them. */
const stateOf = { deliveries: "delivered", deadLetters: "dead" } as const

const isOf =
  (event: FiredEvent) =>
  (delivery: KeptDelivery): boolean =>
    delivery.event === event.type && delivery.engagementId === event.engagementId

/** What is left of the content when the kind was pruned of what was over before. [RET-2 … RET-7] */
const leftOf = (content: Content, kind: RetentionKind, before: number): Content => {
  const { deliveries, events, leads } = content
  if (kind === "deliveries" || kind === "deadLetters") {
    const isLeft = ({ finishedAt, state }: KeptDelivery): boolean =>
      state !== stateOf[kind] || finishedAt! >= before
    return { ...content, deliveries: deliveries.filter(isLeft) }
  }
  if (kind === "events") {
    const isLeft = (event: FiredEvent): boolean =>
      event.type === "lead2.created" || event.occurredAt >= before || deliveries.some(isOf(event))
    return { ...content, events: events.filter(isLeft) }
  }
  if (kind === "engagements") {
    const isLeft =
      (leadId: number) =>
      ({ id, trackedAt }: KeptEngagement): boolean =>
        trackedAt >= before ||
        events.some((event) => event.type === "activity.detected" && event.engagementId === id) ||
        deliveries.some((delivery) => delivery.event === "lead2.created" && delivery.leadId === leadId)
    return {
      ...content,
      leads: leads.map((lead) => ({ ...lead, engagements: lead.engagements.filter(isLeft(lead.id)) }))
    }
  }
  if (kind === "suppressions") return content
  const isLeft = ({ id, updatedAt }: KeptLead): boolean =>
    updatedAt >= before ||
    deliveries.some(({ leadId }) => leadId === id) ||
    events.some(({ leadId, type }) => leadId === id && type === "activity.detected")
  const left = leads.filter(isLeft)
  const ids = new Set(left.map(({ id }) => id))
  return { deliveries, leads: left, events: events.filter(({ leadId }) => ids.has(leadId)) }
}

/** How many of the kind the second content lacks. */
const removedOf = (kind: RetentionKind, before: Content, after: Content): number => {
  const count = ({ deliveries, events, leads }: Content): number =>
    kind === "deliveries" || kind === "deadLetters"
      ? deliveries.length
      : kind === "events"
        ? events.length
        : kind === "leads"
          ? leads.length
          : leads.reduce((sum, { engagements }) => sum + engagements.length, 0)
  return count(before) - count(after)
}

const everyLead = Either.getOrThrow(
  LeadQueries.readList([
    ["pageSize", "100"],
    ["sort", "createdAt:asc"]
  ])
)

/** One brand with a signal and a webhook. */
export class RetentionWorld {
  private events: ReadonlyArray<FiredEvent> = []
  private leases = 0
  private readonly persons = new Map<number, string>()
  /** Persons who were erased and may not be named as authors, until an erasure is pruned. */
  private readonly erased = new Set<string>()
  /** What the posts of the last `attempt` named as skipped, in their order. */
  skipped: ReadonlyArray<ReadonlyArray<DeliveryId>> = []
  private readonly copy: ChangeCopy

  private constructor(
    readonly clock: SettableClock,
    readonly brand: Brand,
    readonly signalId: string,
    readonly webhook: Webhook
  ) {
    this.copy = new ChangeCopy(brand.id)
  }

  /** A reader that follows the changes has the leads that are left, and so has one that begins now. [CHG-1, CHG-3] */
  checkCopies() {
    return Effect.gen(this, function* () {
      const { leads } = yield* Effect.flatMap(LeadStore, (store) => store.list(this.brand.id, everyLead))
      const rendered = new Map(leads.map(({ lead }) => [lead.id, RenderedLeads.renderLead(lead)]))
      for (const copy of [this.copy, new ChangeCopy(this.brand.id)]) {
        yield* copy.sync(2)
        yield* copy.check("the copy that LeadStore.changesAfter gives of what is left", rendered)
      }
    })
  }

  static readonly create = (clock: SettableClock, ordering: Webhook["ordering"] = "none") =>
    Effect.gen(function* () {
      const webhookStore = yield* WebhookStore
      const brand = yield* Brands.create("B")
      const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
      const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
      const webhook = yield* webhookStore.create({
        brandId: brand.id,
        url: "https://receiver.example/",
        events: ["lead2.created", "activity.detected"],
        description: null,
        enabled: true,
        disabledReason: null,
        ...defaultSending,
        ordering,
        failingSince: null,
        secrets: { current: "whsec_x", previous: null },
        createdAt: 0
      })
      return new RetentionWorld(clock, brand, signal.id, webhook)
    })

  /** Records an engagement that was tracked `agoMillis` before now, with a post of the author unless that is null. Answers its outcome. */
  observe(person: string, engagementId: string, agoMillis = 0, author: string | null = null) {
    const now = this.clock.millis
    const trackedAt = new Date(now - agoMillis).toISOString()
    const value = {
      signalId: this.signalId,
      person: { extId: person, name: person },
      engagement: {
        id: engagementId,
        trackedAt,
        ...(author === null ? {} : { postAuthorDetail: { extId: author, name: authorName(author) } })
      }
    }
    return Effect.map(recordObservations(this.brand, [value]), ([outcome]) => {
      if (outcome!.outcome !== "recorded") return outcome!
      const leadId = outcome!.leadId!
      this.persons.set(leadId, person)
      const fired = { leadId, engagementId, occurredAt: now }
      const isFirst = !this.events.some((event) => event.leadId === leadId && event.type === "lead2.created")
      this.events = [
        ...this.events,
        ...(isFirst ? [{ ...fired, type: "lead2.created" as const }] : []),
        { ...fired, type: "activity.detected" as const }
      ]
      return outcome!
    })
  }

  /**
   * Attempts at most `max` of the deliveries that are due. Each receiver answers with the status, and there is no retry. With null the emitter ends
   * before it records anything, and the deliveries are due again in half a minute. Checks that no body names an erased person as an author.
   */
  attempt(status: number | null, max = 100) {
    const token = `t-${++this.leases}`
    const { clock } = this
    const materials: Array<BodyMaterial> = []
    const body = (material: BodyMaterial): string => {
      materials.push(material)
      return JSON.stringify(deliveryBodyView(material))
    }
    return Effect.gen(this, function* () {
      const outbox = yield* Outbox
      const limits = { ...DeliverySlots.defaultLimits, total: max, reserved: 0, perWebhook: max }
      const underWay = { total: 0, failingTotal: 0, byWebhook: new Map<string, number>() }
      const { leases } = yield* outbox.lease({
        token,
        leaseMillis: 30_000,
        limits,
        underWay,
        body
      })
      for (const person of this.erased)
        assertThat(
          `Outbox.lease names ${person}, who was erased, as an author`,
          !leases.some((lease) => lease.body?.includes(authorName(person)))
        )
      this.skipped = leases.map(({ place }) => place?.skipped ?? [])
      for (const { engagements, lead, subject } of materials) {
        if (subject === null) continue
        assertThat(`Outbox.lease has the lead of a ${subject.event}`, lead !== null)
        if (subject.event === "activity.detected")
          assertEqual(
            "Outbox.lease, the engagements of an activity.detected",
            engagements.map(({ engagement }) => engagement.id),
            [subject.engagementId]
          )
      }
      if (status === null) return leases.length
      const result = { status, error: null, response: "x", retryAfterSeconds: null }
      yield* outbox.record(
        leases.map(({ deliveryId, webhook: { url } }) => ({
          deliveryId,
          token,
          url,
          at: clock.millis,
          durationMillis: 1,
          result,
          settle: (known, now) => Retries.settle(known, result, now, 0.5, [])
        }))
      )
      return leases.length
    })
  }

  erase(leadId: number) {
    this.events = this.events.filter((event) => event.leadId !== leadId)
    this.erased.add(this.persons.get(leadId)!)
    return Leads.erase(this.brand, leadId)
  }

  /** Sends the newest event of the type of a lead again. Answers whether there was one. */
  resend(leadId: number, event: "lead2.created" | "activity.detected") {
    const { webhook } = this
    return Effect.gen(function* () {
      const deliveries = yield* Deliveries
      const queued = yield* deliveries.queue(webhook, { what: "newest-event", leadId, event }, yield* newIds)
      return Option.isSome(queued)
    })
  }

  /** Everything that there is of the brand. */
  content(): Effect.Effect<Content, StoreUnavailable, Needs> {
    const { brand, events, webhook } = this
    return Effect.gen(function* () {
      const [deliveries, leadStore] = yield* Effect.all([Deliveries, LeadStore])
      const kept: Array<KeptDelivery> = []
      const page = yield* deliveries.list(webhook.id, { state: null, page: { page: 1, pageSize: 100 } })
      assertEqual("Deliveries.list, total and deliveries", page.total, page.deliveries.length)
      for (const state of ["pending", "delivered", "dead"] as const) {
        const { total } = yield* deliveries.list(webhook.id, { state, page: { page: 1, pageSize: 1 } })
        const counted = page.deliveries.filter((delivery) => delivery.state === state).length
        assertEqual(`Deliveries.list, how many are ${state}`, total, counted)
      }
      for (const { engagementId, event, finishedAt, id, leadId, state } of page.deliveries) {
        const found = Option.getOrNull(yield* deliveries.get(webhook.id, id))
        assertThat(`Deliveries.get finds ${id}, which is listed`, found !== null)
        kept.push({ id, event, leadId, engagementId, state, finishedAt, logged: found!.attempts.length })
      }
      const list = yield* leadStore.list(brand.id, everyLead)
      assertEqual("LeadStore.list, total and leads", list.total, list.leads.length)
      const leads: Array<KeptLead> = []
      for (const { lead } of list.leads) {
        const data = Option.getOrThrow(yield* leadStore.exportData(brand.id, lead.id))
        const engagements = data.engagements.map(({ engagement: { id, trackedAt } }) => ({ id, trackedAt }))
        leads.push({ id: lead.id, updatedAt: lead.updatedAt, rendered: lead, engagements })
      }
      return { deliveries: kept, leads, events }
    })
  }

  /** Prunes a kind piece by piece to the end, and checks what is left. Answers how many went. */
  prune(kind: RetentionKind, before: number, limit: number): Effect.Effect<number, StoreUnavailable, Needs> {
    return Effect.gen(this, function* () {
      const pruning = yield* Pruning
      const content = yield* this.content()
      const expected = leftOf(content, kind, before)
      const counted = (yield* pruning.countDue({ ...noLimits, [kind]: before }))[kind]
      let [removed, after]: [number, PruneCursor | null] = [0, null]
      do {
        const piece: Pruned = yield* pruning.prune({ kind, before, after, limit, lease: null })
        assertThat(`Pruning.prune removes ${piece.removed} with a limit of ${limit}`, piece.removed <= limit)
        assertThat(
          `Pruning.prune says that the oldest was over at ${piece.oldest}, and ${before} is the limit`,
          piece.removed === 0 ? piece.oldest === null : piece.oldest !== null && piece.oldest < before
        )
        removed += piece.removed
        after = piece.next
      } while (after !== null)
      this.events = expected.events
      if (kind === "suppressions" && removed > 0) this.erased.clear()
      assertEqual(`after Pruning.prune of ${kind}, what is left`, yield* this.content(), expected)
      assertEqual(`Pruning.countDue and Pruning.prune of ${kind}`, counted, removed)
      if (kind !== "suppressions")
        assertEqual(`Pruning.prune of ${kind}, how many`, removed, removedOf(kind, content, expected))
      return removed
    })
  }

  /** Checks that the store has the events that it must have, by what a far limit would remove. */
  checkEvents(): Effect.Effect<void, StoreUnavailable, Needs> {
    return Effect.gen(this, function* () {
      const pruning = yield* Pruning
      const content = yield* this.content()
      const far = this.clock.millis + 1e12
      const { events } = yield* pruning.countDue({ ...noLimits, events: far })
      assertEqual(
        "Pruning.countDue of all events",
        events,
        removedOf("events", content, leftOf(content, "events", far))
      )
    })
  }

  /** Removes what there is of the brand, so that worlds after it begin with an empty store. */
  end(): Effect.Effect<void, StoreUnavailable, Needs> {
    return Effect.gen(this, function* () {
      const [pruning, webhookStore] = yield* Effect.all([Pruning, WebhookStore])
      yield* webhookStore.delete(this.brand.id, this.webhook.id)
      const before = this.clock.millis + 1e12
      for (const kind of ["events", "engagements", "leads", "suppressions"] as const) {
        for (let after: PruneCursor | null = []; after !== null;) {
          after = (yield* pruning.prune({
            kind,
            before,
            after: after.length === 0 ? null : after,
            limit: 100,
            lease: null
          })).next
        }
      }
    })
  }
}
