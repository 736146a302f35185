import type { Oracle } from "./Oracle.ts"

/** Nothing of one brand is ever seen by another: not by its receivers, not by its clients. [AUTH-3, EVT-7] */
export const brandsApart: Oracle = {
  name: "brands apart",
  instantiate: (facts) => {
    /** The first external id in the text that is another brand's. */
    const foreign = (text: string, brandIndex: number): string | null => {
      for (const [id, index] of text.matchAll(/\bb(\d+)-p\d+\./g)) if (Number(index) !== brandIndex) return id
      return null
    }
    return {
      answered: ({ call, response }) => {
        if (call.brand === null) return null
        const found = foreign(response.text, call.brand.index)
        if (found !== null) return `${call.party} was answered with ${found}`
        return call.meaning.means === "cross" && response.status !== 404 && response.status < 500
          ? `${call.party} asked for another brand's, and was answered ${response.status}`
          : null
      },
      posted: ({ body, envelope, webhook }) => {
        const brand = facts.brandOf(webhook.brandId)!
        if (envelope.brandId !== brand.id)
          return `a webhook of brand ${brand.id} got an event of ${envelope.brandId}`
        const found = foreign(body, brand.index)
        return found === null ? null : `a webhook of brand ${brand.index} was sent ${found}`
      }
    }
  }
}
