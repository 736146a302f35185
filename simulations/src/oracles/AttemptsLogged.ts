import { olderWaitFactor } from "../world/ProcessSettings.ts"
import { isEveryCallEnded } from "./Circumstances.ts"
import { processesOf } from "../plan/Plan.ts"
import type { Oracle } from "./Oracle.ts"
import { attemptsInAll, isSuccess, waits } from "./RetrySchedule.ts"

/** Places are given to failing webhooks two at a time. */
const slackMillis = 120_000

interface Attempt {
  readonly at: string
  readonly durationMillis: number
  readonly status: number | null
}

const dayMillis = 86_400_000

/**
 * Each attempt follows the last after its wait, a fifth more or less; a receiver that is busy can ask for more, and a process
 * with an older version's settings waits `factor` times as long. [DELIV-3]
 */
const wrongGap = (log: ReadonlyArray<Attempt>, factor: number): string | null => {
  for (let i = 1; i < log.length; i++) {
    const [before, after] = [log[i - 1]!, log[i]!]
    const millis = Date.parse(after.at) - Date.parse(before.at) - before.durationMillis
    const wait = waits[i - 1]!
    const most = before.status === 429 || before.status === 503 ? dayMillis : wait * 1.2 * factor
    if (millis < wait * 0.8 - 100 || millis > most + slackMillis) {
      return `attempt ${i + 1} came ${millis} ms after the last, whose wait is ${wait} ms`
    }
  }
  return null
}

/** The log has every attempt, in order, as its receiver knows it, and nothing of the people in it. [DELIV-5] */
export const attemptsLogged: Oracle = {
  name: "attempts logged",
  instantiate: (facts) => {
    const { rates, scheduledFaults } = facts.plan
    const isRecorded = isEveryCallEnded(facts.plan)
    const factor = processesOf(facts.plan).some(({ older }) => older) ? olderWaitFactor : 1
    // What stands still, or has another time, comes late by its own clock.
    const isTimely =
      rates.slowStore === 0 && scheduledFaults.every(({ fault }) => fault === "kill" || fault === "partition")
    return {
      conclude: () => {
        const received = new Map<string, number>()
        for (const { id } of facts.received) received.set(id, (received.get(id) ?? 0) + 1)
        for (const { delivery, webhook } of facts.deliveries) {
          const { attempts, id, log, state } = delivery
          if (log.length !== attempts) return `${id} has ${attempts} attempts and ${log.length} lines of log`
          if (log.some(({ number }: { number: number }, i: number) => number !== i + 1))
            return `${id}: gaps in the log`
          const last = log.at(-1)
          const isTaken = log.some(({ status }: Attempt) => isSuccess(status))
          if (state === "delivered" && !isTaken) return `${id} is delivered, and its log knows of no success`
          if (state === "dead" && (isTaken || last === undefined)) return `${id} is dead after a success`
          if (state === "dead" && attempts < attemptsInAll)
            return `${id} was given up after ${attempts} attempts`
          if (isRecorded && (received.get(id) ?? 0) > attempts) {
            return `${id} was received ${received.get(id)} times, and logged ${attempts} times`
          }
          if (log.some(({ error }: { error: string | null }) => error === "internal"))
            return `${id} could not be made`
          const isOnTime = isRecorded && isTimely && webhook.enabledAt === 0
          const gap = isOnTime ? wrongGap(log, factor) : null
          if (gap !== null) return `${id}: ${gap}`
          if (/b\d+-p\d+\./.test(JSON.stringify(log))) return `the log of ${id} names a person`
        }
        return null
      }
    }
  }
}
