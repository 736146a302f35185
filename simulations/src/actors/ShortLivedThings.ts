/** The operator makes a signal, a campaign and a webhook that nobody needs, and deletes them again. */
import { Effect } from "effect"
import { type Call, created, persistently } from "./ActorContext.ts"
import { caller, type Inspect, look, ofBrand } from "./OperatorCalls.ts"

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

/**
 * Makes each of them, lists them a while later, and deletes it twice: the second time the answer is 404. A webhook is changed and tested before; it is
 * disabled, so the test is refused. What nobody has the id of stays.
 */
export const shortLivedThings: Inspect = (context, by, brand, { nth }) =>
  Effect.gen(function* () {
    const of = caller(by)
    const params = { brandId: brand.id }
    for (const [things, body] of Object.entries(shortLived)) {
      const route = `${ofBrand}/${things}`
      const made = yield* created(context, of(`make ${things}`), {
        method: "POST",
        route,
        params,
        body,
        brand,
        meaning: { means: "make" }
      })
      if (made === null) continue
      const one: Pick<Call, "route" | "params" | "brand"> = {
        route: `${route}/{id}`,
        params: { ...params, id: made.id },
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
