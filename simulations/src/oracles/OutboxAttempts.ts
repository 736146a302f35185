/** How deliveries are given out and what becomes of them after each attempt, by the specification alone. [DELIV-2, DELIV-3, DELIV-4] */
import type { CallingProcess, Json, KnownFacts } from "../world/KnownFacts.ts"
import { parsedBody } from "../world/PostedBodies.ts"
import type { AttemptRecords } from "./AttemptRecords.ts"
import { formatOf, type LeasedDelivery, wrongBatches } from "./OutboxBatches.ts"
import type { OutboxIds } from "./OutboxIds.ts"
import { hasPlace, leftWithoutPlace, tooManyPlaces } from "./OutboxPlaces.ts"
import {
  type Due,
  type KnownDelivery,
  type KnownLease,
  nextInOrder,
  type OutboxWebhook,
  release,
  skippedBefore,
  subjectOf,
  waits
} from "./OutboxRecords.ts"
import { isSuccess, waits as scheduledWaits } from "./RetrySchedule.ts"

const day = 24 * 3_600_000
/** How long every attempt of a webhook must have failed before it is disabled. [DELIV-4] */
const patienceMillis = 5 * day

/** A store that answers as many characters of bodies at once may leave the rest for the next request. */
const largeCharacters = 7 * 1024 * 1024

/** How many posts the deliveries go in. */
const postsOf = (leased: ReadonlyArray<LeasedDelivery>): number =>
  leased.filter(({ batch }) => batch === null).length +
  new Set(leased.flatMap(({ batch }) => batch ?? [])).size

/** Whether a lease says of the delivery what it sends again, as far as that one's id is known. */
const isResendOf = ({ resendOf }: KnownDelivery, id: string | null): boolean =>
  resendOf === null ? id === null : id !== null && (resendOf.id === null || resendOf.id === id)

/** The part of an outbox that leases and attempts look at and change. */
export interface DeliveriesOfWebhooks {
  readonly webhooks: ReadonlyMap<string, OutboxWebhook>
  /** Brands whose deletion has begun: nobody knows which of their deliveries are left. */
  readonly deletedBrands: ReadonlySet<string>
  /** The true time at which the store did what is noted. */
  readonly trueNow: number
  readonly leases: Map<string, Array<KnownLease>>
  readonly ids: OutboxIds
}

/** A part of `OutboxReference`: its methods answer what is wrong with what the store did, or null. */
export class OutboxAttempts {
  constructor(
    private readonly facts: KnownFacts,
    private readonly outbox: DeliveriesOfWebhooks,
    private readonly records: AttemptRecords
  ) {}

  /**
   * The delivery that the body is of: one whose id nobody has seen, that was queued when the store says so as it makes the body, and that is
   * due the longest. Where several are due, another may be meant.
   */
  private unseen(
    webhook: OutboxWebhook,
    { body, deliveryId, place, resendOf }: Json,
    { queuedAt }: Json,
    now: number
  ): KnownDelivery | undefined {
    const parsed = parsedBody(body ?? "{}")
    const { data } = parsed
    const subject = subjectOf({
      event: parsed.specversion === undefined ? parsed.event : parsed.type,
      leadId: data?.lead2?.id ?? null,
      engagementId: data?.engagements?.[0]?.id ?? null
    })
    const createdAt: number | undefined = queuedAt?.get(deliveryId)
    const fitting = this.outbox.ids
      .unseen(webhook, subject)
      .filter(
        (each) =>
          each.state === "pending" &&
          (createdAt === undefined || each.createdAt === createdAt) &&
          each.isOrdered === (place?.isInOrder ?? false) &&
          isResendOf(each, resendOf)
      )
    const due = fitting.filter((each) => each.due!.from <= now)
    const [found] = (due.length > 0 ? due : fitting).toSorted((a, b) => a.due!.to - b.due!.to)
    if (found !== undefined)
      this.outbox.ids.guess(
        found,
        due.filter(({ attempts, failures }) => attempts === found.attempts && failures === found.failures)
      )
    return found
  }

  /** Notes deliveries that were given to an emitter. Answers what is wrong with that, or null. [DELIV-2, DELIV-7] */
  lease(
    leases: ReadonlyArray<Json>,
    request: Json,
    now: number,
    process: Pick<CallingProcess, "index" | "now">
  ): string | null {
    const { leaseMillis: millis, limits, underWay } = request
    const taken = new Map<OutboxWebhook, Array<LeasedDelivery>>()
    for (const [i, given] of leases.entries()) {
      const { batch, body, deliveryId: id, place, token, until } = given
      const webhook = this.outbox.webhooks.get(given.webhook.id)
      if (webhook === undefined) return `${id} is leased for webhook ${given.webhook.id}, which is gone`
      const delivery = this.outbox.ids.delivery(webhook, id) ?? this.unseen(webhook, given, request, now)
      if (delivery === undefined || !this.outbox.ids.learn(delivery, id))
        return `${id} is leased for webhook ${webhook.id}, and nobody queued it`
      if (!webhook.enabled) return `${id} is leased, and webhook ${webhook.id} is disabled`
      if (delivery.state !== "pending") return `${id} is leased, and is ${delivery.state}`
      if (now < delivery.due!.from) {
        const end = delivery.lease === null ? "it is due" : "its lease runs out"
        return `${id} is leased ${delivery.due!.from - now} ms before ${end}`
      }
      if (given.webhook.url !== webhook.url)
        return `${id} is leased for ${given.webhook.url}, and webhook ${webhook.id} has ${webhook.url}`
      const wrong = this.misplaced(delivery, place)
      if (wrong !== null) return `${id} is leased ${wrong}`
      if (until !== now + millis)
        return `${id} is leased for ${until - now} ms, and ${millis} ms were asked for`
      const format = body === null ? webhook.sending.format : formatOf(body)
      // It keeps the form in which it was first made. [FMT-3]
      if (delivery.body === null && format !== webhook.sending.format)
        return `${id} is made as ${format}, and its webhook takes ${webhook.sending.format}`
      const leased = { delivery, due: { ...delivery.due! }, batch, body: body ?? "{}", shared: delivery.due! }
      taken.set(webhook, [...(taken.get(webhook) ?? []), leased])
      const { current, previous } = webhook
      const lease: KnownLease = {
        token,
        until,
        queuedAt: delivery.queuedAt,
        readyAt: Math.max(
          delivery.queuedAt,
          delivery.againAt ?? 0,
          delivery.releasedAt,
          webhook.changedAt,
          webhook.fullAt
        ),
        at: this.outbox.trueNow,
        isFirst: delivery.againAt === null,
        place: i,
        url: webhook.url,
        order: place === null ? null : place.isInOrder ? "lead" : "none",
        process: process.index,
        isBehind: process.now < now,
        secrets: [
          { secret: current, until: Number.POSITIVE_INFINITY },
          ...(previous === null ? [] : [previous])
        ],
        isBatched: batch !== null,
        format,
        isAhead: false,
        isOfEarlier: false,
        isRecorded: false
      }
      const known = this.outbox.leases.get(id)
      if (known === undefined) this.outbox.leases.set(id, [lease])
      else known.push(lease)
      delivery.lease = lease
      delivery.againAt = this.outbox.trueNow + millis
      delivery.due = { from: until, to: until }
      delivery.body = body
    }
    for (const [webhook, leased] of taken) {
      const wrong = wrongBatches(webhook, leased, now)
      if (wrong !== null) return wrong
    }
    const posts = new Map([...taken].map(([webhook, leased]) => [webhook, postsOf(leased)]))
    const sum = (webhooks: Iterable<OutboxWebhook>): number =>
      [...webhooks].reduce((total, webhook) => total + posts.get(webhook)!, 0)
    const given = sum(posts.keys())
    const givenToFailing = sum([...posts.keys()].filter(({ failingSince }) => failingSince !== null))
    const isLarge = leases.reduce((sum, { body }) => sum + (body?.length ?? 0), 0) >= largeCharacters
    for (const webhook of this.outbox.webhooks.values()) {
      const givenToWebhook = posts.get(webhook) ?? 0
      const places = { limits, underWay, given, givenToFailing, givenToWebhook }
      if ((underWay.byWebhook.get(webhook.id) ?? 0) + givenToWebhook > limits.perWebhook)
        for (const { delivery } of taken.get(webhook) ?? []) delivery.lease!.isAhead = true
      const tooMany = givenToWebhook === 0 ? null : tooManyPlaces(webhook, places)
      if (tooMany !== null) return tooMany
      if (!hasPlace(webhook, places)) webhook.fullAt = this.outbox.trueNow
      const isExcused = isLarge || this.outbox.deletedBrands.has(webhook.brandId)
      const left = isExcused ? undefined : leftWithoutPlace(webhook, places, now)
      if (left !== undefined)
        return `${left.id ?? "a delivery"} is due and is not leased with ${givenToWebhook} others, and webhook ${webhook.id} has a place for it`
    }
    return null
  }

  /** What is wrong with the place of a delivery that is leased, and with what its lease says of it. [ORD-2, ORD-5] */
  private misplaced(delivery: KnownDelivery, place: Json): string | null {
    const { isOrdered, webhook } = delivery
    if (waits(delivery)) return `before an earlier event of lead ${delivery.leadId}`
    if ((place !== null) !== (webhook.sending.ordering === "lead"))
      return `with the place ${JSON.stringify(place)}`
    if (place === null) return null
    if (place.isInOrder !== isOrdered) return `as ${place.isInOrder ? "" : "not "}in order`
    const skipped = skippedBefore(delivery)
    if (skipped.length > 0) this.facts.coverageMarks.add("a dead letter was skipped")
    return JSON.stringify(place.skipped) === JSON.stringify(skipped)
      ? null
      : `with ${place.skipped.length} skipped, not ${skipped.length}`
  }

  /** Notes attempts that were recorded. Answers what is wrong with that, or null. [DELIV-3, DELIV-5] */
  record(
    attempts: ReadonlyArray<Json>,
    answer: ReadonlyArray<Json>,
    now: number,
    waitFactor: number
  ): string | null {
    /** When what failed together is due again, by its lease and its failures. [BATCH-3] */
    const together = new Map<string, Due>()
    /** Batches that lost a delivery while they were under way: the answer may be about a person who was erased. [PII-3] */
    const incomplete = new Set<string | null>(
      attempts
        .filter(({ deliveryId }) => this.outbox.ids.deliveryOf(deliveryId) === undefined)
        .map(({ postedAs }) => postedAs.batchId)
    )
    incomplete.delete(null)
    if (incomplete.size > 0) this.facts.coverageMarks.add("a batch under way lost a delivery")
    for (const [i, attempt] of attempts.entries()) {
      const wrong = this.records.wrongIn(attempt)
      if (wrong !== null) return wrong
      const outcome = this.settle(attempt, now, waitFactor, together)
      const logged = this.outbox.ids.deliveryOf(attempt.deliveryId)?.log.at(-1)
      if (logged !== undefined && incomplete.has(logged.batchId)) logged.response = null
      if (outcome !== answer[i].outcome)
        return `an attempt of ${attempt.deliveryId} counts as ${answer[i].outcome}, not as ${outcome}`
    }
    return null
  }

  /** What becomes of the delivery and its webhook. [DELIV-3, DELIV-4] */
  private settle(
    { at, deliveryId, durationMillis, postedAs, result, token, url }: Json,
    now: number,
    waitFactor: number,
    together: Map<string, Due>
  ): string {
    const delivery = this.outbox.ids.deliveryOf(deliveryId)
    if (delivery === undefined) return "ignored"
    const { error, response, retryAfterSeconds, status } = result
    delivery.attempts++
    delivery.log.push({ number: delivery.attempts, at, durationMillis, status, error, response, ...postedAs })
    const isTaken = isSuccess(status)
    const isHolder = delivery.lease?.token === token
    if (delivery.state !== "pending" || !(isHolder || isTaken)) return "ignored"
    const { webhook } = delivery
    const isHeard = webhook.url === url && !(isHolder && delivery.lease!.isOfEarlier)
    const isBatched = delivery.lease?.isBatched ?? false
    delivery.lease = null
    if (isTaken) {
      if (isHeard) webhook.failingSince = null
      this.finish(delivery, "delivered", now)
      return "delivered"
    }
    if (isHeard) webhook.failingSince ??= now
    const isGone = status === 410
    if (isHeard && webhook.enabled && (isGone || now - webhook.failingSince! >= patienceMillis)) {
      webhook.enabled = false
      webhook.changedAt = this.outbox.trueNow
      webhook.disabledReason = null
      webhook.reasonNames = isGone
        ? ["410"]
        : [new Date(webhook.failingSince!).toISOString(), String(status ?? error)]
    }
    if (isGone) {
      delivery.due = { from: now, to: now }
      delivery.againAt = this.outbox.trueNow
      return "retried"
    }
    const scheduled = scheduledWaits[delivery.failures]
    const { isOrdered } = delivery
    const lasts =
      isOrdered && webhook.sending.ordering === "lead"
        ? (webhook.sending.maxDelay ?? Number.POSITIVE_INFINITY)
        : Number.POSITIVE_INFINITY
    // How long it holds its lead back after its first failure. [ORD-4]
    const end = (delivery.firstFailedAt ?? now) + lasts * 1000
    const isRequestedBeyond = now + (retryAfterSeconds ?? 0) * 1000 > end
    if (scheduled === undefined || now >= end || (isRequestedBeyond && Number.isFinite(end))) {
      this.finish(delivery, "dead", now)
      return "dead"
    }
    const wait = scheduled * waitFactor
    delivery.failures++
    delivery.firstFailedAt ??= now
    const requested = Math.min((retryAfterSeconds ?? 0) * 1000, day)
    const due = {
      from: Math.min(end, now + Math.max(Math.floor(wait * 0.8), requested)),
      to: Math.min(end, now + Math.max(Math.ceil(wait * 1.2), requested))
    }
    const group = `${token} ${due.from} ${due.to}`
    delivery.due = isBatched ? (together.get(group) ?? due) : due
    together.set(group, delivery.due)
    delivery.againAt = this.outbox.trueNow + due.to - now
    return "retried"
  }

  private finish(delivery: KnownDelivery, state: "delivered" | "dead", now: number): void {
    delivery.state = state
    delivery.due = null
    delivery.finishedAt = now
    delivery.endedWith = delivery.attempts
    delivery.body = null
    const next = nextInOrder(delivery)
    if (next === undefined) return
    release(next, now)
    next.releasedAt = this.outbox.trueNow
  }
}
