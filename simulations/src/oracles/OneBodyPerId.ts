import type { Oracle } from "./Oracle.ts"

/** The same id is the same bytes, on every retry and after every restart. [EVT-5] */
export const oneBodyPerId: Oracle = {
  name: "one body per id",
  watch: (ledger) => {
    const bodies = new Map<string, string>()
    ledger.watch(({ body, envelope, id }) => {
      if (envelope.id !== id)
        ledger.violate("one body per id", `webhook-id ${id}, but the envelope says ${envelope.id}`)
      if ((bodies.get(id) ?? body) !== body) ledger.violate("one body per id", `${id} came with two bodies`)
      bodies.set(id, body)
    })
  }
}
