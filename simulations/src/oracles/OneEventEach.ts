import type { Oracle } from "./Oracle.ts"

/** lead2.created once per person, activity.detected once per engagement; the first engagement alone says it is. [EVT-2, EVT-3] */
export const oneEventEach: Oracle = {
  name: "one event each",
  watch: (ledger) => {
    const ids = new Map<string, string>()
    const firsts = new Map<string, string>()
    ledger.watch(({ envelope, id, webhook }) => {
      const { data, event } = envelope
      const of = event === "lead2.created" ? data.lead2.extId : data.engagements[0].id
      const known = `${webhook.url} ${event} ${of}`
      if ((ids.get(known) ?? id) !== id)
        ledger.violate("one event each", `${event} of ${of} came as two events`)
      ids.set(known, id)
      if (event !== "activity.detected" || data.isFirstActivity !== true) return
      const person = `${webhook.url} ${data.lead2.extId}`
      if ((firsts.get(person) ?? of) !== of) {
        ledger.violate("one event each", `${data.lead2.extId} had two first activities`)
      }
      firsts.set(person, of)
    })
  }
}
