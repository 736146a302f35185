import type { KnownFacts, ReceivedPost } from "../world/KnownFacts.ts"
import type { Checks } from "./Checks.ts"
import type { Oracle } from "./Oracle.ts"

/** What a receiver has seen of one lead's deliveries that keep their places. */
interface Lane {
  /** By id, in the order in which they first came. */
  readonly deliveries: Map<string, { isDone: boolean }>
  /** createdAt of the newest that came. */
  newest: string
}

const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status <= 299

/** Whether the service's clock or its memory of the past was tampered with: times, or deliveries, then say nothing. */
const clocksWander = ({ plan }: KnownFacts): boolean =>
  plan.scheduledFaults.some(({ fault }) => fault === "clock" || fault === "drift" || fault === "failover")

/**
 * By what a receiver sees of a webhook that is ordered: the next event of a lead comes when the one before was taken, or is named as skipped;
 * and none comes after a younger one. What is sent again, and tests, say that they keep no place. [ORD-2, ORD-3, ORD-5]
 */
const ofReceivers = (facts: KnownFacts, checks: Checks) => {
  const one = checks.rule("a lead's events come one after the other")
  const young = checks.rule("no event overtakes an older one of its lead")
  const lanes = new Map<string, Lane>()
  const wanders = clocksWander(facts)
  return ({ envelope, headers, id, status, webhook }: ReceivedPost): string | null => {
    if (webhook.ordering !== "lead" || headers["lead-signals-ordering"] !== "lead") return null
    const leadId: number = envelope.data.lead2.id
    const name = `${webhook.id} ${leadId}`
    const lane = lanes.get(name) ?? { deliveries: new Map<string, { isDone: boolean }>(), newest: "" }
    lanes.set(name, lane)
    const skipped = (headers["lead-signals-skipped"] ?? "").split(" ")
    for (const each of skipped) lane.deliveries.set(each, { isDone: true })
    const known = lane.deliveries.get(id)
    if (known !== undefined) {
      known.isDone ||= isSuccess(status)
      return null
    }
    const open = [...lane.deliveries].find(([, { isDone }]) => !isDone)?.[0]
    lane.deliveries.set(id, { isDone: isSuccess(status) })
    if (lane.deliveries.size > 2) facts.coverageMarks.add("events of a lead came in order")
    if (skipped[0] !== "") facts.coverageMarks.add("an event of a lead was skipped")
    // Whoever erases an author gives what is under way about the posts a new id.
    if (facts.brandOf(webhook.brandId)!.reference.renewed.has(leadId)) {
      one.weaken("an erasure gave deliveries other ids")
      return null
    }
    if (wanders) young.weaken("times say nothing")
    else {
      young.judged++
      if (envelope.createdAt < lane.newest)
        return `${id} of ${envelope.createdAt} came after one of ${lane.newest} of lead ${leadId}`
      if (envelope.event === "lead2.created" && lane.newest !== "" && facts.plan.retention === undefined)
        return `lead ${leadId} was created after it was seen`
      lane.newest = envelope.createdAt
    }
    if (facts.plan.retention !== undefined || wanders) one.weaken("dead letters may be gone")
    else {
      one.judged++
      if (open !== undefined) return `${id} of lead ${leadId} came before ${open} was taken or skipped`
    }
    return null
  }
}

/** The order that a webhook asked for. */
export const leadsInOrder: Oracle = {
  name: "leads in order",
  instantiate: (facts, checks) => ({ posted: ofReceivers(facts, checks) })
}
