import type { Oracle } from "./Oracle.ts"

/** An attempt that was under way when the erasure was acknowledged can still arrive: its 15 s, and the way there. */
const underWayMillis = 60_000

/** Whoever was erased is never sent again, and is in no answer to what is asked afterwards. [PII-3] */
export const erasedStayGone: Oracle = {
  name: "erased stay gone",
  instantiate: (facts) => ({
    answered: ({ call, response }) => {
      for (const [person, erasedAt] of facts.erased) {
        if (call.sentAt > erasedAt && call.meaning.means !== "observe" && response.text.includes(person)) {
          return `${call.request.method} ${call.route} shows ${person}`
        }
      }
      return null
    },
    posted: ({ at, body, webhook }) => {
      for (const [person, erasedAt] of facts.erased) {
        if (at > erasedAt + underWayMillis && body.includes(person)) {
          return `the ${webhook.behaviour} webhook was sent ${person} again`
        }
      }
      return null
    }
  })
}
