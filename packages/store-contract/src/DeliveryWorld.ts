/** A brand with webhooks in the store beside the same in the reference: steps are played in both, and then compared. */
import {
  type Brand,
  Brands,
  Deliveries,
  DeliveryIds,
  Entropy,
  type InvalidParameter,
  Leads,
  type Lease,
  type NotFound,
  Outbox,
  recordObservations,
  Retries,
  Signals,
  type StoreUnavailable,
  Webhooks,
  WebhookStore
} from "@lead-signals/domain"
import { Effect, Option } from "effect"
import { assertEqual } from "./Assertions.ts"
import { bodyOf, checkBody, checkLease, checkNextDueAt } from "./DeliveryChecks.ts"
import { people, type Step, subscriptions, types } from "./DeliveryHistories.ts"
import {
  ReferenceDeliveries,
  type ReferenceDelivery,
  type ReferenceWebhook
} from "./reference/ReferenceDeliveries.ts"
import type { SettableClock } from "./SettableClock.ts"
import type { Needs } from "./StoreUnderTest.ts"

/** Milliseconds that a lease of a history lasts. */
export const leaseMillis = 30_000

/** Gives ids of deliveries, each call another. */
export const newIds = Effect.flatMap(Entropy, (entropy) =>
  Effect.map(entropy.bytes(DeliveryIds.seedBytes), DeliveryIds.sequence)
)

/** How long each attempt takes. */
export const attemptMillis = 180

/** A brand with webhooks in the store, beside what a naive outbox knows of them. */
export class DeliveryWorld {
  readonly leads = new Map<string, number>()
  /** Leases whose attempts are recorded at some later step. */
  readonly late: Array<{
    readonly lease: Lease
    readonly of: ReferenceDelivery
    readonly batchId: string | null
  }> = []
  readonly bodies = new Map<string, string>()
  /** The situations that the history met, so that a test can check that it met enough. */
  readonly situations = new Set<string>()
  private leasings = 0

  constructor(
    readonly brand: Brand,
    readonly signalId: string,
    readonly reference: ReferenceDeliveries,
    readonly clock: SettableClock
  ) {}

  static readonly create = (clock: SettableClock, waitMillis: ReadonlyArray<number> = [1000]) =>
    Effect.gen(function* () {
      const brand = yield* Brands.create("B")
      const source = { type: "post-url" as const, value: "v", liCompanyId: null, company: null }
      const signal = yield* Signals.create(brand.id, { name: "S", signalType: "t", source })
      return new DeliveryWorld(brand, signal.id, new ReferenceDeliveries(waitMillis), clock)
    })

  /** Plays the step in the store and in the reference. */
  play(step: Step): Effect.Effect<void, InvalidParameter | NotFound | StoreUnavailable, Needs> {
    switch (step.step) {
      case "wait":
        return Effect.sync(() => {
          this.clock.millis += step.millis
        })
      case "subscribe":
        return this.subscribe(step)
      case "order":
        return this.order(step)
      case "observe":
        return this.observe(step)
      case "work":
        return this.work(step)
      case "enable":
        return this.enable(step)
      case "delete":
        return this.delete(step)
      case "test":
        return this.test(step)
      case "resend":
        return this.resend(step)
      case "resendLead":
        return this.resendLead(step)
      case "recover":
        return this.recover(step)
      case "erase":
        return this.erase(step)
    }
  }

  private webhookAt(index: number): ReferenceWebhook | undefined {
    const alive = this.reference.webhooks.filter(({ deleted }) => !deleted)
    return alive[index % Math.max(1, alive.length)]
  }

  private order({ maxDelay, ordering, webhook: index }: StepOf<"order">) {
    const { brand, clock, reference, situations } = this
    const webhook = this.webhookAt(index)
    if (webhook === undefined) return Effect.void
    return Effect.map(Webhooks.change(brand.id, webhook.id, { ordering, maxDelay }), () => {
      if (ordering === "none" && webhook.ordering === "lead") situations.add("ordered no longer")
      reference.order(webhook, ordering, maxDelay, clock.millis)
    })
  }

  private subscribe({ enabled, events: chosen, maxDelay = null, ordering = "none" }: StepOf<"subscribe">) {
    const { brand, reference } = this
    return Effect.gen(function* () {
      if (reference.webhooks.filter(({ deleted }) => !deleted).length >= 4) return
      const events = subscriptions[chosen]!
      const created = yield* Webhooks.create(brand.id, {
        url: "u",
        events,
        description: null,
        enabled,
        ordering,
        maxDelay
      })
      reference.webhooks.push({
        id: created.id,
        events,
        enabled,
        failingSince: null,
        ordering,
        maxDelay,
        deleted: false
      })
    })
  }

  private observe({ seen }: StepOf<"observe">) {
    const { brand, clock, leads, reference, signalId } = this
    return Effect.gen(function* () {
      const observations = seen.map(({ author, engagement, person }) => ({
        signalId,
        person: { extId: people[person]!, name: "N" },
        engagement: {
          id: `e${engagement}`,
          ...(author === null ? {} : { postAuthorDetail: { extId: people[author] } })
        }
      }))
      const outcomes = yield* recordObservations(brand, observations)
      for (const [i, { author, engagement, person }] of seen.entries()) {
        const authorExtId = author === null ? null : people[author]!
        reference.observe(people[person]!, `e${engagement}`, authorExtId, clock.millis)
        const { leadId, outcome } = outcomes[i]!
        if (outcome === "recorded") leads.set(people[person]!, leadId!)
      }
    })
  }

  /** Leases what is due and ends each attempt as the step says: at once, at a later step, or never. */
  private work({ delay, ends, isBatched = false, perWebhook }: StepOf<"work">) {
    const { clock, late, reference, situations } = this
    return Effect.gen(this, function* () {
      const { expected, leases } = yield* this.lease(perWebhook)
      clock.millis += delay
      for (const [i, lease] of leases.entries()) {
        const end = ends[i % ends.length]!
        const delivery = expected.get(lease.deliveryId)!
        const batchId = isBatched ? `wb_${lease.token}_${lease.webhook.id}` : null
        if (end === "late") late.push({ lease, of: delivery, batchId })
        else if (end !== "lost") {
          const given = { status: end, response: `r${end}`, batchId }
          yield* this.record(lease, given)
          reference.settle(delivery, lease.token, given, clock.millis)
        }
      }
      if (delay === 0 && late.length > 0 && ends.length % 2 === 0) {
        const { batchId, lease, of: delivery } = late.shift()!
        const status = ends.length % 4 === 0 ? 200 : ends.length % 3 === 0 ? 410 : 500
        const isSame = delivery.id === lease.deliveryId
        const given = { status, response: `r${status}`, batchId }
        yield* this.record(lease, given)
        if (isSame) reference.settle(delivery, lease.token, given, clock.millis)
        situations.add("late")
      }
    })
  }

  /** Leases what is due, and checks that it is what the reference says, with bodies of what is known now. */
  private lease(perWebhook: number) {
    const { clock, reference, situations } = this
    const token = `take-${++this.leasings}`
    return Effect.gen(this, function* () {
      const outbox = yield* Outbox
      const now = clock.millis
      const own = new Set(reference.webhooks.map(({ id }) => id))
      const due = reference.webhooks.flatMap((webhook) => reference.due(webhook, now).slice(0, perWebhook))
      if (reference.deliveries.some((each) => reference.waits(each))) situations.add("waits for its lead")
      // Before anything is leased: this is what the bodies must show.
      const rendered = new Map(due.map((delivery) => [delivery, reference.rendered(delivery)]))
      const leased = yield* outbox.lease({
        token,
        leaseMillis,
        limits: { total: 1000, reserved: 0, perWebhook, failingTotal: 1000, perFailingWebhook: perWebhook },
        underWay: { total: 0, failingTotal: 0, byWebhook: new Map() },
        body: bodyOf
      })
      const leases = leased.leases.filter(({ webhook }) => own.has(webhook.id))
      assertEqual(
        "Outbox.lease, ids of what is due",
        leases.map(({ deliveryId }) => deliveryId).sort(),
        due.map(({ id }) => id).sort()
      )
      for (const delivery of due)
        Object.assign(delivery, { holder: token, isOfEarlier: false, dueAt: now + leaseMillis })
      const expected = new Map(due.map((delivery) => [delivery.id!, delivery]))
      for (const each of leases) {
        const delivery = expected.get(each.deliveryId)!
        checkLease(this, each, delivery, now + leaseMillis)
        checkBody(this, each, delivery, rendered.get(delivery))
      }
      checkNextDueAt(reference, leased.nextDueAt, now)
      return { leases, expected }
    })
  }

  private record(
    lease: Lease,
    {
      batchId,
      response,
      status
    }: { readonly status: number; readonly response: string; readonly batchId: string | null }
  ) {
    const { clock, reference, situations } = this
    return Effect.gen(function* () {
      const outbox = yield* Outbox
      const result = { status, error: null, response, retryAfterSeconds: null }
      yield* outbox.record([
        {
          deliveryId: lease.deliveryId,
          token: lease.token,
          url: lease.webhook.url,
          at: clock.millis,
          durationMillis: attemptMillis,
          postedAs: { batchId, format: "envelope" },
          result,
          settle: (known, now) => Retries.settle(known, result, now, 0.5, reference.waitMillis)
        }
      ])
      situations.add(`status ${status}`)
    })
  }

  private enable({ enabled, webhook: index }: StepOf<"enable">) {
    const { brand, clock, reference } = this
    const webhook = this.webhookAt(index)
    if (webhook === undefined) return Effect.void
    return Effect.map(Webhooks.change(brand.id, webhook.id, { enabled }), () =>
      reference.enable(webhook, enabled, clock.millis)
    )
  }

  private delete({ webhook: index }: StepOf<"delete">) {
    const { brand, reference } = this
    const webhook = this.webhookAt(index)
    if (webhook === undefined) return Effect.void
    return Effect.map(Webhooks.remove(brand.id, webhook.id), () => reference.delete(webhook))
  }

  private test({ webhook: index }: StepOf<"test">) {
    const { brand, clock, reference } = this
    const webhook = this.webhookAt(index)
    if (webhook === undefined) return Effect.void
    const test = { event: "webhook.test", person: null, engagementId: null } as const
    return Effect.gen(function* () {
      const deliveries = yield* Deliveries
      yield* deliveries.queue({ id: webhook.id, brandId: brand.id }, { what: "test" }, yield* newIds)
      reference.queue(webhook, test, clock.millis)
    })
  }

  private resend({ delivery: index }: StepOf<"resend">) {
    const { brand, clock, reference } = this
    const delivery = reference.deliveries[index % Math.max(1, reference.deliveries.length)]
    if (delivery === undefined) return Effect.void
    return Effect.map(Webhooks.resendDelivery(brand.id, delivery.webhook.id, delivery.id!), () => {
      reference.queue(delivery.webhook, delivery, clock.millis, delivery)
    })
  }

  private resendLead({ event: type, person: index, webhook: at }: StepOf<"resendLead">) {
    const { brand, clock, leads, reference } = this
    const webhook = this.webhookAt(at)
    const [event, person] = [types[type]!, people[index]!]
    if (webhook === undefined || !webhook.events.includes(event)) return Effect.void
    const last = reference.fired.findLast((each) => each.person === person && each.event === event)
    return Effect.gen(function* () {
      const leadId = leads.get(person) ?? 999_999
      const queued = yield* Effect.option(
        Webhooks.resendLead(brand.id, leadId, { event, webhookId: webhook.id })
      )
      assertEqual(
        `Deliveries.queue, whether there is a ${event} of ${person}`,
        Option.isSome(queued),
        last !== undefined
      )
      if (last !== undefined) reference.queue(webhook, last, clock.millis)
    })
  }

  private recover({ ago, events, limit, webhook: index }: StepOf<"recover">) {
    const { clock, reference, situations } = this
    const webhook = this.webhookAt(index)
    if (webhook === undefined) return Effect.void
    const since = clock.millis - ago
    const dead = reference.dead(webhook, since, events).slice(0, limit)
    return Effect.gen(function* () {
      const deliveries = yield* Deliveries
      const count = yield* deliveries.recover(webhook.id, { since, limit, events }, yield* newIds)
      assertEqual("Deliveries.recover, how many", count, dead.length)
      for (const delivery of dead) reference.queue(webhook, delivery, clock.millis, delivery)
      if (count > 0) situations.add("recovered")
    })
  }

  private erase({ person: index }: StepOf<"erase">) {
    const { brand, leads, reference, situations } = this
    const person = people[index]!
    const leadId = leads.get(person)
    if (leadId === undefined) return Effect.void
    return Effect.map(Leads.erase(brand, leadId), () => {
      leads.delete(person)
      const { blanked, renamed } = reference.erase(person)
      if (renamed.length > 0) situations.add("renamed")
      if (blanked > 0) situations.add("blanked in a batch")
    })
  }
}

type StepOf<Name extends Step["step"]> = Extract<Step, { readonly step: Name }>

/** Takes the brand's webhooks away, so that their deliveries are no work for the worlds after it. */
export const endDeliveryWorld = ({ brand }: DeliveryWorld) =>
  Effect.gen(function* () {
    const webhookStore = yield* WebhookStore
    for (const { id } of yield* webhookStore.list(brand.id)) yield* webhookStore.delete(brand.id, id)
  })
