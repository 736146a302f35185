/**
 * The simulator in a worker of a page: it runs a scenario or a counterexample over memory, sends events while it runs, and makes
 * what breaks a rule small. The name of the worker is that of the bug planted into its code, or empty.
 */
import { Either } from "effect"
import {
  compareReplay,
  type Counterexample,
  counterexampleOf,
  inputOfCounterexample,
  readCounterexample,
  violationOf
} from "../Counterexample.ts"
import { renderCounterexample } from "../CounterexampleText.ts"
import { comparedBy, compareTexts } from "../report/Comparison.ts"
import { explanationOf } from "../report/RuleExplanations.ts"
import { inputOf, run, type RunInput, type RunReport } from "../Run.ts"
import type { Scenario } from "../Scenario.ts"
import { readScenario } from "../scenario-file/ScenarioFile.ts"
import { scenarioNamed, scenarioNames } from "../Scenarios.ts"
import { shrinkAsync } from "../Shrink.ts"
import { offered, readDropped } from "./DroppedFile.ts"
import { EventStream } from "./EventStream.ts"
import type { BrokenRule, Message, Order, Small } from "./Messages.ts"
import { plantedBugs } from "./PlantedBugs.ts"

const maxShrinkSeconds = 60
/** The bug of this worker's code. */
const bug = self.name === "" ? null : self.name

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker is no window
const send = (message: Message): void => postMessage(message)

/** A run that was made, and what a counterexample of it says besides. */
interface Made {
  readonly input: RunInput
  readonly report: RunReport
  readonly scenario: string
  readonly definition?: Scenario
}

let made: Made | null = null
let isShrinkingStopped = false

const brokenRule = (report: RunReport): BrokenRule | null => {
  if (report.outcome === "passed") return null
  const { message, oracle } = violationOf(report)
  const texts = report.violation === null ? null : comparedBy(report.violation)
  return {
    rule: oracle,
    message,
    demands: explanationOf(oracle),
    compared: texts === null ? null : compareTexts(texts.expected, texts.actual)
  }
}

const make = (of: Omit<Made, "report">, replays: Counterexample | null = null): void => {
  const startedAt = performance.now()
  const stream = new EventStream(send)
  const report = run(of.input, "memory", undefined, stream.observe)
  stream.end(report.coverageMarks)
  made = { ...of, report }
  const { counts, coverageMarks, digest, outcome } = report
  send({
    is: "finished",
    finished: {
      outcome,
      broken: brokenRule(report),
      digest,
      counts,
      coverageMarks: [...coverageMarks].sort(),
      seconds: (performance.now() - startedAt) / 1000,
      replayed: replays === null ? null : compareReplay(replays, report)
    }
  })
}

const runOrder = ({ hours, scenario: chosen, seed }: Extract<Order, { do: "run" }>): void => {
  if ("name" in chosen) {
    const scenario = scenarioNamed(chosen.name)
    if (scenario === null) throw new Error(`There is no scenario ${chosen.name}.`)
    make({ input: inputOf(scenario, seed, hours ?? undefined), scenario: scenario.name })
    return
  }
  const definition = Either.getOrThrowWith(readScenario(chosen.text), (lines) => new Error(lines.join("\n")))
  const input = inputOf(definition, seed, hours ?? undefined)
  make({ input, scenario: definition.name, definition })
}

const replayOrder = (text: string): void => {
  const counterexample = Either.getOrThrowWith(readCounterexample(text), (problem) => new Error(problem))
  make({ input: inputOfCounterexample(counterexample), scenario: counterexample.scenario }, counterexample)
}

class ShrinkingStopped extends Error {}

const sizeOf = ({ faults, plan }: RunInput) => ({
  actions: plan.actions.length,
  faults: (faults?.length ?? 0) + plan.scheduledFaults.length
})

/** Lets the messages of the page arrive. */
const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

const shrinkOrder = async ({ definition, input, report, scenario }: Made): Promise<void> => {
  isShrinkingStopped = false
  let best: RunInput = { ...input, faults: report.faults }
  let runs = 0
  const execute = async (candidate: RunInput, untilSeconds?: number): Promise<RunReport> => {
    await nextTask()
    if (isShrinkingStopped) throw new ShrinkingStopped()
    return run(candidate, "memory", untilSeconds)
  }
  const shrunk = await shrinkAsync(input, report, execute, {
    seconds: maxShrinkSeconds,
    onProgress: (count, smallest) => {
      runs = count
      best = smallest
      send({ is: "shrinking", runs, ...sizeOf(smallest) })
    }
  }).catch((failure: unknown) => {
    if (!(failure instanceof ShrinkingStopped)) throw failure
    return { input: best, report: run(best), runs }
  })
  const counterexample = counterexampleOf(
    { scenario, store: "memory", bug, ...(definition === undefined ? {} : { definition }) },
    shrunk.input,
    shrunk.report
  )
  const small: Small = {
    lines: renderCounterexample(counterexample),
    runs: shrunk.runs,
    ...sizeOf(shrunk.input),
    fileName: `${[scenario.replaceAll(/[^\w-]+/g, "-"), input.seed, ...(bug === null ? [] : [bug])].join("-")}.json`,
    text: `${JSON.stringify(counterexample, null, 1)}\n`
  }
  send({ is: "small", small })
}

const obey = async (order: Order): Promise<void> => {
  switch (order.do) {
    case "describe": {
      const scenarios = scenarioNames().map((name) => offered(scenarioNamed(name)!))
      return send({ is: "described", scenarios, bugs: plantedBugs })
    }
    case "run":
      return runOrder(order)
    case "replay":
      return replayOrder(order.text)
    case "read":
      return send({ is: "read", name: order.name, file: readDropped(order.text) })
    case "shrink":
      return made === null || made.report.outcome === "passed" ? undefined : shrinkOrder(made)
    case "stop-shrinking":
      isShrinkingStopped = true
  }
}

addEventListener("message", ({ data }: MessageEvent<Order>) => {
  obey(data).catch((failure: unknown) => {
    send({ is: "failed", message: failure instanceof Error ? failure.message : String(failure) })
  })
})
