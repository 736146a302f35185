/**
 * A naive outbox: an array of deliveries that is walked for every question, written from docs/specification.md alone. It shares no
 * code with the stores and rules that it checks. Ids are learnt from the store when a delivery is first seen.
 */

export interface ReferenceDelivery {
  id: string | null
  webhook: ReferenceWebhook
  event: "lead2.created" | "activity.detected" | "webhook.test"
  person: string | null
  engagementId: string | null
  state: "pending" | "delivered" | "dead"
  attempts: number
  failures: number
  dueAt: number | null
  holder: string | null
  /** Its webhook was enabled after it was taken. */
  isOfEarlier: boolean
  createdAt: number
  finishedAt: number | null
  resendOf: ReferenceDelivery | null
  resentAs: ReferenceDelivery | null
  body: string | null
  log: Array<{ status: number; response: string | null }>
}

export interface ReferenceWebhook {
  id: string
  events: ReadonlyArray<string>
  enabled: boolean
  failingSince: number | null
  deleted: boolean
}

interface ReferenceEngagement {
  id: string
  person: string
  author: string | null
  trackedAt: number
}

export class ReferenceDeliveries {
  /** How long after each failure the next attempt is due. */
  constructor(readonly waitMillis: ReadonlyArray<number>) {}

  webhooks: Array<ReferenceWebhook> = []
  deliveries: Array<ReferenceDelivery> = []
  engagements: Array<ReferenceEngagement> = []
  fired: Array<{ event: "lead2.created" | "activity.detected"; person: string; engagementId: string }> = []
  erased: Array<string> = []

  queue(
    webhook: ReferenceWebhook,
    of: Pick<ReferenceDelivery, "event" | "person" | "engagementId">,
    now: number,
    resendOf: ReferenceDelivery | null = null
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
        this.queue(webhook, { event, person, engagementId: id }, now)
      }
    }
  }

  /** The engagements that a body made now would show. */
  shown({ engagementId, event, person }: ReferenceDelivery): Array<string> {
    if (event === "webhook.test") return []
    if (event === "activity.detected") return [engagementId!]
    return this.engagements
      .filter((each) => each.person === person)
      .sort((a, b) => b.trackedAt - a.trackedAt || (a.id < b.id ? 1 : -1))
      .slice(0, 20)
      .map(({ id }) => id)
  }

  due(webhook: ReferenceWebhook, now: number): Array<ReferenceDelivery> {
    if (!webhook.enabled || webhook.deleted) return []
    return this.deliveries
      .map((delivery, i) => ({ delivery, i }))
      .filter(
        ({ delivery }) =>
          delivery.webhook === webhook && delivery.state === "pending" && delivery.dueAt! <= now
      )
      .sort((a, b) => a.delivery.dueAt! - b.delivery.dueAt! || a.i - b.i)
      .map(({ delivery }) => delivery)
  }

  nextDueAt(now: number): number | null {
    const later = this.deliveries
      .filter(({ state, webhook }) => state === "pending" && webhook.enabled && !webhook.deleted)
      .map(({ dueAt }) => dueAt!)
      .filter((dueAt) => dueAt > now)
    return later.length === 0 ? null : Math.min(...later)
  }

  /** Those that died at or after `since`, were not sent again, and are tests or of the events; the first that died first. */
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

  settle(
    delivery: ReferenceDelivery,
    holder: string,
    status: number,
    response: string | null,
    now: number
  ): void {
    if (!this.deliveries.includes(delivery)) return
    delivery.attempts++
    delivery.log.push({ status, response })
    const fine = status >= 200 && status < 300
    if (delivery.state !== "pending" || (!fine && delivery.holder !== holder)) return
    const isOfEarlier = delivery.isOfEarlier && delivery.holder === holder
    Object.assign(delivery, { holder: null, isOfEarlier: false })
    const { webhook } = delivery
    if (fine) {
      Object.assign(delivery, { state: "delivered", dueAt: null, finishedAt: now, body: null })
      if (!isOfEarlier) webhook.failingSince = null
      return
    }
    if (!isOfEarlier) webhook.failingSince ??= now
    if (status === 410) {
      delivery.dueAt = now
      if (!isOfEarlier) webhook.enabled = false
    } else if (delivery.failures < this.waitMillis.length) {
      delivery.dueAt = now + this.waitMillis[delivery.failures]!
      delivery.failures++
    } else {
      Object.assign(delivery, { state: "dead", dueAt: null, finishedAt: now, body: null })
    }
  }

  enable(webhook: ReferenceWebhook, enabled: boolean, now: number): void {
    if (enabled && !webhook.enabled) {
      webhook.failingSince = null
      for (const delivery of this.deliveries) {
        if (delivery.webhook !== webhook || delivery.state !== "pending") continue
        delivery.failures = 0
        delivery.isOfEarlier = delivery.holder !== null
        if (delivery.holder === null) delivery.dueAt = Math.min(delivery.dueAt!, now)
      }
    }
    webhook.enabled = enabled
  }

  delete(webhook: ReferenceWebhook): void {
    webhook.deleted = true
    this.deliveries = this.deliveries.filter((delivery) => delivery.webhook !== webhook)
  }

  /** Answers the deliveries that must have got another id. */
  erase(person: string): Array<ReferenceDelivery> {
    this.erased.push(person)
    this.deliveries = this.deliveries.filter((delivery) => delivery.person !== person)
    this.fired = this.fired.filter((each) => each.person !== person)
    this.engagements = this.engagements.filter((each) => each.person !== person)
    const read = this.engagements.filter(({ author }) => author === person)
    const readers = new Set(read.map((each) => each.person))
    for (const engagement of this.engagements) if (engagement.author === person) engagement.author = null
    const shown = new Set(read.map(({ id }) => id))
    const concerned = this.deliveries.filter(
      ({ engagementId, event, person: reader }) =>
        reader !== null && readers.has(reader) && (event === "lead2.created" || shown.has(engagementId!))
    )
    for (const { log } of concerned) for (const attempt of log) attempt.response = null
    const renamed = concerned.filter(({ body }) => body !== null)
    for (const delivery of renamed) Object.assign(delivery, { id: null, body: null, holder: null })
    return renamed
  }
}
