/** People who are seen engaging: what is seen of them is sent in, and again when nobody knows whether it was taken. */
import { Effect } from "effect"
import type { Sighting } from "../plan/Plan.ts"
import type { StagedBrand } from "../world/Ledger.ts"
import { bodyOf, type Caller, persistently, type Stage } from "./Stage.ts"

export const observe = (
  stage: Stage,
  caller: Caller,
  brand: StagedBrand,
  seen: ReadonlyArray<Sighting>,
  isNew: boolean
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { ledger } = stage
    if (isNew) ledger.engagements += seen.length
    const response = yield* persistently(stage, caller, {
      method: "POST",
      route: "/operator/brands/{brandId}/observations",
      params: { brandId: brand.id },
      body: {
        observations: seen.map(({ signal, ...rest }) => ({ ...rest, signalId: brand.signalIds[signal]! }))
      },
      brand,
      meaning: { means: "observe", seen }
    })
    if (response.status !== 200) {
      return ledger.violate("calls succeed", `observations: ${response.status} ${response.text}`)
    }
    for (const [i, { leadId, outcome }] of bodyOf(response).data.entries()) {
      const { extId } = seen[i]!.person
      if (leadId !== null) brand.leadIds.set(extId, leadId)
      if (outcome === "duplicate" && isNew) ledger.marks.add("an observation was taken, and sent again")
      if (outcome === "duplicate" && !isNew) ledger.marks.add("an engagement was seen twice")
      if (outcome === "suppressed") {
        ledger.marks.add("somebody erased was seen again")
        if (!ledger.erasing.has(extId)) ledger.violate("observations are taken", `${extId} was suppressed`)
      }
      if (outcome === "rejected") ledger.violate("observations are taken", `${extId} was rejected`)
    }
  })
