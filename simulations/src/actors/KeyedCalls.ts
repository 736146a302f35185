/** The operator creates something with an Idempotency-Key, and sends the request again in all the ways in which clients do. */
import { Effect } from "effect"
import type { Action } from "../plan/Plan.ts"
import type { KnownBrand } from "../world/KnownFacts.ts"
import { type ActorContext, type Call, type Caller, once, succeeding } from "./ActorContext.ts"

type Keyed = Extract<Action, { do: "keyed" }>

/** The share of actions with another operator whose other requests bear a stored token, too, in place of the environment's. [IDEM-1] */
const storedShare = 0.5

/** The share of the other requests that have another query instead of another body. [IDEM-2] */
const queryShare = 0.3

/** The name of what another body creates. */
const otherName = "Another"

const source = { type: "posts-with-keywords", value: "idempotency" }

const bodies: Readonly<Record<Keyed["what"], (name: string) => Record<string, unknown>>> = {
  brand: (name) => ({ name }),
  token: (name) => ({ name, scopes: ["read"] }),
  key: (label) => ({ label }),
  signal: (name) => ({ name, signalType: "keywords", source }),
  campaign: (name) => ({ name }),
  // Nobody receives what it would be sent.
  webhook: (description) => ({
    url: "https://nobody.example/keyed",
    events: ["lead2.created"],
    description,
    enabled: false
  }),
  recovery: (name) => ({ since: `2026-01-0${name === otherName ? 2 : 1}T00:00:00.000Z` })
}

const routes: Readonly<Record<Keyed["what"], string>> = {
  brand: "/operator/brands",
  token: "/operator/tokens",
  key: "/operator/brands/{brandId}/keys",
  signal: "/operator/brands/{brandId}/signals",
  campaign: "/operator/brands/{brandId}/campaigns",
  webhook: "/operator/brands/{brandId}/webhooks",
  recovery: "/operator/brands/{brandId}/webhooks/{id}/recover"
}

/**
 * Sends the same creation once for each try, side by side: some with another body or another operator's token. At most one of one token may create
 * something.
 */
export const keyed = (
  context: ActorContext,
  caller: Caller,
  brand: KnownBrand,
  { tries, what }: Keyed
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { facts, world } = context
    const made = (label: string, name: string) =>
      Effect.map(
        succeeding(
          context,
          { ...caller, label: `${caller.label} ${label}` },
          {
            method: "POST",
            route: routes.token,
            body: { name, scopes: ["admin"] },
            brand: null,
            meaning: { means: "make" }
          }
        ),
        ({ data }): string => data.token
      )
    const hasOther = tries.some(({ isOfOther }) => isOfOther === true)
    const other = hasOther ? yield* made("other", "Other") : null
    const isStored = hasOther && world.decisions.chance(`${caller.label} by stored tokens`, storedShare)
    const own = isStored ? yield* made("own", "Own") : null
    const params: Record<string, string> = { brandId: brand.id }
    if (what === "recovery") {
      const { data } = yield* succeeding(
        context,
        { ...caller, label: `${caller.label} webhook` },
        {
          method: "POST",
          route: routes.webhook,
          params: { ...params },
          body: bodies.webhook("Recovered"),
          brand: null,
          meaning: { means: "make" }
        }
      )
      params["id"] = data.id
    }
    const call = (i: number): Call => {
      const { isOfOther, isOther } = tries[i]!
      const token = isOfOther === true ? other : own
      const hasOtherQuery =
        isOther === true && world.decisions.chance(`${caller.label} try ${i} by its query`, queryShare)
      return {
        method: "POST",
        route: routes[what],
        ...(what === "brand" || what === "token" ? {} : { params }),
        ...(hasOtherQuery ? { query: "again=1" } : {}),
        body: bodies[what](isOther === true && !hasOtherQuery ? otherName : "Keyed"),
        unusual: { idempotencyKey: `"idempotency ${caller.label}"` },
        ...(token === null ? {} : { token }),
        brand: null,
        meaning: { means: "make" }
      }
    }
    const each = tries.map(({ after }, i) =>
      Effect.gen(function* () {
        yield* Effect.sleep(after)
        const label = `${caller.label} try ${i}`
        const { headers, status } = yield* once(context, { ...caller, label }, call(i))
        if (headers["idempotent-replayed"] === "true") facts.coverageMarks.add("an answer was repeated")
        if (status === 409) facts.coverageMarks.add("a repeated request met the first, or what it left")
        if (status === 422) facts.coverageMarks.add("a key came with another request")
      }).pipe(Effect.ignore)
    )
    yield* Effect.all(each, { concurrency: "unbounded", discard: true })
  })
