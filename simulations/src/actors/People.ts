/** People who are seen engaging: what is seen of them is sent in, and again when nobody knows whether it was taken. */
import { Effect } from "effect"
import type { Sighting } from "../plan/Plan.ts"
import type { KnownBrand } from "../world/KnownFacts.ts"
import { bodyOf, type Caller, persistently, type ActorContext } from "./ActorContext.ts"

export const observe = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  seen: ReadonlyArray<Sighting>,
  isNew: boolean
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { facts } = context
    if (isNew) facts.engagements += seen.length
    const response = yield* persistently(context, caller, {
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
      return facts.violate("calls succeed", `observations: ${response.status} ${response.text}`)
    }
    for (const [i, { leadId, outcome }] of bodyOf(response).data.entries()) {
      const { extId } = seen[i]!.person
      if (leadId !== null) brand.leadIds.set(extId, leadId)
      if (outcome === "duplicate" && isNew)
        facts.coverageMarks.add("an observation was taken, and sent again")
      if (outcome === "duplicate" && !isNew) facts.coverageMarks.add("an engagement was seen twice")
      if (outcome === "suppressed") {
        facts.coverageMarks.add("somebody erased was seen again")
        if (!facts.erasing.has(extId)) facts.violate("observations are taken", `${extId} was suppressed`)
      }
      if (outcome === "rejected") facts.violate("observations are taken", `${extId} was rejected`)
    }
  })
