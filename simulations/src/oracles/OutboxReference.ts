/**
 * A naive outbox, moved on by what the store was told: which events were committed, which deliveries were leased, and how each
 * attempt ended. What follows from that it works out by the specification, apart from the service's rules. Times are those of
 * the clock that the store reads, so that faults of clocks need no allowance. Ids are learnt when a delivery is first seen.
 */
import type { Json, KnownFacts, Stored } from "../world/KnownFacts.ts"
import { AttemptRecords } from "./AttemptRecords.ts"
import { type DeliveriesOfWebhooks, OutboxAttempts } from "./OutboxAttempts.ts"
import { OutboxIds } from "./OutboxIds.ts"
import {
  eventOrder,
  isSome,
  type KnownDelivery,
  type KnownLease,
  leaveOrder,
  type LeadEvents,
  type OutboxWebhook
} from "./OutboxRecords.ts"
import { changeWebhook, createdWebhook, rotateSecret } from "./OutboxSettings.ts"
import { limitsFor } from "../world/ProcessSettings.ts"
import { bodyOf } from "./Requests.ts"

type Authored = ReadonlyMap<number, ReadonlySet<string>>

/** The limits of an emitter that has none of its own, by the specification. [DELIV-7] */
const usualLimits = { total: 256, reserved: 64, perWebhook: 32, failingTotal: 128, perFailingWebhook: 2 }

/** The limits of a request for leases, as a text that can be compared. */
const limitsIn = ({ limits }: Json): string =>
  Object.keys(usualLimits)
    .map((name) => `${name} ${limits[name]}`)
    .join(", ")

/** How a delivery is queued besides as a new one of no order whose id nobody has seen. */
interface QueuedAs {
  readonly id?: string | null
  readonly resendOf?: KnownDelivery | null
  readonly isOrdered?: boolean
}

/** What the store did, when in true time, and what an erasure had to look at then. */
interface AppliedChange {
  readonly done: Stored
  readonly at: number
  readonly authored: Authored
}

/** Its methods are called with what the store did, in that order, and answer what is wrong with it, or null. */
export class OutboxReference implements DeliveriesOfWebhooks {
  readonly webhooks = new Map<string, OutboxWebhook>()
  readonly deletedBrands = new Set<string>()
  trueNow = 0
  private queued = 0
  /** Leases by the id under which they were given, also of deliveries that are gone or have another id by now. */
  readonly leases = new Map<string, Array<KnownLease>>()
  readonly ids = new OutboxIds()
  private readonly events = new Map<string, Map<number, LeadEvents>>()
  readonly records: AttemptRecords
  readonly attempts: OutboxAttempts
  /** Everything that was noted, where a failover can lose the last of it; else null. */
  private history: Array<AppliedChange> | null

  constructor(private readonly facts: KnownFacts) {
    this.records = new AttemptRecords(facts, this.leases)
    this.attempts = new OutboxAttempts(facts, this, this.records)
    const canLose = facts.plan.scheduledFaults.some(
      (each) => each.fault === "failover" && each.lostMillis > 0
    )
    this.history = canLose ? [] : null
  }

  webhooksOf(brandId: string): ReadonlyArray<OutboxWebhook> {
    return [...this.webhooks.values()].filter((webhook) => webhook.brandId === brandId)
  }

  /** Notes what the store has done. Answers what is wrong with it, or null. */
  apply(done: Stored): string | null {
    const at = this.facts.now()
    if (done.method !== "leads.erase") return this.note({ done, at, authored: new Map() })
    const authored = done.answer === true ? this.authoredBy(done.args[0], done.args[1]) : new Map()
    return this.note({ done, at, authored })
  }

  /** Forgets what the store did later than `since`, in true time: a failover has lost it. Leases are kept: who had one may use it. */
  forgetSince(since: number): void {
    if (this.history === null) return
    const kept = this.history.filter(({ at }) => at <= since)
    const before = [...this.leases].flatMap(([id, leases]) => leases.map((lease) => ({ id, lease })))
    for (const known of [this.webhooks, this.deletedBrands, this.leases, this.ids, this.events]) known.clear()
    this.history = []
    for (const each of kept) this.note(each)
    for (const { id, lease } of before) {
      const again = this.leases.get(id)?.find(({ token }) => token === lease.token)
      if (again !== undefined) again.isRecorded = lease.isRecorded
      else this.leases.set(id, [...(this.leases.get(id) ?? []), lease])
    }
  }

  private note(change: AppliedChange): string | null {
    const { authored, at, done } = change
    const { answer, args, process, serviceNow: now } = done
    this.history?.push(change)
    this.trueNow = at
    switch (done.method) {
      case "brands.startDeletion":
        this.deletedBrands.add(args[0])
        return null
      case "webhooks.create":
        return this.create(done)
      case "webhooks.update":
        return this.update(done)
      case "webhooks.delete":
        return answer === true ? this.remove(args[1]) : null
      case "leads.commit":
        return this.commit(args[0], args[1], answer, now)
      case "leads.erase":
        return answer === true ? this.erase(args[0], args[1], authored) : null
      case "deliveries.queue":
        return this.queueAgain(args[0], args[1], answer, now)
      case "deliveries.recover":
        return this.recover(args[0], args[1], answer, now)
      case "outbox.lease":
        if (limitsIn(args[0]) !== limitsIn({ limits: this.limitsOf(process) }))
          return `leases are requested with the limits ${limitsIn(args[0])}`
        return this.attempts.lease(answer.leases, args[0], now, process)
      case "outbox.record":
        return this.attempts.record(args[0], answer, now, process.waitFactor)
      default:
        return null
    }
  }

  /** The dead deliveries that were not sent again, oldest first. [DELIV-8] */
  recoverable(webhook: OutboxWebhook, since: number, events: ReadonlyArray<string>): Array<KnownDelivery> {
    return webhook.deliveries
      .filter(({ resentAs, state }) => state === "dead" && resentAs === null)
      .filter(
        ({ event, finishedAt }) =>
          finishedAt! >= since && (event === "webhook.test" || events.includes(event))
      )
      .sort((a, b) => a.finishedAt! - b.finishedAt!)
  }

  private limitsOf({ waitFactor }: Stored["process"]): Json {
    return limitsFor(waitFactor !== 1, this.facts.plan.places) ?? usualLimits
  }

  private create(done: Stored): null {
    const webhook = createdWebhook(done, this.trueNow)
    this.webhooks.set(webhook.id, webhook)
    return null
  }

  private update({ answer, args, call, serviceNow: now }: Stored): string | null {
    const webhook = this.webhooks.get(args[1])
    if (webhook === undefined || webhook.brandId !== args[0])
      return isSome(answer) ? `webhook ${args[1]} is changed, and brand ${args[0]} has none` : null
    if (!isSome(answer)) return `webhook ${webhook.id} is not found`
    if (call?.route.endsWith("/rotate-secret") === true)
      return rotateSecret(webhook, answer.value.secrets.current, now)
    changeWebhook(webhook, bodyOf(call), now)
    webhook.changedAt = this.trueNow
    return null
  }

  private remove(webhookId: string): null {
    for (const delivery of this.webhooks.get(webhookId)?.deliveries ?? []) this.ids.forget(delivery)
    this.webhooks.delete(webhookId)
    return null
  }

  /** Removes a delivery that was pruned. The dead letters before a delivered one of their lead are not skipped again. [ORD-5] */
  prune(delivery: KnownDelivery): void {
    this.ids.forget(delivery)
    const { webhook } = delivery
    if (delivery.state === "delivered") leaveOrder(delivery)
    webhook.deliveries = webhook.deliveries.filter((each) => each !== delivery)
  }

  /** Removes an activity.detected that was pruned. */
  pruneActivity(
    brandId: string,
    event: { readonly leadId: number; readonly engagementId: string; readonly occurredAt: number }
  ): void {
    const activities = this.events.get(brandId)?.get(event.leadId)?.activities ?? []
    const at = activities.findIndex(
      ({ engagementId, occurredAt }) => engagementId === event.engagementId && occurredAt === event.occurredAt
    )
    if (at >= 0) activities.splice(at, 1)
  }

  /** Removes the events of a lead that was pruned. */
  pruneLead(brandId: string, leadId: number): void {
    this.events.get(brandId)?.delete(leadId)
  }

  private queue(
    webhook: OutboxWebhook,
    of: Pick<KnownDelivery, "event" | "leadId" | "engagementId" | "occurredAt">,
    now: number,
    { id = null, isOrdered = false, resendOf = null }: QueuedAs = {}
  ): void {
    const delivery: KnownDelivery = {
      place: this.queued++,
      id: null,
      webhook,
      event: of.event,
      leadId: of.leadId,
      engagementId: of.engagementId,
      occurredAt: of.occurredAt,
      createdAt: now,
      queuedAt: this.trueNow,
      state: "pending",
      attempts: 0,
      failures: 0,
      firstFailedAt: null,
      isOrdered,
      againAt: null,
      releasedAt: 0,
      isDeferred: false,
      due: { from: now, to: now },
      lease: null,
      finishedAt: null,
      endedWith: null,
      resendOf,
      resentAs: null,
      body: null,
      log: []
    }
    webhook.deliveries.push(delivery)
    this.ids.hide(delivery)
    if (resendOf !== null) resendOf.resentAs = delivery
    if (id !== null) this.ids.learn(delivery, id)
  }

  /** [EVT-2, EVT-3, EVT-7] */
  private commit(
    brandId: string,
    proposals: ReadonlyArray<Json>,
    answer: ReadonlyArray<Json>,
    now: number
  ): null {
    const leads = this.events.get(brandId) ?? new Map<number, LeadEvents>()
    this.events.set(brandId, leads)
    const webhooks = this.webhooksOf(brandId)
    for (const [i, { leadId, outcome }] of answer.entries()) {
      if (outcome !== "recorded") continue
      const { engagementId } = proposals[i]
      const known = leads.get(leadId)
      const occurred = { engagementId, occurredAt: now }
      if (known === undefined) leads.set(leadId, { created: occurred, activities: [occurred] })
      else known.activities.push(occurred)
      for (const event of known === undefined ? eventOrder : ["activity.detected"]) {
        for (const webhook of webhooks) {
          if (!webhook.events.includes(event)) continue
          const isOrdered = webhook.sending.ordering === "lead"
          this.queue(webhook, { event, leadId, ...occurred }, now, { isOrdered })
        }
      }
    }
    return null
  }

  /** The engagements that show the lead as the author of a post, by the leads that they are of. */
  private authoredBy(brandId: string, leadId: number): Authored {
    const rows = this.facts.brandOf(brandId)?.reference.rows ?? []
    const extId = rows.find(({ id }) => id === leadId)?.extId
    const authored = new Map<number, Set<string>>()
    for (const row of rows) {
      const of = row.engagements.filter(({ postAuthorDetail }) => postAuthorDetail?.extId === extId)
      if (of.length > 0) authored.set(row.id, new Set(of.map(({ id }) => id)))
    }
    return authored
  }

  /**
   * Removes what is of the person. A delivery that may show the person as the author of a post gets another id if its body was
   * made, and its log loses what receivers said. What they said to a batch with such a delivery, or with one of the person, is lost by the log
   * of each that was in the batch. [PII-3, BATCH-3]
   */
  private erase(brandId: string, leadId: number, authored: Authored): null {
    this.events.get(brandId)?.delete(leadId)
    const batches = new Set<string>()
    for (const webhook of this.webhooksOf(brandId)) {
      for (const delivery of webhook.deliveries) {
        const rendered = delivery.leadId === null ? undefined : authored.get(delivery.leadId)
        const isOwn = delivery.leadId === leadId
        const isReader = delivery.event === "lead2.created" ? rendered : rendered?.has(delivery.engagementId!)
        if (!isOwn && !isReader) continue
        for (const { batchId } of delivery.log) if (batchId !== null) batches.add(batchId)
        if (isOwn) this.ids.forget(delivery)
        else this.redact(delivery)
      }
      webhook.deliveries = webhook.deliveries.filter((delivery) => delivery.leadId !== leadId)
    }
    this.redactBatches(brandId, batches)
    return null
  }

  private redactBatches(brandId: string, batches: ReadonlySet<string>): void {
    for (const { deliveries } of this.webhooksOf(brandId))
      for (const { log } of deliveries)
        for (const attempt of log) {
          if (attempt.response === null || !batches.has(attempt.batchId ?? "")) continue
          attempt.response = null
          this.facts.coverageMarks.add("another's log of a batch lost the answer")
        }
  }

  private redact(delivery: KnownDelivery): void {
    for (const attempt of delivery.log) attempt.response = null
    if (delivery.body === null) return
    this.ids.forget(delivery)
    delivery.id = null
    delivery.body = null
    delivery.lease = null
    this.ids.hide(delivery)
  }

  /** What an operator asked to be sent again, or as a test. [DELIV-8, EVT-9] */
  private queueAgain(of: Json, request: Json, answer: Json, now: number): string | null {
    const webhook = this.webhooks.get(of.id)
    const again =
      webhook === undefined || request.what !== "again"
        ? undefined
        : this.ids.delivery(webhook, request.deliveryId)
    const lead = webhook === undefined ? undefined : this.events.get(webhook.brandId)?.get(request.leadId)
    const newest = request.event === "lead2.created" ? lead?.created : lead?.activities.at(-1)
    const what =
      request.what === "test"
        ? { event: "webhook.test", leadId: null, engagementId: null, occurredAt: null }
        : request.what === "again"
          ? again
          : newest && {
              event: request.event as string,
              leadId: request.leadId as number,
              ...newest
            }
    if (webhook === undefined || what === undefined)
      return isSome(answer) ? `something is queued for webhook ${of.id} that there is not` : null
    if (!isSome(answer)) return `what is there to be sent again to webhook ${of.id} is not found`
    this.queue(webhook, what, now, { id: answer.value, resendOf: again ?? null })
    return null
  }

  private recover(webhookId: string, request: Json, answer: number, now: number): string | null {
    const webhook = this.webhooks.get(webhookId)
    const dead =
      webhook === undefined
        ? []
        : this.recoverable(webhook, request.since, request.events).slice(0, request.limit)
    for (const delivery of dead) this.queue(webhook!, delivery, now, { resendOf: delivery })
    return dead.length === answer
      ? null
      : `${answer} deliveries of webhook ${webhookId} are recovered, and ${dead.length} died since then`
  }
}

const outboxes = new WeakMap<KnownFacts, OutboxReference>()

/** The outbox of a run: one for all oracles. */
export const outboxOf = (facts: KnownFacts): OutboxReference => {
  const outbox = outboxes.get(facts) ?? new OutboxReference(facts)
  outboxes.set(facts, outbox)
  return outbox
}
