/** How those who take part call the service: again and again, until it has answered. */
import { Effect } from "effect"
import type { SimulatedRequest, SimulatedResponse } from "../world/SimulatedHttp.ts"
import type { Ledger } from "../world/Ledger.ts"
import type { World } from "../world/World.ts"

const pauseMillis = 2000

// Answers are looked into freely here.
export type Json = any

export const bodyOf = ({ text }: SimulatedResponse): Json => (text === "" ? null : JSON.parse(text))

/**
 * Calls until there is an answer that is no 5xx, and notes what happened on the way. For calls that may be made twice:
 * an answer that was lost may have been a success.
 */
export const persistently = (
  world: World,
  ledger: Ledger,
  party: string,
  request: SimulatedRequest
): Effect.Effect<SimulatedResponse> =>
  Effect.gen(function* () {
    for (;;) {
      ledger.requests++
      const answer = yield* Effect.either(world.request(party, request))
      if (answer._tag === "Right") {
        const { status } = answer.right
        if (status === 500) ledger.violate("no defects", `${request.method} ${request.url} was answered 500`)
        if (status < 500) return answer.right
        ledger.marks.add("a request met 503")
      } else {
        ledger.marks.add("a request got no answer")
      }
      yield* Effect.sleep(pauseMillis)
    }
  })
