/** Liveness and readiness. No key is needed. [HEALTH-1, HEALTH-2, HEALTH-3] */
import { StoreHealth, type StoreStatus, StoreUnavailable } from "@lead-signals/domain"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import { Effect } from "effect"
import { UnavailableFailure } from "../contract/Failures.ts"
import { HealthBody } from "../contract/HealthSchemas.ts"
import { DrainState } from "../DrainState.ts"
import { endpoint } from "./Endpoint.ts"

const alive = { status: "ok" } as const

/** A store that is readable but not writable is ready, so that reads are still routed here. [HEALTH-3] */
const readiness = ({ writeProblem }: StoreStatus): typeof HealthBody.Type => ({
  status: writeProblem === null ? "ok" : "degraded",
  reads: true,
  writes: writeProblem === null,
  reason: writeProblem
})

/** /health answers as long as the process does; /health/ready 503 while the store can't be read, or the server drains. */
export const health = {
  health: endpoint(HttpApiEndpoint.get("health", "/health").addSuccess(HealthBody), {
    summary: "Liveness: the process runs",
    description: "Answers while the process runs, whatever the state of its store. Needs no key.",
    answer: "It runs",
    handle: () => Effect.succeed(alive)
  }),
  ready: endpoint(
    HttpApiEndpoint.get("ready", "/health/ready").addSuccess(HealthBody).addError(UnavailableFailure),
    {
      summary: "Readiness: the store answers and the server takes requests",
      description:
        "Answers 503 while the store can't answer or the server is shutting down, and says what works. While the store can't write, for example on a full disk, the service is degraded: it still answers reads. Needs no key.",
      answer: "It takes requests",
      handle: () =>
        Effect.gen(function* () {
          const [storeHealth, draining] = yield* Effect.all([StoreHealth, DrainState])
          if (yield* draining.isDraining)
            return yield* new StoreUnavailable({ reason: "the server is draining" })
          return readiness(yield* storeHealth.check)
        })
    }
  )
}
