import type { Oracle } from "./Oracle.ts"

/** Nothing is ever answered 500, and no answer has a status of its own making. [ERR-2] */
export const noDefects: Oracle = {
  name: "no defects",
  instantiate: () => ({
    answered: ({ call, response }) =>
      response.status === 500 || response.status < 200
        ? `${call.request.method} ${call.route} was answered ${response.status}`
        : null
  })
}
