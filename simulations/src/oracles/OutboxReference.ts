/**
 * A naive outbox, moved on by what the store was told: which events were committed, which deliveries were leased, and how each
 * attempt ended. What follows from that it works out by the specification, apart from the service's rules. Times are those of
 * the service's clock, so that faults of the clock need no allowance. Ids are learnt when a delivery is first seen.
 */
import type { Json, KnownFacts, Stored } from "../world/KnownFacts.ts"
import { isSuccess, waits } from "./RetrySchedule.ts"
import { bodyOf } from "./Requests.ts"

const day = 24 * 3_600_000
/** A webhook whose every attempt failed for so long is disabled. [DELIV-4] */
const patienceMillis = 5 * day
const overlapMillis = day
const eventOrder = ["lead2.created", "activity.detected"]

/** One line of a delivery's log. */
interface LoggedAttempt {
  readonly number: number
  readonly at: number
  readonly durationMillis: number
  readonly status: number | null
  readonly error: string | null
  response: string | null
}

/** The right to attempt a delivery, as the store gave it. */
export interface KnownLease {
  readonly token: string
  /** By the service's clock. */
  readonly until: number
  /** In true time. */
  readonly at: number
  /** The secrets that sign, the newest first, and until when the older one does. */
  readonly secrets: ReadonlyArray<{ readonly secret: string; readonly until: number }>
  /** Whether the webhook was enabled after it was given. */
  isOfEarlier: boolean
  /** Whether its attempt was recorded. */
  isRecorded: boolean
}

/** A delivery as the outbox must have it. */
export interface KnownDelivery {
  id: string | null
  readonly webhook: OutboxWebhook
  readonly event: string
  readonly leadId: number | null
  readonly engagementId: string | null
  readonly createdAt: number
  /** The same in true time. */
  readonly queuedAt: number
  state: "pending" | "delivered" | "dead"
  attempts: number
  failures: number
  /** It is due at some time between these, both included; null once it is delivered or dead. */
  due: { readonly from: number; readonly to: number } | null
  lease: KnownLease | null
  finishedAt: number | null
  readonly resendOf: KnownDelivery | null
  resentAs: KnownDelivery | null
  hasBody: boolean
  readonly log: Array<LoggedAttempt>
}

/** A webhook as the operator must see it. */
export interface OutboxWebhook {
  readonly id: string
  readonly brandId: string
  url: string
  events: ReadonlyArray<string>
  description: string | null
  enabled: boolean
  disabledReason: string | null
  failingSince: number | null
  /** In true time: when one of its attempts last failed, and when it was last enabled, disabled or changed. */
  failedAt: number
  changedAt: number
  readonly createdAt: number
  current: string
  previous: { readonly secret: string; readonly until: number } | null
  /** In the order in which they were queued. */
  deliveries: Array<KnownDelivery>
  /** Those whose id nobody has seen, by what they are of. */
  readonly unseen: Map<string, Array<KnownDelivery>>
}

/** What the lead's events were of. */
interface LeadEvents {
  created: string
  latest: string
}

const isSome = (answer: Json): boolean => answer?._tag === "Some"

/** What a body shows of the delivery that it is of. */
const subjectOf = ({ engagementId, event, leadId }: Pick<KnownDelivery, "event" | "leadId" | "engagementId">): string =>
  event === "activity.detected" ? `${event} ${engagementId}` : `${event} ${leadId}`

/** Once, and in one order, however they were given. */
const inOrder = (events: ReadonlyArray<string>): ReadonlyArray<string> =>
  eventOrder.filter((event) => events.includes(event))

export class OutboxReference {
  readonly webhooks = new Map<string, OutboxWebhook>()
  /** Leases by the id under which they were given, also of deliveries that are gone or have another id by now. */
  readonly leases = new Map<string, Array<KnownLease>>()
  private readonly byId = new Map<string, KnownDelivery>()
  private readonly events = new Map<string, Map<number, LeadEvents>>()
  private readonly recorded = new Set<string>()

  constructor(private readonly facts: KnownFacts) {}

  webhooksOf(brandId: string): ReadonlyArray<OutboxWebhook> {
    return [...this.webhooks.values()].filter((webhook) => webhook.brandId === brandId)
  }

  delivery(webhook: OutboxWebhook, id: string): KnownDelivery | undefined {
    const found = this.byId.get(id)
    return found?.webhook === webhook ? found : undefined
  }

  /** Notes the id of a delivery that was seen for the first time; false where it must be another. */
  learn(delivery: KnownDelivery, id: string): boolean {
    if (delivery.id !== null) return delivery.id === id
    if (this.byId.has(id) || !/^wh_[0-9a-f]{32}$/.test(id)) return false
    delivery.id = id
    this.byId.set(id, delivery)
    const unseen = delivery.webhook.unseen.get(subjectOf(delivery))!
    unseen.splice(unseen.indexOf(delivery), 1)
    return true
  }

  private hide(delivery: KnownDelivery): void {
    const { unseen } = delivery.webhook
    const subject = subjectOf(delivery)
    const known = unseen.get(subject)
    if (known === undefined) unseen.set(subject, [delivery])
    else known.push(delivery)
  }

  /** Notes what the store has done. Answers what is wrong with it, or null. */
  apply(done: Stored): string | null {
    const { answer, args, serviceNow: now } = done
    switch (done.method) {
      case "webhooks.create":
        return this.create(done)
      case "webhooks.update":
        return this.update(done)
      case "webhooks.delete":
        return answer === true ? this.remove(args[1]) : null
      case "leads.commit":
        return this.commit(args[0], args[1], answer, now)
      case "leads.erase":
        return answer === true ? this.erase(args[0], args[1]) : null
      case "deliveries.queue":
        return this.queueAgain(args[0], args[1], answer, now)
      case "deliveries.recover":
        return this.recover(args[0], args[1], answer, now)
      case "outbox.lease":
        return this.lease(answer.leases, now)
      case "outbox.record":
        return this.record(args[0], answer, now)
      default:
        return null
    }
  }

  /** The dead deliveries that were not sent again, oldest first. [DELIV-8] */
  recoverable(webhook: OutboxWebhook, since: number, events: ReadonlyArray<string>): Array<KnownDelivery> {
    return webhook.deliveries
      .filter(({ resentAs, state }) => state === "dead" && resentAs === null)
      .filter(({ event, finishedAt }) => finishedAt! >= since && (event === "webhook.test" || events.includes(event)))
      .sort((a, b) => a.finishedAt! - b.finishedAt!)
  }

  private create({ answer, args, call }: Stored): null {
    const asked = bodyOf(call)
    const enabled = asked.enabled ?? true
    this.webhooks.set(answer.id, {
      id: answer.id,
      brandId: args[0].brandId,
      url: asked.url,
      events: inOrder(asked.events),
      description: asked.description ?? null,
      enabled,
      disabledReason: enabled ? null : "The operator disabled it.",
      failingSince: null,
      failedAt: 0,
      changedAt: this.facts.now(),
      createdAt: args[0].createdAt,
      current: answer.secrets.current,
      previous: null,
      deliveries: [],
      unseen: new Map()
    })
    return null
  }

  private update({ answer, args, call, serviceNow: now }: Stored): string | null {
    const webhook = this.webhooks.get(args[1])
    if (webhook === undefined || webhook.brandId !== args[0])
      return isSome(answer) ? `webhook ${args[1]} is changed, and brand ${args[0]} has none` : null
    if (!isSome(answer)) return `webhook ${webhook.id} is not found`
    if (call?.route.endsWith("/rotate-secret") === true) {
      const { current } = answer.value.secrets
      if (current === webhook.current) return `webhook ${webhook.id} keeps its secret in a rotation`
      webhook.previous = { secret: webhook.current, until: now + overlapMillis }
      webhook.current = current
      return null
    }
    const asked = bodyOf(call)
    const wasEnabled = webhook.enabled
    const enabled: boolean = asked.enabled ?? wasEnabled
    const isOther = asked.url !== undefined && asked.url !== webhook.url
    // A target that was set right, or is another, has not failed yet.
    if (isOther || (enabled && !wasEnabled)) webhook.failingSince = null
    webhook.url = asked.url ?? webhook.url
    if (asked.events !== undefined) webhook.events = inOrder(asked.events)
    if (asked.description !== undefined) webhook.description = asked.description
    webhook.enabled = enabled
    if (enabled) webhook.disabledReason = null
    else if (wasEnabled) webhook.disabledReason = "The operator disabled it."
    webhook.changedAt = this.facts.now()
    if (enabled && !wasEnabled) this.startFresh(webhook, now)
    return null
  }

  /** [DELIV-4] */
  private startFresh(webhook: OutboxWebhook, now: number): void {
    for (const delivery of webhook.deliveries) {
      if (delivery.state !== "pending") continue
      delivery.failures = 0
      if (delivery.lease === null) {
        const { from, to } = delivery.due!
        delivery.due = { from: Math.min(from, now), to: Math.min(to, now) }
      } else delivery.lease.isOfEarlier = true
    }
  }

  private remove(webhookId: string): null {
    for (const delivery of this.webhooks.get(webhookId)?.deliveries ?? []) this.forget(delivery)
    this.webhooks.delete(webhookId)
    return null
  }

  private forget(delivery: KnownDelivery): void {
    if (delivery.id !== null) this.byId.delete(delivery.id)
    else {
      const unseen = delivery.webhook.unseen.get(subjectOf(delivery))!
      unseen.splice(unseen.indexOf(delivery), 1)
    }
  }

  private queue(
    webhook: OutboxWebhook,
    of: Pick<KnownDelivery, "event" | "leadId" | "engagementId">,
    now: number,
    id: string | null,
    resendOf: KnownDelivery | null = null
  ): void {
    const delivery: KnownDelivery = {
      id: null,
      webhook,
      event: of.event,
      leadId: of.leadId,
      engagementId: of.engagementId,
      createdAt: now,
      queuedAt: this.facts.now(),
      state: "pending",
      attempts: 0,
      failures: 0,
      due: { from: now, to: now },
      lease: null,
      finishedAt: null,
      resendOf,
      resentAs: null,
      hasBody: false,
      log: []
    }
    webhook.deliveries.push(delivery)
    this.hide(delivery)
    if (resendOf !== null) resendOf.resentAs = delivery
    if (id !== null) this.learn(delivery, id)
  }

  /** [EVT-2, EVT-3, EVT-7] */
  private commit(brandId: string, proposals: ReadonlyArray<Json>, answer: ReadonlyArray<Json>, now: number): null {
    const leads = this.events.get(brandId) ?? new Map<number, LeadEvents>()
    this.events.set(brandId, leads)
    const webhooks = this.webhooksOf(brandId)
    for (const [i, { leadId, outcome }] of answer.entries()) {
      if (outcome !== "recorded") continue
      const { engagementId } = proposals[i]
      const known = leads.get(leadId)
      leads.set(leadId, { created: known?.created ?? engagementId, latest: engagementId })
      for (const event of known === undefined ? eventOrder : ["activity.detected"]) {
        for (const webhook of webhooks) {
          if (webhook.events.includes(event)) this.queue(webhook, { event, leadId, engagementId }, now, null)
        }
      }
    }
    return null
  }

  /**
   * Removes what is of the person. A delivery that may show the person as the author of a post gets another id if its body was
   * made, and its log loses what receivers said. [PII-3]
   */
  private erase(brandId: string, leadId: number): null {
    this.events.get(brandId)?.delete(leadId)
    const rows = this.facts.brandOf(brandId)?.reference.rows ?? []
    const extId = rows.find(({ id }) => id === leadId)?.extId
    const authored = new Map<number, Set<string>>()
    for (const row of rows) {
      const of = row.engagements.filter(({ postAuthorDetail }) => postAuthorDetail?.extId === extId)
      if (of.length > 0) authored.set(row.id, new Set(of.map(({ id }) => id)))
    }
    for (const webhook of this.webhooksOf(brandId)) {
      for (const delivery of webhook.deliveries) {
        const shown = delivery.leadId === null ? undefined : authored.get(delivery.leadId)
        if (delivery.leadId === leadId) this.forget(delivery)
        else if (delivery.event === "lead2.created" ? shown : shown?.has(delivery.engagementId!)) this.redact(delivery)
      }
      webhook.deliveries = webhook.deliveries.filter((delivery) => delivery.leadId !== leadId)
    }
    return null
  }

  private redact(delivery: KnownDelivery): void {
    for (const attempt of delivery.log) attempt.response = null
    if (!delivery.hasBody) return
    this.forget(delivery)
    delivery.id = null
    delivery.hasBody = false
    delivery.lease = null
    this.hide(delivery)
  }

  /** What an operator asked to be sent again, or as a test. [DELIV-8, EVT-9] */
  private queueAgain(of: Json, request: Json, answer: Json, now: number): string | null {
    const webhook = this.webhooks.get(of.id)
    const again = webhook === undefined || request.what !== "again" ? undefined : this.delivery(webhook, request.deliveryId)
    const lead = webhook === undefined ? undefined : this.events.get(webhook.brandId)?.get(request.leadId)
    const what =
      request.what === "test"
        ? { event: "webhook.test", leadId: null, engagementId: null }
        : request.what === "again"
          ? again
          : lead && {
              event: request.event as string,
              leadId: request.leadId as number,
              engagementId: request.event === "lead2.created" ? lead.created : lead.latest
            }
    if (webhook === undefined || what === undefined)
      return isSome(answer) ? `something is queued for webhook ${of.id} that there is not` : null
    if (!isSome(answer)) return `what is there to be sent again to webhook ${of.id} is not found`
    this.queue(webhook, what, now, answer.value, again ?? null)
    return null
  }

  private recover(webhookId: string, request: Json, answer: number, now: number): string | null {
    const webhook = this.webhooks.get(webhookId)
    const dead = webhook === undefined ? [] : this.recoverable(webhook, request.since, request.events).slice(0, request.limit)
    for (const delivery of dead) this.queue(webhook!, delivery, now, null, delivery)
    return dead.length === answer
      ? null
      : `${answer} deliveries of webhook ${webhookId} are recovered, and ${dead.length} died since then`
  }

  /** The delivery that the body is of: one whose id nobody has seen, and that is due the longest. */
  private unseen(webhook: OutboxWebhook, body: string | null): KnownDelivery | undefined {
    const { data, event } = JSON.parse(body ?? "{}")
    const subject = subjectOf({
      event,
      leadId: data?.lead2?.id ?? null,
      engagementId: data?.engagements?.[0]?.id ?? null
    })
    let found: KnownDelivery | undefined
    for (const each of webhook.unseen.get(subject) ?? [])
      if (each.state === "pending" && (found === undefined || each.due!.to < found.due!.to)) found = each
    return found
  }

  private lease(leases: ReadonlyArray<Json>, now: number): string | null {
    for (const { body, deliveryId: id, token, until, webhook: given } of leases) {
      const webhook = this.webhooks.get(given.id)
      if (webhook === undefined) return `${id} is leased for webhook ${given.id}, which is gone`
      const delivery = this.delivery(webhook, id) ?? this.unseen(webhook, body)
      if (delivery === undefined || !this.learn(delivery, id))
        return `${id} is leased for webhook ${webhook.id}, and nobody queued it`
      if (!webhook.enabled) return `${id} is leased, and webhook ${webhook.id} is disabled`
      if (delivery.state !== "pending") return `${id} is leased, and is ${delivery.state}`
      if (now < delivery.due!.from) {
        const why = delivery.lease === null ? "is due" : "its lease runs out"
        return `${id} is leased ${delivery.due!.from - now} ms before it ${why}`
      }
      const { current, previous } = webhook
      const lease: KnownLease = {
        token,
        until,
        at: this.facts.now(),
        secrets: [
          { secret: current, until: Number.POSITIVE_INFINITY },
          ...(previous === null ? [] : [previous])
        ],
        isOfEarlier: false,
        isRecorded: false
      }
      const known = this.leases.get(id)
      if (known === undefined) this.leases.set(id, [lease])
      else known.push(lease)
      delivery.lease = lease
      delivery.due = { from: until, to: until }
      delivery.hasBody = body !== null
    }
    return null
  }

  private record(attempts: ReadonlyArray<Json>, answer: ReadonlyArray<Json>, now: number): string | null {
    for (const [i, attempt] of attempts.entries()) {
      const wrong = this.unfaithful(attempt)
      if (wrong !== null) return wrong
      const outcome = this.settle(attempt, now)
      if (outcome !== answer[i].outcome)
        return `an attempt of ${attempt.deliveryId} counts as ${answer[i].outcome}, not as ${outcome}`
    }
    return null
  }

  /** What is wrong with an attempt as it is recorded, by what its receiver answered. [DELIV-5] */
  private unfaithful({ deliveryId: id, result, token }: Json): string | null {
    const lease = this.leases.get(id)?.find((each) => each.token === token)
    if (lease === undefined) return `an attempt of ${id} is recorded that was never leased`
    lease.isRecorded = true
    // The store may have done it, and be told again.
    const name = `${id} ${token}`
    if (this.recorded.has(name)) return null
    this.recorded.add(name)
    const { error, retryAfterSeconds, status } = result
    if ((status === null) === (error === null)) return `an attempt of ${id} has the status ${status} and the error ${error}`
    if (status === null) return error === "timeout" || error === "connection" ? null : `${id}: the error is ${error}`
    const post = this.facts.postsOf(id).find((each) => each.sent.at >= lease.at && each.sent.heardAt !== null)
    if (post === undefined) return `${id} is recorded with ${status}, and its receiver answered nothing`
    if (post.status !== status) return `${id} is recorded with ${status}, and its receiver answered ${post.status}`
    const asked = status === 429 || status === 503 ? post.retryAfterSeconds : null
    return retryAfterSeconds === asked
      ? null
      : `${id}: its receiver asked for ${asked} s, and ${retryAfterSeconds} s are recorded`
  }

  /** What becomes of the delivery and its webhook. [DELIV-3, DELIV-4] */
  private settle({ at, deliveryId, durationMillis, result, token, url }: Json, now: number): string {
    const delivery = this.byId.get(deliveryId)
    if (delivery === undefined) return "ignored"
    const { error, response, retryAfterSeconds, status } = result
    delivery.attempts++
    delivery.log.push({ number: delivery.attempts, at, durationMillis, status, error, response })
    const isTaken = isSuccess(status)
    const isHolder = delivery.lease?.token === token
    if (delivery.state !== "pending" || !(isHolder || isTaken)) return "ignored"
    const { webhook } = delivery
    const isHeard = webhook.url === url && !(isHolder && delivery.lease!.isOfEarlier)
    delivery.lease = null
    if (isTaken) {
      if (isHeard) webhook.failingSince = null
      this.finish(delivery, "delivered", now)
      return "delivered"
    }
    webhook.failedAt = this.facts.now()
    if (isHeard) webhook.failingSince ??= now
    const isGone = status === 410
    if (isHeard && webhook.enabled && (isGone || now - webhook.failingSince! >= patienceMillis)) {
      webhook.enabled = false
      webhook.changedAt = this.facts.now()
      webhook.disabledReason = isGone
        ? "The receiver answered 410 Gone."
        : `Every attempt since ${new Date(webhook.failingSince!).toISOString()} failed; the last one with ${
            status === null ? error : `status ${status}`
          }.`
    }
    if (isGone) {
      delivery.due = { from: now, to: now }
      return "retried"
    }
    const wait = waits[delivery.failures]
    if (wait === undefined) {
      this.finish(delivery, "dead", now)
      return "dead"
    }
    delivery.failures++
    const asked = Math.min((retryAfterSeconds ?? 0) * 1000, day)
    delivery.due = { from: now + Math.max(Math.floor(wait * 0.8), asked), to: now + Math.max(Math.ceil(wait * 1.2), asked) }
    return "retried"
  }

  private finish(delivery: KnownDelivery, state: "delivered" | "dead", now: number): void {
    delivery.state = state
    delivery.due = null
    delivery.finishedAt = now
    delivery.hasBody = false
  }
}

const outboxes = new WeakMap<KnownFacts, OutboxReference>()

/** The outbox of a run: one for all oracles. */
export const outboxOf = (facts: KnownFacts): OutboxReference => {
  const outbox = outboxes.get(facts) ?? new OutboxReference(facts)
  outboxes.set(facts, outbox)
  return outbox
}
