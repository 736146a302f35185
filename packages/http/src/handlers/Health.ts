/** Liveness and readiness. [HEALTH-1, HEALTH-2] */
import { Directory, type StoreStatus, StoreUnavailable } from "@lead-signals/domain"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { Context, Effect } from "effect"
import { RoutedApi } from "../contract/Api.ts"
import type { Health } from "../contract/HealthApi.ts"
import { json } from "../Answers.ts"

/** Whether the server is on its way out; a host that never drains leaves the default. */
export class Draining extends Context.Reference<Draining>()("@lead-signals/http/Draining", {
  defaultValue: () => ({ isDraining: Effect.succeed(false) as Effect.Effect<boolean> })
}) {}

const ok = json({ status: "ok" } satisfies Health)

/** A store that is readable but not writable is ready, so that reads are still routed here. */
const readiness = ({ writeProblem }: StoreStatus): Health => ({
  status: writeProblem === null ? "ok" : "degraded",
  reads: true,
  writes: writeProblem === null,
  reason: writeProblem
})

export const health = HttpApiBuilder.group(RoutedApi, "health", (handlers) =>
  handlers
    .handleRaw("health", () => Effect.succeed(ok))
    .handleRaw("ready", () =>
      Effect.gen(function* () {
        const [directory, draining] = yield* Effect.all([Directory, Draining])
        if (yield* draining.isDraining)
          return yield* new StoreUnavailable({ reason: "the server is draining" })
        return json(readiness(yield* directory.ping))
      })
    )
)
