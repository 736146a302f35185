import { Signing } from "@lead-signals/webhook"
import type { Oracle } from "./Oracle.ts"

/**
 * Every post bears a signature of its webhook's secret, made at that time; by a service whose clock has jumped, at the
 * time that it took it to be. [DELIV-1]
 */
export const signed: Oracle = {
  name: "signed",
  watch: (ledger) =>
    ledger.watch(({ at, body, headers, id, webhook }) => {
      const said = Number(headers["webhook-timestamp"]) * 1000
      const judgedAt = ledger.marks.has("the clock jumped") ? said : at
      const refusal = Signing.refusal(webhook.secret, headers, body, judgedAt)
      if (refusal !== null) ledger.violate("signed", `${id}: ${refusal}`)
    })
}
