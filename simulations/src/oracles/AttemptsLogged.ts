import type { Oracle } from "./Oracle.ts"

/** The first, and one for each wait of the schedule. */
const attemptsAtLeast = 10

/** The log tells every attempt, in order, as its receiver knows it, and nothing of the people in it. [DELIV-5] */
export const attemptsLogged: Oracle = {
  name: "attempts logged",
  watch: (ledger) => {
    const { rates, troubles } = ledger.plan
    const isRecorded =
      rates.killAtStore === 0 &&
      rates.storeDown === 0 &&
      rates.doneButFailed === 0 &&
      troubles.every(({ trouble }) => trouble !== "kill")
    return {
      conclude: () => {
        const received = new Map<string, number>()
        for (const { id } of ledger.received) received.set(id, (received.get(id) ?? 0) + 1)
        for (const { delivery } of ledger.deliveries) {
          const { attempts, id, log, state } = delivery
          if (log.length !== attempts) return `${id} has ${attempts} attempts and ${log.length} lines of log`
          if (log.some(({ number }: { number: number }, i: number) => number !== i + 1))
            return `${id}: gaps in the log`
          const last = log.at(-1)
          const isTaken = log.some(
            ({ status }: { status: number | null }) => status !== null && status >= 200 && status < 300
          )
          if (state === "delivered" && !isTaken) return `${id} is delivered, and its log knows of no success`
          if (state === "dead" && (isTaken || last === undefined)) return `${id} is dead after a success`
          if (state === "dead" && attempts < attemptsAtLeast)
            return `${id} was given up after ${attempts} attempts`
          if (isRecorded && (received.get(id) ?? 0) > attempts) {
            return `${id} was received ${received.get(id)} times, and logged ${attempts} times`
          }
          if (log.some(({ error }: { error: string | null }) => error === "internal"))
            return `${id} could not be made`
          if (/b\d+-p\d+\./.test(JSON.stringify(log))) return `the log of ${id} names a person`
        }
        return null
      }
    }
  }
}
