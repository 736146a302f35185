import type { Oracle } from "./Oracle.ts"

/**
 * lead2.created once per person, activity.detected once per engagement, but for what was sent again on purpose; the first
 * engagement alone says it is; and a webhook gets what it subscribed to. Where the store is seen, `deliveries kept` compares what is
 * sent again with what was asked for. [EVT-2, EVT-3, EVT-7, EVT-9]
 */
export const oneEventEach: Oracle = {
  name: "one event each",
  instantiate: (facts, checks) => {
    const events = checks.rule("each event once, by what a receiver sees")
    const first = checks.rule("one first activity for each person")
    const ids = new Map<string, Set<string>>()
    const surplus = new Map<string, number>()
    const firsts = new Map<string, string>()
    return {
      posted: ({ envelope, id, subject, webhook }) => {
        const { data, event } = envelope
        if (event === "webhook.test") return null
        if (!facts.isStoreSeen && !webhook.events.includes(event))
          return `the ${webhook.behaviour} webhook got ${event} unasked`
        // The engagement of somebody erased can be seen again as another person's.
        const known = `${webhook.id} ${subject} ${data.lead2.id}`
        const seen = ids.get(known) ?? new Set<string>()
        ids.set(known, seen)
        if (!seen.has(id)) {
          // The erasure of an author gives what is under way about the posts a new id.
          const isRenewed = facts.brandOf(webhook.brandId)!.reference.renewed.has(data.lead2.id)
          if (seen.size > 0 && !isRenewed) surplus.set(webhook.id, (surplus.get(webhook.id) ?? 0) + 1)
          seen.add(id)
        }
        if (webhook.resends !== Number.POSITIVE_INFINITY || facts.isStoreSeen) events.judged++
        else events.weaken("everything that died was sent again on purpose")
        if ((surplus.get(webhook.id) ?? 0) > webhook.resends) return `${subject} came as two events`
        if (event !== "activity.detected" || data.isFirstActivity !== true) return null
        first.judged++
        // A person whose lead was pruned is new again.
        const person = `${webhook.id} ${data.lead2.extId}${facts.plan.retention === undefined ? "" : ` ${data.lead2.id}`}`
        const engagement = firsts.get(person) ?? data.engagements[0].id
        firsts.set(person, engagement)
        return engagement === data.engagements[0].id ? null : `${data.lead2.extId} had two first activities`
      }
    }
  }
}
