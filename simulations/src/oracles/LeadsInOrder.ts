import type { KnownFacts, ReceivedPost } from "../world/KnownFacts.ts"
import type { Checks } from "./Checks.ts"
import type { Oracle } from "./Oracle.ts"
import { type KnownDelivery, wasHeldBack } from "./OutboxRecords.ts"
import { outboxOf } from "./OutboxReference.ts"

/** A delivery that came, with the id under which it came first. */
interface Came {
  readonly key: KnownDelivery | string
  readonly id: string
}

/** What a receiver has seen of one lead's deliveries that keep their places. */
interface Lane {
  /**
   * In the order in which they first came. The key is the outbox's delivery, which an erasure can give another id, or the id where nobody sees
   * the store.
   */
  readonly deliveries: Map<KnownDelivery | string, Came>
  /** Those that the receiver has not taken, in the same order. */
  readonly open: Set<Came>
  /** By each id under which it came: a post can still be under way when an erasure has deleted its delivery. */
  readonly byId: Map<string, Came>
  /** When the newest that came was queued: in true time, by its commit, or by its createdAt where nobody sees the store. */
  newest: number
}

const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status <= 299

/** Whether the delivery has died by a later attempt while the post was on its way, since the lease of the post had run out. */
const hasDiedMeanwhile = (facts: KnownFacts, delivery: KnownDelivery, { id, sent }: ReceivedPost): boolean =>
  delivery.state === "dead" && (outboxOf(facts).leases.get(id) ?? []).some(({ at }) => at > sent.at)

/** Whether a failover has lost deliveries: what came before then says nothing of what follows. */
const losesDeliveries = ({ plan }: KnownFacts): boolean =>
  plan.scheduledFaults.some((each) => each.fault === "failover" && each.lostMillis > 0)

/** Whether createdAt can go back: a clock was tampered with, or a commit of a networked store came later than its time. */
const clocksWander = ({ plan }: KnownFacts): boolean =>
  plan.networkedStore === true ||
  plan.scheduledFaults.some(({ fault }) => fault === "clock" || fault === "drift" || fault === "failover")

/**
 * By what a receiver sees of a webhook that is ordered: the next event of a lead comes when the one before was taken, or is named as skipped;
 * and none comes after a younger one. What is sent again, and tests, say that they keep no place. [ORD-2, ORD-3, ORD-5]
 */
const ofReceivers = (facts: KnownFacts, checks: Checks) => {
  const one = checks.rule("a lead's events come one after the other")
  const young = checks.rule("no event overtakes an older one of its lead")
  const seen = checks.rule("an ordered webhook")
  const held = checks.rule("an event that waited for the one before")
  const named = checks.rule("a dead letter that a later post names")
  const lanes = new Map<string, Lane>()
  const webhooks = new Set<string>()
  /** The dead letters that posts of a webhook have named. */
  const skippedAt = new Map<string, Set<string>>()
  const [wanders, isLossy] = [clocksWander(facts), losesDeliveries(facts)]
  // Whether the store is seen shows only when the run has begun.
  const known = (id: string): KnownDelivery | undefined =>
    facts.isStoreSeen ? outboxOf(facts).ids.deliveryOf(id) : undefined

  /** Whether the delivery is known, and did not die. */
  const isAlive = (id: string): boolean => (known(id)?.state ?? "dead") !== "dead"

  const skip = (webhookId: string, ids: ReadonlyArray<string>): ReadonlySet<string> => {
    const known = skippedAt.get(webhookId) ?? new Set<string>()
    skippedAt.set(webhookId, known)
    for (const id of ids) {
      if (known.has(id)) continue
      named.judged++
      known.add(id)
    }
    return known
  }

  return (post: ReceivedPost): string | null => {
    const { envelope, headers, id, index, status, webhook } = post
    if (webhook.ordering !== "lead") return null
    if (!webhooks.has(webhook.id)) seen.judged++
    webhooks.add(webhook.id)
    if ((headers["lead-signals-ordering"] ?? "").split(" ")[index] !== "lead") return null
    const leadId: number = envelope.data.lead2.id
    const name = `${webhook.id} ${leadId}`
    const lane = lanes.get(name) ?? {
      deliveries: new Map(),
      open: new Set(),
      byId: new Map(),
      newest: Number.NEGATIVE_INFINITY
    }
    lanes.set(name, lane)
    const names = headers["lead-signals-skipped"]
    const skipped = skip(webhook.id, names === undefined ? [] : names.split(" "))
    if (names !== undefined) facts.coverageMarks.add("an event of a lead was skipped")
    const alive = index > 0 ? undefined : names?.split(" ").find((each) => isAlive(each))
    if (alive !== undefined) return `${alive} is named as skipped, and is no dead letter`
    const delivery = known(id)
    // The erasure of an author gives what is under way about the posts a new id.
    const isRenewed = facts.brandOf(webhook.brandId)!.reference.renewed.has(leadId)
    if (isRenewed && delivery === undefined) {
      one.weaken("an erasure gave deliveries other ids")
      return null
    }
    const key = delivery ?? id
    const again = lane.deliveries.get(key) ?? lane.byId.get(id)
    if (again !== undefined) {
      lane.byId.set(id, again)
      if (isSuccess(status)) lane.open.delete(again)
      return null
    }
    // The next event need not wait for a post that nobody waits for any more.
    if (delivery !== undefined && hasDiedMeanwhile(facts, delivery, post)) {
      const came = { key, id }
      lane.deliveries.set(key, came)
      lane.byId.set(id, came)
      for (const rule of [one, young])
        rule.weaken("the delivery died by a later attempt while the post was on its way")
      return null
    }
    const open = [...lane.open].find((each) => {
      const id = typeof each.key === "string" ? each.id : (each.key.id ?? each.id)
      // A dead letter that was pruned is named no more.
      return !skipped.has(id) && !facts.prunedDeliveries.has(id)
    })
    if (delivery !== undefined && wasHeldBack(delivery)) held.judged++
    const came = { key, id }
    lane.deliveries.set(key, came)
    if (!isSuccess(status)) lane.open.add(came)
    lane.byId.set(id, came)
    if (lane.deliveries.size > 2) facts.coverageMarks.add("events of a lead came in order")
    if (delivery === undefined && wanders) young.weaken("times say nothing")
    else {
      young.judged++
      const queuedAt = delivery?.queuedAt ?? Date.parse(envelope.createdAt)
      if (queuedAt < lane.newest)
        return `${id} of ${envelope.createdAt} came after one that was queued ${lane.newest - queuedAt} ms later of lead ${leadId}`
      if (envelope.event === "lead2.created" && lane.deliveries.size > 1 && !isLossy)
        return `lead ${leadId} was created after it was seen`
      lane.newest = queuedAt
    }
    if (isLossy) one.weaken("a failover may have lost dead letters")
    else {
      one.judged++
      if (open !== undefined) return `${id} of lead ${leadId} came before ${open.id} was taken or skipped`
    }
    return null
  }
}

/** Each post names the deliveries that it sends again, whatever the webhook's order. [ORD-6] */
const ofResends = (facts: KnownFacts, checks: Checks) => {
  const rule = checks.rule("a post names what it sends again")
  const outbox = outboxOf(facts)
  return ({ headers, index, message: { posts }, webhook }: ReceivedPost): string | null => {
    if (index > 0) return null
    const expected: Array<string> = []
    for (const { envelope, id } of posts) {
      const delivery = outbox.ids.deliveryOf(id)
      const again = delivery?.resendOf
      if (again == null) {
        if (delivery !== undefined) continue
        rule.weaken("an erasure has taken a delivery that is under way")
        return null
      }
      const isRenewed = facts.brandOf(webhook.brandId)!.reference.renewed.has(envelope.data.lead2?.id)
      if (again.id === null || isRenewed) {
        rule.weaken("an erasure gave deliveries other ids")
        return null
      }
      expected.push(again.id)
    }
    rule.judged++
    const said = headers["lead-signals-resend-of"] ?? ""
    return said === expected.join(" ")
      ? null
      : `a post that sends "${expected.join(" ")}" again says "${said}"`
  }
}

/** The order that a webhook asked for. */
export const leadsInOrder: Oracle = {
  name: "leads in order",
  instantiate: (facts, checks) => {
    const [order, resends] = [ofReceivers(facts, checks), ofResends(facts, checks)]
    return { posted: (post) => order(post) ?? (facts.isStoreSeen ? resends(post) : null) }
  }
}
