/** How actors call the service: one request, a request that is repeated, and one that must succeed. */
import type { HttpMethod } from "@effect/platform/HttpMethod"
import { Effect } from "effect"
import { operatorToken } from "../world/Host.ts"
import type { Json, KnownKey, KnownFacts, Meaning, KnownBrand } from "../world/KnownFacts.ts"
import type { Expectation } from "../vocabulary/Expectation.ts"
import type { UnusualRequest } from "../world/RequestParts.ts"
import { jsonOf, type SimulatedResponse } from "../world/SimulatedHttp.ts"
import type { NoAnswer, World } from "../world/World.ts"

/** What every actor has: the world that it acts in, and the facts that all of them know for certain. */
export interface ActorContext {
  readonly world: World
  readonly facts: KnownFacts
}

/** Who calls: the lane of the report, and the label of the request there, which begins with that of the action. Both are in the digest. */
export interface Caller {
  readonly party: string
  readonly label: string
}

/** A call of the API before it is sent: its request, what its answer means to the oracles, and when it arrives. */
export interface Call {
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

/** The answer's JSON; null where the body is empty. Throws a `SyntaxError` where it is no JSON. */
export const bodyOf = (response: SimulatedResponse): Json => (response.text === "" ? null : jsonOf(response))

/** The share of requests with a parameter that no operation takes. [LIST-10] */
const misspeltShare = 0.015
/** Such parameters: most are like one that some operations take. */
const misspelt = [
  "pageSze",
  "pagesize",
  "serch",
  "qualifed",
  "cursr",
  "state_",
  "sorted",
  "brand",
  "colour",
  "%C3%A9",
  "%F0%9F%98%80"
]

/** The query of a call in which some requests misspell a parameter; of those with a key or an expectation it stays as it is. */
const misspeltQuery = (
  { decisions }: World,
  label: string,
  { expects, query = "", unusual }: Call
): string => {
  if (expects !== undefined || unusual?.idempotencyKey !== undefined || unusual?.path !== undefined)
    return query
  if (!decisions.chance(`${label} misspelt`, misspeltShare)) return query
  const name = misspelt[decisions.below(`${label} misspelt as`, misspelt.length)]!
  return `${query === "" ? "" : `${query}&`}${name}=1`
}

const pathOf = ({ params = {}, query, route, unusual }: Call): string => {
  const path = route.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
  return (unusual?.path?.(path) ?? path) + (query === undefined || query === "" ? "" : `?${query}`)
}

/** Sends the call once. Fails with `NoAnswer` where the connection is refused, cut or too slow. */
export const once = (
  { facts, world }: ActorContext,
  { label, party }: Caller,
  call: Call
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
    } = call
    facts.requests++
    return world.request({
      label,
      party,
      route,
      request: {
        method,
        url: pathOf({ ...call, query: misspeltQuery(world, label, call) }),
        token: key === null ? (token ?? operatorToken) : key.value,
        ...(body === undefined ? {} : { body }),
        ...(unusual === undefined ? {} : { unusual })
      },
      meaning,
      ...(expects === undefined ? {} : { expects }),
      brand,
      key,
      sentAt: world.kernel.now,
      ...(arrivesAt === undefined ? {} : { arrivesAt }),
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
export const persistently: (
  context: ActorContext,
  caller: Caller,
  call: Call
) => Effect.Effect<SimulatedResponse> = Effect.fnUntraced(function* (context, caller, call) {
  for (let attempt = 1; ; attempt++) {
    const label = attempt === 1 ? caller.label : `${caller.label}.${attempt}`
    const answer = yield* Effect.either(once(context, { ...caller, label }, call))
    if (answer._tag === "Right" && answer.right.status < 500) return answer.right
    context.facts.coverageMarks.add(answer._tag === "Right" ? "a request met 503" : "a request got no answer")
    yield* Effect.sleep(pauseMillis)
  }
})

/**
 * What a call made: the `data` of its 201. Null where it was refused, or where no answer came: then nobody knows the id of what may have been made, and it
 * stays. Sent once, because a second call would make a second thing.
 */
export const created = (context: ActorContext, caller: Caller, call: Call): Effect.Effect<Json | null> =>
  Effect.map(Effect.either(once(context, caller, call)), (answer) =>
    answer._tag === "Left" || answer.right.status !== 201 ? null : bodyOf(answer.right).data
  )

/** The body of a call that must succeed, sent until it is answered by no 5xx. A 4xx breaks the rule "calls succeed". */
export const succeeding = (context: ActorContext, caller: Caller, call: Call): Effect.Effect<Json> =>
  Effect.map(persistently(context, caller, call), (response) => {
    const body = bodyOf(response)
    if (response.status >= 400) {
      context.facts.violate(
        "calls succeed",
        `${call.method ?? "GET"} ${call.route}: ${response.status} ${response.text}`
      )
    }
    return body
  })
