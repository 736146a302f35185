/** A process of the simulator's judge: runs seeds of the swarm, and of scenarios for what is not in it, until one does not pass, or the budget is used up. */
import { cpuLimit, cpuSeconds } from "../CpuLimit.ts"
import { simulate, type StoreKind } from "../Run.ts"
import { scenarioNamed } from "../Scenarios.ts"
import type { SimulatorJudgement } from "./Judgement.ts"

export interface JudgeJob {
  readonly store: StoreKind
  readonly seeds: number
  /** CPU seconds, after which no seed begins. */
  readonly seconds: number
  /** CPU seconds that one seed may take. */
  readonly secondsOfSeed: number
}

/** `begun` when the program has loaded, and then the judgement. */
export type JudgeMessage = "begun" | Omit<SimulatorJudgement, "by">

/** The scenarios whose seeds run in turn. What the swarm has seldom or never has one of its own. */
const scenarios = ["swarm", "swarm", "retention", "swarm", "idempotency", "swarm", "access", "swarm"]

/** Virtual hours of a seed of a scenario that would take several times as long as one of the swarm. */
const hoursOf: Readonly<Record<string, number>> = { retention: 3, idempotency: 4 }

const judge = ({ seconds, secondsOfSeed, seeds, store }: JudgeJob): Omit<SimulatorJudgement, "by"> => {
  const allow = cpuLimit()
  let seed = 0
  try {
    while (seed < seeds && cpuSeconds() < seconds) {
      seed++
      allow(secondsOfSeed)
      const name = scenarios[(seed - 1) % scenarios.length]!
      const hours = hoursOf[name]
      const { outcome, violation } = simulate(scenarioNamed(name)!, seed, {
        store,
        ...(hours === undefined ? {} : { hours })
      })
      if (outcome === "passed") continue
      return outcome === "violated"
        ? { outcome: "oracle", detail: violation!.oracle, seeds: seed, seconds: cpuSeconds() }
        : { outcome: "livelock", detail: "", seeds: seed, seconds: cpuSeconds() }
    }
  } catch (error) {
    const detail = String((error as Error).message)
      .split("\n")[0]!
      .slice(0, 200)
    return { outcome: "defect", detail, seeds: seed, seconds: cpuSeconds() }
  }
  return { outcome: "survived", detail: "", seeds: seed, seconds: cpuSeconds() }
}

const send = (message: JudgeMessage, then: () => void = () => {}): void => {
  process.send!(message, then)
}

process.on("message", (job: JudgeJob) => {
  send("begun")
  send(judge(job), () => process.exit(0))
})
