/** What goes wrong in a run, drawn from a seed: faults at a time, and how often a call fails. */
import { Prng } from "@lead-signals/simulation-kernel"
import { Record } from "effect"
import type { Rates, Scenario } from "../Scenario.ts"
import { hour, instants } from "./EventTimes.ts"
import type { ScheduledFault } from "./Plan.ts"

/** The most steps of the service before a kill: enough for it to answer some requests and post some deliveries. */
const killSteps = 400

/** The rates of the scenario; of a swarm each is off in half of the seeds and otherwise a share of them, and a calm seed has none. */
export const drawnRates = ({ rates, swarm }: Scenario, prng: Prng, isCalm: boolean): Rates => {
  if (!swarm) return rates
  return Record.map(rates, (max) => {
    const [isOn, share] = [prng.chance(0.5), prng.fraction()]
    return isOn && !isCalm ? max * share : 0
  })
}

/** Sorted by time. A calm seed of a swarm has none. */
export const scheduledFaultsOf = (
  seed: number,
  { swarm, scheduledFaults }: Scenario,
  hours: number,
  isCalm: boolean
) => {
  const draw = Prng.of(seed, "troubles")
  const found: Array<ScheduledFault> = []
  for (const [kind, perDay] of Object.entries(scheduledFaults)) {
    const [isOn, share] = [draw.chance(0.5), draw.fraction()]
    const rate = swarm ? (isOn && !isCalm ? perDay * share : 0) : perDay
    const prng = Prng.of(seed, kind)
    for (const at of instants(prng, rate / 24, hours)) {
      switch (kind) {
        case "kills":
          found.push({ at, fault: "kill", steps: prng.chance(0.3) ? 0 : prng.below(killSteps) })
          break
        case "clockSteps":
          found.push({ at, fault: "clock", millis: Math.round((prng.fraction() - 0.5) * 2 * hour) })
          break
        case "drifts":
          found.push({ at, fault: "drift", rate: (prng.fraction() - 0.5) / 25 })
          break
        case "pauses":
          found.push({ at, fault: "pause", millis: 500 + prng.below(60_000) })
          break
        case "storeCuts":
          found.push({ at, fault: "storeCut", millis: 1000 + prng.below(2 * 60_000) })
          break
        case "receiverCuts":
          found.push({ at, fault: "receiverCut", millis: 1000 + prng.below(5 * 60_000) })
          break
        case "failovers":
          found.push({ at, fault: "failover", millis: 1000 + prng.below(30_000), lostMillis: 0 })
          break
        case "lossyFailovers":
          found.push({
            at,
            fault: "failover",
            millis: 1000 + prng.below(30_000),
            lostMillis: 1000 + prng.below(5 * 60_000)
          })
          break
        default:
          found.push({ at, fault: "partition", millis: 1000 + prng.below(5 * 60_000) })
      }
    }
  }
  return found.sort((a, b) => a.at - b.at)
}
