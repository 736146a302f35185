/** When nothing goes wrong any more, the operator sends dead letters again, and they come or die once more. [DELIV-8] */
import { Effect } from "effect"
import type { ActorContext } from "./actors/ActorContext.ts"
import { caller } from "./actors/OperatorCalls.ts"
import * as WebhookOwner from "./actors/WebhookOwner.ts"
import { drain } from "./DrainPhase.ts"
import type { Json, KnownBrand } from "./world/KnownFacts.ts"

/** Recovers what died of each webhook since an instant between the creation of one that died and its death, and waits until nothing is owed. */
export const recoverDeadLetters = (
  context: ActorContext,
  brands: ReadonlyArray<KnownBrand>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (const brand of brands) {
      const by = caller({ party: `operator ${brand.index}`, label: `recovery ${brand.index}` })
      for (const [i, webhook] of brand.webhooks.entries()) {
        const listed = yield* WebhookOwner.listDeliveries(
          context,
          by(`dead ${i}`),
          brand,
          webhook,
          "state=dead"
        )
        const dead = listed.filter(({ resentAs }: Json) => resentAs === null)
        if (dead.length === 0) continue
        const { createdAt, finishedAt } = dead[Math.floor(dead.length / 2)]
        const since = new Date(Math.floor((Date.parse(createdAt) + Date.parse(finishedAt)) / 2)).toISOString()
        const queued = yield* WebhookOwner.recoverSince(context, by(`recover ${i}`), brand, webhook, since)
        if (queued > 0) context.facts.coverageMarks.add("dead letters were recovered in the end")
      }
    }
    for (const brand of brands) yield* drain(context, brand, "drain after recovery of")
  })
