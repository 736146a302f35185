import type { Oracle } from "./Oracle.ts"

/** What was stored for internal use, and whatever is secret, is in no answer but the one that makes it. [ENG-9, AUTH-4, PII-2] */
export const nothingInternal: Oracle = {
  name: "nothing internal",
  instantiate: () => ({
    answered: ({ call, response }) => {
      if (response.text.includes("internal-raw"))
        return `${call.request.method} ${call.route} shows raw output`
      if (call.meaning.means === "make" || call.meaning.means === "rotate") return null
      const secret = /lsk_[0-9A-Za-z]{38}|whsec_|suppression/.exec(response.text)
      return secret === null ? null : `${call.request.method} ${call.route} shows a secret`
    },
    posted: ({ body }) => (/internal-raw|lsk_|whsec_/.test(body) ? "a post shows what is internal" : null)
  })
}
