/** The scenarios that come with the project. */
import { Either, Schema } from "effect"
import access from "./scenarios/access.json" with { type: "json" }
import clockTrouble from "./scenarios/clock-trouble.json" with { type: "json" }
import crashLoop from "./scenarios/crash-loop.json" with { type: "json" }
import denseSwarm from "./scenarios/dense-swarm.json" with { type: "json" }
import erasure from "./scenarios/erasure.json" with { type: "json" }
import failoverLosesTail from "./scenarios/failover-loses-tail.json" with { type: "json" }
import failover from "./scenarios/failover.json" with { type: "json" }
import flakyConsumers from "./scenarios/flaky-consumers.json" with { type: "json" }
import idempotency from "./scenarios/idempotency.json" with { type: "json" }
import keyRotation from "./scenarios/key-rotation.json" with { type: "json" }
import launchBurst from "./scenarios/launch-burst.json" with { type: "json" }
import lostAnswers from "./scenarios/lost-answers.json" with { type: "json" }
import monthOfRetries from "./scenarios/month-of-retries.json" with { type: "json" }
import networkedStore from "./scenarios/networked-store.json" with { type: "json" }
import networkedSwarm from "./scenarios/networked-swarm.json" with { type: "json" }
import ordering from "./scenarios/ordering.json" with { type: "json" }
import quietDay from "./scenarios/quiet-day.json" with { type: "json" }
import rateStorm from "./scenarios/rate-storm.json" with { type: "json" }
import reads from "./scenarios/reads.json" with { type: "json" }
import resendStorm from "./scenarios/resend-storm.json" with { type: "json" }
import retention from "./scenarios/retention.json" with { type: "json" }
import sessions from "./scenarios/sessions.json" with { type: "json" }
import severalProcesses from "./scenarios/several-processes.json" with { type: "json" }
import swarm from "./scenarios/swarm.json" with { type: "json" }
import syncRace from "./scenarios/sync-race.json" with { type: "json" }
import tornWrites from "./scenarios/torn-writes.json" with { type: "json" }
import { Scenario } from "./Scenario.ts"

const scenarios: ReadonlyMap<string, unknown> = new Map(
  [
    access,
    clockTrouble,
    crashLoop,
    denseSwarm,
    erasure,
    failover,
    failoverLosesTail,
    flakyConsumers,
    idempotency,
    keyRotation,
    launchBurst,
    lostAnswers,
    monthOfRetries,
    networkedStore,
    networkedSwarm,
    ordering,
    quietDay,
    rateStorm,
    reads,
    resendStorm,
    retention,
    sessions,
    severalProcesses,
    swarm,
    syncRace,
    tornWrites
  ].map((scenario) => [scenario.name, scenario])
)

/** The names of the scenarios that come with the package, in alphabetical order. */
export const scenarioNames = (): ReadonlyArray<string> => [...scenarios.keys()].sort()

const decode = Schema.decodeUnknownEither(Scenario, { onExcessProperty: "error" })

/** Each is decoded once: a campaign asks for its scenario at every seed. */
const decoded = new Map<string, Scenario>()

/** The JSON of the scenario of this name, as its file has it; undefined when there is none. */
export const scenarioSource = (name: string): unknown => scenarios.get(name)

/** The scenario of this name that comes with the package; null when there is none. */
export const scenarioNamed = (name: string): Scenario | null => {
  if (!scenarios.has(name)) return null
  const scenario = decoded.get(name) ?? Either.getOrThrow(decode(scenarios.get(name)))
  decoded.set(name, scenario)
  return scenario
}
