/**
 * A naive outbox: an array of deliveries that is walked for every query, written from docs/specification.md alone. It shares no
 * code with the stores and rules that it checks. Ids are learnt from the store when a delivery is first seen.
 */

/** A delivery as the naive outbox has it. */
export interface ReferenceDelivery {
  /** The id that the store gave; null until it is learnt, and again after an erasure made it another. */
  id: string | null
  /** The webhook that it goes to. */
  webhook: ReferenceWebhook
  /** The type of the event, or a test. */
  event: "lead2.created" | "activity.detected" | "webhook.test"
  /** The external id of the person that the event is about; null on a test. */
  person: string | null
  /** The engagement that fired the event; null on a test. */
  engagementId: string | null
  /** Whether it is still to be attempted, and how it ended if not. */
  state: "pending" | "delivered" | "dead"
  /** Attempts made. */
  attempts: number
  /** Failed attempts since it was queued or its webhook was last enabled. */
  failures: number
  /** When the first of those failed, in milliseconds; null without any. */
  failingSince: number | null
  /** Whether it keeps its place among its person's: it was queued by its event, while its webhook was ordered. */
  isOrdered: boolean
  /** When it is due, or until when it is held, in milliseconds; null once it is delivered or dead. */
  dueAt: number | null
  /** The token of the lease that holds it; null while none does. */
  holder: string | null
  /** Its webhook was enabled after it was taken. */
  isOfEarlier: boolean
  /** When it was queued, in milliseconds. */
  createdAt: number
  /** When it was delivered or died; null while it is pending. */
  finishedAt: number | null
  /** The delivery that it sends again. */
  resendOf: ReferenceDelivery | null
  /** The delivery that sent it again. */
  resentAs: ReferenceDelivery | null
  /** The JSON text of its body; null until its first lease, and once it is delivered or dead. */
  body: string | null
  /** Its attempts, in order. */
  log: Array<{ at: number; status: number; response: string | null; batchId: string | null }>
}

/** A webhook as the naive outbox has it. */
export interface ReferenceWebhook {
  /** The id that the store gave. */
  id: string
  /** The event types that it subscribes to. */
  events: ReadonlyArray<string>
  /** While false, its deliveries are held. */
  enabled: boolean
  /** The first failure since its last success, in milliseconds; null without one. */
  failingSince: number | null
  /** Whether the events of one person wait for each other. */
  ordering: "none" | "lead"
  /** Seconds for which a failing delivery holds the next ones of its person back; null: as long as its retries last. */
  maxDelay: number | null
  /** Whether the operator deleted it. */
  deleted: boolean
}

interface ReferenceEngagement {
  id: string
  person: string
  author: string | null
  trackedAt: number
}

/** A naive outbox of one brand. */
export class ReferenceDeliveries {
  /** An empty outbox. `waitMillis` says how long after each failure the next attempt is due. */
  constructor(readonly waitMillis: ReadonlyArray<number>) {}

  /** The webhooks that were created. */
  webhooks: Array<ReferenceWebhook> = []
  /** The deliveries that the store must have. */
  deliveries: Array<ReferenceDelivery> = []
  /** The engagements that were recorded. */
  engagements: Array<ReferenceEngagement> = []
  /** The events that were fired. */
  fired: Array<{ event: "lead2.created" | "activity.detected"; person: string; engagementId: string }> = []
  /** The external ids of erased persons. */
  erased: Array<string> = []

  /** Queues a delivery of an event or a test that is due at once. */
  queue(
    webhook: ReferenceWebhook,
    of: Pick<ReferenceDelivery, "event" | "person" | "engagementId">,
    now: number,
    resendOf: ReferenceDelivery | null = null,
    isOrdered = false
  ): ReferenceDelivery {
    const delivery: ReferenceDelivery = {
      id: null,
      webhook,
      event: of.event,
      person: of.person,
      engagementId: of.engagementId,
      state: "pending",
      attempts: 0,
      failures: 0,
      failingSince: null,
      isOrdered,
      dueAt: now,
      holder: null,
      isOfEarlier: false,
      createdAt: now,
      finishedAt: null,
      resendOf,
      resentAs: null,
      body: null,
      log: []
    }
    this.deliveries.push(delivery)
    if (resendOf !== null) resendOf.resentAs = delivery
    return delivery
  }

  /**
   * Records an engagement and queues what it fires; a repetition or an erased person does nothing. [EVT-2, EVT-3,
   * EVT-8]
   */
  observe(person: string, id: string, author: string | null, now: number): void {
    if (this.erased.includes(person) || this.engagements.some((each) => each.id === id)) return
    const events: Array<"lead2.created" | "activity.detected"> = this.engagements.some(
      (each) => each.person === person
    )
      ? ["activity.detected"]
      : ["lead2.created", "activity.detected"]
    const known = author !== null && this.erased.includes(author) ? null : author
    this.engagements.push({ id, person, author: known, trackedAt: now })
    for (const event of events) {
      this.fired.push({ event, person, engagementId: id })
      for (const webhook of this.webhooks) {
        if (webhook.deleted || !webhook.events.includes(event)) continue
        this.queue(webhook, { event, person, engagementId: id }, now, null, webhook.ordering === "lead")
      }
    }
  }

  /** The ids of the engagements that a body made now would show. [EVT-3, EVT-5] */
  rendered({ engagementId, event, person }: ReferenceDelivery): Array<string> {
    if (event === "webhook.test") return []
    if (event === "activity.detected") return [engagementId!]
    return this.engagements
      .filter((each) => each.person === person)
      .sort((a, b) => b.trackedAt - a.trackedAt || (a.id < b.id ? 1 : -1))
      .slice(0, 20)
      .map(({ id }) => id)
  }

  /** The deliveries before an ordered one, of its webhook and person. */
  private before(delivery: ReferenceDelivery): Array<ReferenceDelivery> {
    return this.deliveries
      .slice(0, this.deliveries.indexOf(delivery))
      .filter(
        ({ isOrdered, person, webhook }) =>
          delivery.isOrdered && isOrdered && person === delivery.person && webhook === delivery.webhook
      )
  }

  /** Whether it waits for an earlier delivery of its person. [ORD-2] */
  waits(delivery: ReferenceDelivery): boolean {
    return delivery.state === "pending" && this.before(delivery).some(({ state }) => state === "pending")
  }

  /** The ids of the dead letters before it, since the last delivered. [ORD-5] */
  skipped(delivery: ReferenceDelivery): Array<string> {
    const before = this.before(delivery)
    return before
      .slice(before.findLastIndex(({ state }) => state === "delivered") + 1)
      .map(({ id }) => id!)
      .slice(-50)
  }

  /** Chooses the order of a webhook; one that is ordered no longer forgets the places of what is pending. [ORD-1] */
  order(webhook: ReferenceWebhook, ordering: "none" | "lead", maxDelay: number | null, now: number): void {
    Object.assign(webhook, { ordering, maxDelay })
    if (ordering === "lead") return
    for (const delivery of this.deliveries) {
      if (delivery.webhook !== webhook || delivery.state !== "pending" || !delivery.isOrdered) continue
      this.release(delivery, now)
      delivery.isOrdered = false
    }
  }

  /** What waited is due as of when it was queued, but not later than now, also where a clock was set back since it was queued. [ORD-2] */
  private release(delivery: ReferenceDelivery, now: number): void {
    if (delivery.attempts === 0 && delivery.holder === null)
      delivery.dueAt = Math.min(delivery.createdAt, now)
  }

  /** Lets the next one of an ended delivery's person go on. [ORD-2] */
  private releaseNext(ended: ReferenceDelivery, now: number): void {
    const next = this.deliveries.find((each) => each.state === "pending" && this.before(each).includes(ended))
    if (next !== undefined && !this.waits(next)) this.release(next, now)
  }

  /** The webhook's due deliveries in the order in which a lease takes them. */
  due(webhook: ReferenceWebhook, now: number): Array<ReferenceDelivery> {
    if (!webhook.enabled || webhook.deleted) return []
    return this.deliveries
      .map((delivery, i) => ({ delivery, i }))
      .filter(
        ({ delivery }) =>
          delivery.webhook === webhook &&
          delivery.state === "pending" &&
          delivery.dueAt! <= now &&
          !this.waits(delivery)
      )
      .sort((a, b) => a.delivery.dueAt! - b.delivery.dueAt! || a.i - b.i)
      .map(({ delivery }) => delivery)
  }

  /** When the next delivery of any enabled webhook becomes due after `now`; null when none does. */
  nextDueAt(now: number): number | null {
    const later = this.deliveries
      .filter(({ state, webhook }) => state === "pending" && webhook.enabled && !webhook.deleted)
      .filter((delivery) => !this.waits(delivery))
      .map(({ dueAt }) => dueAt!)
      .filter((dueAt) => dueAt > now)
    return later.length === 0 ? null : Math.min(...later)
  }

  /**
   * The webhook's dead deliveries that `recover` must queue: those that died at or after `since` and were not sent
   * again, of tests and of the given events, in the order in which they died. [DELIV-8]
   */
  dead(
    webhook: ReferenceWebhook,
    since: number,
    events: ReadonlyArray<string>
  ): ReadonlyArray<ReferenceDelivery> {
    return this.deliveries
      .map((delivery, i) => ({ delivery, i }))
      .filter(({ delivery: each }) => each.webhook === webhook && each.state === "dead")
      .filter(({ delivery: { event } }) => event === "webhook.test" || events.includes(event))
      .filter(({ delivery: each }) => each.resentAs === null && each.finishedAt! >= since)
      .sort((a, b) => a.delivery.finishedAt! - b.delivery.finishedAt! || a.i - b.i)
      .map(({ delivery }) => delivery)
  }

  /** Records an attempt: logs it, and moves delivery and webhook on if it still counts. [DELIV-3, DELIV-4] */
  settle(
    delivery: ReferenceDelivery,
    holder: string,
    { batchId, response, status }: { status: number; response: string | null; batchId: string | null },
    now: number
  ): void {
    if (!this.deliveries.includes(delivery)) return
    delivery.attempts++
    delivery.log.push({ at: now, status, response, batchId })
    const fine = status >= 200 && status < 300
    if (delivery.state !== "pending" || (!fine && delivery.holder !== holder)) return
    const isOfEarlier = delivery.isOfEarlier && delivery.holder === holder
    Object.assign(delivery, { holder: null, isOfEarlier: false })
    const { webhook } = delivery
    if (fine) {
      Object.assign(delivery, { state: "delivered", dueAt: null, finishedAt: now, body: null })
      this.releaseNext(delivery, now)
      if (!isOfEarlier) webhook.failingSince = null
      return
    }
    if (!isOfEarlier) webhook.failingSince ??= now
    if (status === 410) {
      delivery.dueAt = now
      if (!isOfEarlier) webhook.enabled = false
    } else if (delivery.failures < this.waitMillis.length && !this.isOverdue(delivery, now)) {
      delivery.failingSince ??= now
      delivery.dueAt = Math.min(now + this.waitMillis[delivery.failures]!, this.lastsUntil(delivery))
      delivery.failures++
    } else {
      Object.assign(delivery, { state: "dead", dueAt: null, finishedAt: now, body: null })
      this.releaseNext(delivery, now)
    }
  }

  /** Until when a failing delivery that has failed may be attempted. [ORD-4] */
  private lastsUntil({ failingSince, isOrdered, webhook }: ReferenceDelivery): number {
    return webhook.ordering === "lead" && isOrdered && webhook.maxDelay !== null && failingSince !== null
      ? failingSince + webhook.maxDelay * 1000
      : Number.POSITIVE_INFINITY
  }

  private isOverdue(delivery: ReferenceDelivery, now: number): boolean {
    return now >= this.lastsUntil(delivery)
  }

  /** Enables or disables the webhook; enabling starts fresh. [DELIV-4] */
  enable(webhook: ReferenceWebhook, enabled: boolean, now: number): void {
    if (enabled && !webhook.enabled) {
      webhook.failingSince = null
      for (const delivery of this.deliveries) {
        if (delivery.webhook !== webhook || delivery.state !== "pending") continue
        Object.assign(delivery, { failures: 0, failingSince: null })
        delivery.isOfEarlier = delivery.holder !== null
        if (delivery.holder === null) delivery.dueAt = Math.min(delivery.dueAt!, now)
      }
    }
    webhook.enabled = enabled
  }

  /** Deletes the webhook with its deliveries. */
  delete(webhook: ReferenceWebhook): void {
    webhook.deleted = true
    this.deliveries = this.deliveries.filter((delivery) => delivery.webhook !== webhook)
  }

  /**
   * Removes everything of the person. Answers the deliveries that must get another id, and how many responses to batches were removed from the
   * logs of other deliveries. [PII-3]
   */
  erase(person: string): { readonly renamed: Array<ReferenceDelivery>; readonly blanked: number } {
    this.erased.push(person)
    const own = this.deliveries.filter((delivery) => delivery.person === person)
    this.deliveries = this.deliveries.filter((delivery) => delivery.person !== person)
    this.fired = this.fired.filter((each) => each.person !== person)
    this.engagements = this.engagements.filter((each) => each.person !== person)
    const read = this.engagements.filter(({ author }) => author === person)
    const readers = new Set(read.map((each) => each.person))
    for (const engagement of this.engagements) if (engagement.author === person) engagement.author = null
    const rendered = new Set(read.map(({ id }) => id))
    const concerned = this.deliveries.filter(
      ({ engagementId, event, person: reader }) =>
        reader !== null && readers.has(reader) && (event === "lead2.created" || rendered.has(engagementId!))
    )
    for (const { log } of concerned) for (const attempt of log) attempt.response = null
    const blanked = this.blankBatches([...own, ...concerned])
    const renamed = concerned.filter(({ body }) => body !== null)
    for (const delivery of renamed) Object.assign(delivery, { id: null, body: null, holder: null })
    return { renamed, blanked }
  }

  /** Blanks the answers to the posts that had one of these deliveries beside others: each of those has the same answer. [PII-3, BATCH-3] */
  private blankBatches(of: ReadonlyArray<ReferenceDelivery>): number {
    const ids = new Set(of.flatMap(({ log }) => log).map(({ batchId }) => batchId))
    const shared = this.deliveries
      .flatMap(({ log }) => log)
      .filter(({ batchId, response }) => batchId !== null && response !== null && ids.has(batchId))
    for (const attempt of shared) attempt.response = null
    return shared.length
  }
}
