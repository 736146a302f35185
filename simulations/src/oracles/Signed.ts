import { Signing } from "@lead-signals/webhook"
import type { Oracle } from "./Oracle.ts"

/** Every post bears a signature of its webhook's secret, made at that time. [DELIV-1] */
export const signed: Oracle = {
  name: "signed",
  watch: (ledger) =>
    ledger.watch(({ at, body, headers, id, webhook }) => {
      const refusal = Signing.refusal(webhook.secret, headers, body, at)
      if (refusal !== null) ledger.violate("signed", `${id}: ${refusal}`)
    })
}
