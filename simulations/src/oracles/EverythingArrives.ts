import type { Oracle } from "./Oracle.ts"
import { isSuccess } from "./RetrySchedule.ts"

/** Every committed event was taken by every webhook that subscribes to it, or stands in the dead letters. [DELIV-2] */
export const everythingArrives: Oracle = {
  name: "everything arrives",
  instantiate: (facts) => ({
    conclude: () => {
      const taken = new Set(facts.dead)
      for (const { status, subject, webhook } of facts.received) {
        if (isSuccess(status)) taken.add(`${webhook.id} ${subject}`)
      }
      for (const { reference, webhooks } of facts.brands) {
        for (const { engagementId, event, leadId } of reference.events) {
          const extId = reference.rows.find(({ id }) => id === leadId)!.extId
          const subject = `${event} ${event === "lead2.created" ? extId : engagementId}`
          for (const webhook of webhooks) {
            if (webhook.events.includes(event) && !taken.has(`${webhook.id} ${subject}`)) {
              return `the ${webhook.behaviour} webhook never got ${subject}`
            }
          }
        }
      }
      return null
    }
  })
}
