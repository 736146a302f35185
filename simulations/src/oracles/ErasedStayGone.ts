import type { Oracle } from "./Oracle.ts"

/** An attempt that was under way when the erasure was told can still arrive: its 15 s, and the way there. */
const underWayMillis = 20_000

/** Whoever was erased is never sent again, and is in nobody's answers. [PII-3] */
export const erasedStayGone: Oracle = {
  name: "erased stay gone",
  watch: (ledger) =>
    ledger.watch(({ at, body, webhook }) => {
      for (const [person, erasedAt] of ledger.erased) {
        if (at > erasedAt + underWayMillis && body.includes(`"${person}"`)) {
          ledger.violate("erased stay gone", `the ${webhook.persona} webhook was sent ${person} again`)
        }
      }
    }),
  conclude: ({ ledger, truth }) => {
    for (const leads of truth.values()) {
      for (const { extId } of leads) if (ledger.erased.has(extId)) return `${extId} is listed again`
    }
    return null
  }
}
