import type { Oracle } from "./Oracle.ts"

/** Nothing of one brand is ever seen by another: not by its receivers, not by its clients. [AUTH-3, EVT-7] */
export const brandsApart: Oracle = {
  name: "brands apart",
  watch: (ledger) =>
    ledger.watch(({ envelope, webhook }) => {
      const { brandId, data } = envelope
      if (brandId !== webhook.brandId || !data.lead2.extId.startsWith(`b${webhook.brandId}-`)) {
        ledger.violate(
          "brands apart",
          `a webhook of brand ${webhook.brandId} got ${data.lead2.extId} of ${brandId}`
        )
      }
    }),
  conclude: ({ clients }) => {
    for (const { brandId, mirror } of clients) {
      for (const { extId } of mirror.values()) {
        if (!extId.startsWith(`b${brandId}-`)) return `a client of brand ${brandId} saw ${extId}`
      }
    }
    return null
  }
}
