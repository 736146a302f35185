/** The operator makes a signal, a campaign and a webhook that nobody needs, and deletes them again. */
import { Effect } from "effect"
import type { KnownBrand } from "../world/KnownFacts.ts"
import { type ActorContext, type Ask, bodyOf, type Caller, once, persistently } from "./ActorContext.ts"
import { caller, type Inspection, look, ofBrand } from "./OperatorCalls.ts"

/** Things that are made for a while: a signal, a campaign, and a webhook that is never sent to. */
const shortLived = {
  signals: {
    name: "For a while",
    signalType: "keywords",
    source: { type: "post-url", value: "https://a.example/1" }
  },
  campaigns: { name: "For a while" },
  webhooks: {
    url: "https://nobody.example/hook",
    events: ["activity.detected", "lead2.created", "lead2.created"],
    description: "For a while",
    enabled: false
  }
}

export const forAWhile = (
  context: ActorContext,
  by: Caller,
  brand: KnownBrand,
  { nth }: Inspection
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const of = caller(by)
    const params = { brandId: brand.id }
    for (const [things, body] of Object.entries(shortLived)) {
      const route = `${ofBrand}/${things}`
      const answer = yield* Effect.either(
        once(context, of(`make ${things}`), {
          method: "POST",
          route,
          params,
          body,
          brand,
          meaning: { means: "make" }
        })
      )
      // When the answer was lost, nobody knows the new id, and the thing stays.
      if (answer._tag === "Left" || answer.right.status !== 201) continue
      const { id } = bodyOf(answer.right).data
      const one: Pick<Ask, "route" | "params" | "brand"> = {
        route: `${route}/{id}`,
        params: { ...params, id },
        brand
      }
      yield* Effect.sleep(1000 * (nth % 60))
      if (things === "webhooks") {
        const change = { description: nth % 2 === 0 ? null : "Changed", events: ["activity.detected"] }
        yield* persistently(context, of("change"), { ...one, method: "PATCH", body: change, meaning: look })
        // What is disabled is not tested.
        const route = `${one.route}/test`
        yield* persistently(context, of("test"), {
          ...one,
          method: "POST",
          route,
          meaning: { means: "make" }
        })
      }
      yield* persistently(context, of(`list ${things}`), { route, params, brand, meaning: look })
      for (const time of ["once", "twice"])
        yield* persistently(context, of(`delete ${things} ${time}`), {
          ...one,
          method: "DELETE",
          meaning: look
        })
    }
  })
