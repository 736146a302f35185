import type { Oracle } from "./Oracle.ts"

/** An attempt that was under way when the erasure was acknowledged can still arrive: its 15 s, and the way there. */
const underWayMillis = 60_000

/** Whoever was erased is never sent again, and is in no answer to what is asked afterwards. [PII-3] */
export const erasedStayGone: Oracle = {
  name: "erased stay gone",
  instantiate: (facts) => ({
    answered: ({ call, response }) => {
      for (const { at, brandId, extId } of facts.erased.values()) {
        if (call.brand?.id !== brandId) continue
        if (call.sentAt > at && call.meaning.means !== "observe" && response.text.includes(extId)) {
          return `${call.request.method} ${call.route} shows ${extId}`
        }
      }
      return null
    },
    posted: ({ at, body, webhook }) => {
      for (const { at: erasedAt, brandId, extId } of facts.erased.values()) {
        if (webhook.brandId === brandId && at > erasedAt + underWayMillis && body.includes(extId)) {
          return `the ${webhook.behaviour} webhook was sent ${extId} again`
        }
      }
      return null
    }
  })
}
