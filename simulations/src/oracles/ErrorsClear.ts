import type { Oracle } from "./Oracle.ts"

/** Bad input is refused with its status and code, and the message names what is wrong with what. [ERR-2, ERR-3] */
export const errorsClear: Oracle = {
  name: "errors clear",
  instantiate: (facts) => ({
    answered: ({ body, call, response }) => {
      const { meaning } = call
      if (meaning.means !== "bad" || response.status >= 500 || response.status === 429) return null
      facts.coverageMarks.add("bad input was refused")
      const { url } = call.request
      if (response.status !== meaning.status)
        return `${url} was answered ${response.status}, not ${meaning.status}`
      if (body?.error?.code !== meaning.code)
        return `${url} was answered ${body?.error?.code}, not ${meaning.code}`
      return meaning.names === null || body.error.message.includes(meaning.names)
        ? null
        : `${url}: "${body.error.message}" does not name ${meaning.names}`
    }
  })
}
