import type { Oracle } from "./Oracle.ts"

/** Every acknowledged engagement's events were taken by every webhook of the brand, or are in the dead letters. [DELIV-2] */
export const everythingArrives: Oracle = {
  name: "everything arrives",
  conclude: ({ ledger }) => {
    const taken = new Set<string>()
    for (const { envelope, status, webhook } of ledger.received) {
      if (status === null || status < 200 || status > 299) continue
      const { data, event } = envelope
      taken.add(
        `${webhook.id} ${event} ${event === "lead2.created" ? data.lead2.extId : data.engagements[0].id}`
      )
    }
    for (const { acknowledged, brandId, id, person } of ledger.sent.values()) {
      // What was owed to the erased is owed no more.
      if (ledger.erasing.has(person)) continue
      if (!acknowledged) return `${id} was never acknowledged`
      for (const webhook of ledger.webhooks.filter((each) => each.brandId === brandId)) {
        for (const event of [`activity.detected ${id}`, `lead2.created ${person}`]) {
          const what = `${webhook.id} ${event}`
          if (!taken.has(what) && !ledger.dead.has(what))
            return `the ${webhook.persona} webhook never got ${event}`
        }
      }
    }
    return null
  }
}
