/** Where actors meet: the world that they act in, and the facts that they know for certain. */
import type { HttpMethod } from "@effect/platform/HttpMethod"
import { Effect } from "effect"
import { operatorToken } from "../world/Host.ts"
import type { Json, KnownKey, KnownFacts, Meaning, KnownBrand } from "../world/KnownFacts.ts"
import type { Expectation } from "../vocabulary/Expectation.ts"
import type { UnusualRequest } from "../world/RequestParts.ts"
import { jsonOf, type SimulatedResponse } from "../world/SimulatedHttp.ts"
import type { NoAnswer, World } from "../world/World.ts"

export interface ActorContext {
  readonly world: World
  readonly facts: KnownFacts
}

/** Who calls, in the name of which action: what labels begin with. */
export interface Caller {
  readonly party: string
  readonly label: string
}

export interface Ask {
  readonly method?: HttpMethod
  /** As the OpenAPI document writes it. */
  readonly route: string
  readonly params?: Readonly<Record<string, string | number>>
  /** Encoded, without the question mark. */
  readonly query?: string
  readonly body?: unknown
  /** What differs from an ordinary request: its path, the header Authorization, the bytes of its body. */
  readonly unusual?: UnusualRequest
  readonly brand: KnownBrand | null
  /** Null: the operator's token. */
  readonly key?: KnownKey | null
  /** Another operator's token than the environment's, where `key` is null. */
  readonly token?: string
  readonly meaning: Meaning
  readonly expects?: Expectation
  /** When the request reaches the service, in true time, however long messages take. */
  readonly arrivesAt?: number
}

const pauseMillis = 2000

export const bodyOf = (response: SimulatedResponse): Json => (response.text === "" ? null : jsonOf(response))

const pathOf = ({ params = {}, query, route, unusual }: Ask): string => {
  const path = route.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
  return (unusual?.path?.(path) ?? path) + (query === undefined || query === "" ? "" : `?${query}`)
}

/** Calls once. */
export const once = (
  { facts, world }: ActorContext,
  { label, party }: Caller,
  ask: Ask
): Effect.Effect<SimulatedResponse, NoAnswer> =>
  Effect.suspend(() => {
    const {
      arrivesAt,
      body,
      brand,
      expects,
      key = null,
      meaning,
      method = "GET",
      route,
      token,
      unusual
    } = ask
    facts.requests++
    return world.request({
      label,
      party,
      route,
      request: {
        method,
        url: pathOf(ask),
        token: key === null ? (token ?? operatorToken) : key.value,
        ...(body === undefined ? {} : { body }),
        ...(unusual === undefined ? {} : { unusual })
      },
      meaning,
      ...(expects === undefined ? {} : { expects }),
      ...(arrivesAt === undefined ? {} : { arrivesAt }),
      brand,
      key,
      sentAt: world.kernel.now,
      ...(ask.arrivesAt === undefined ? {} : { arrivesAt: ask.arrivesAt }),
      handledAt: world.kernel.now,
      handledByClock: world.kernel.now,
      handledBy: 0,
      handledByStart: 0,
      startedByClock: [world.kernel.now, world.kernel.now],
      struck: new Set(),
      expected: undefined
    })
  })

/**
 * Calls until there is an answer that is no 5xx, and notes what happened on the way. For calls that may be made twice:
 * an answer that was lost may have been a success.
 */
export const persistently = (
  context: ActorContext,
  caller: Caller,
  ask: Ask
): Effect.Effect<SimulatedResponse> =>
  Effect.gen(function* () {
    for (let attempt = 1; ; attempt++) {
      const label = attempt === 1 ? caller.label : `${caller.label}.${attempt}`
      const answer = yield* Effect.either(once(context, { ...caller, label }, ask))
      if (answer._tag === "Right" && answer.right.status < 500) return answer.right
      context.facts.coverageMarks.add(
        answer._tag === "Right" ? "a request met 503" : "a request got no answer"
      )
      yield* Effect.sleep(pauseMillis)
    }
  })

/** The answer's body, of a call that must succeed. */
export const succeeding = (context: ActorContext, caller: Caller, ask: Ask): Effect.Effect<Json> =>
  Effect.map(persistently(context, caller, ask), (response) => {
    const body = bodyOf(response)
    if (response.status >= 400) {
      context.facts.violate(
        "calls succeed",
        `${ask.method ?? "GET"} ${ask.route}: ${response.status} ${response.text}`
      )
    }
    return body
  })
