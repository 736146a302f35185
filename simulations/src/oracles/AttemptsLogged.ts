/** Logs of deliveries: every attempt is in them, and no name of a person. */
import type { KnownFacts } from "../world/KnownFacts.ts"
import type { RuleChecks } from "./Checks.ts"
import type { Oracle } from "./Oracle.ts"
import { outboxOf } from "./OutboxReference.ts"
import { attemptsInAll, isSuccess, waits } from "./RetrySchedule.ts"

/** Places are given to failing webhooks two at a time. */
const slackMillis = 120_000
const attemptMillis = 15_000
/** A record may wait for the store, and for a service that stands still. */
const recordMillis = 180_000

interface Attempt {
  readonly at: string
  readonly durationMillis: number
  readonly status: number | null
}

const dayMillis = 86_400_000

/** Each attempt follows the last after its wait, a fifth more or less; a receiver that is busy can ask for more. [DELIV-3] */
const wrongGap = (log: ReadonlyArray<Attempt>): string | null => {
  for (let i = 1; i < log.length; i++) {
    const [before, after] = [log[i - 1]!, log[i]!]
    const millis = Date.parse(after.at) - Date.parse(before.at) - before.durationMillis
    const wait = waits[i - 1]!
    const max = before.status === 429 || before.status === 503 ? dayMillis : wait * 1.2
    if (millis < wait * 0.8 - 100 || millis > max + slackMillis)
      return `attempt ${i + 1} came ${millis} ms after the last, whose wait is ${wait} ms`
  }
  return null
}

/** Each attempt that has ended is recorded, unless its process is killed before it can be. */
const unrecorded = (facts: KnownFacts, rule: RuleChecks): string | null => {
  const { leases } = outboxOf(facts)
  for (const { id, sent, subject } of facts.received) {
    const lease = leases.get(id)?.findLast(({ at, process }) => at <= sent.at && process === sent.process)
    // A process that was killed during the attempt owes no record.
    const endedAt = sent.endedAt ?? sent.at + attemptMillis
    if (lease?.isRecorded === true) rule.judged++
    else if (sent.endedAt === null && facts.incidents.touched(["kill"], sent.at, endedAt, sent.process))
      continue
    else if (facts.incidents.touched(["kill"], endedAt, endedAt + recordMillis, sent.process))
      rule.weaken("the process was killed before it could record the attempt")
    else return `${id} was sent (${subject}), and no attempt of it was recorded`
  }
  return null
}

/** The text with what it quotes as HTML, in a URL or in JSON as it reads. */
const unquoted = (text: string): string =>
  text
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/\\+u([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/(?:(?:%|\\+x)[0-9a-fA-F]{2})+/g, (octets) =>
      new TextDecoder().decode(
        Uint8Array.from(octets.match(/[0-9a-fA-F]{2}/g)!, (octet) => Number.parseInt(octet, 16))
      )
    )

const namesPerson = (text: string): boolean => /b\d+-p\d+\./.test(text)

/**
 * The log has every attempt, in order, as its receiver knows it, and nothing of the people in it. Over a host whose store nobody sees it is judged
 * by the waits between attempts. [DELIV-5]
 */
export const attemptsLogged: Oracle = {
  name: "attempts logged",
  instantiate: (facts, checks) => {
    const logs = checks.rule("the log of a delivery")
    const attempts = checks.rule("each attempt that ended is recorded")
    const gaps = checks.rule("the waits in the log of a host")
    return {
      conclude: () => {
        for (const { delivery, webhook } of facts.deliveries) {
          const { attempts: made, id, log, state } = delivery
          logs.judged++
          if (log.length !== made) return `${id} has ${made} attempts and ${log.length} lines of log`
          if (log.some(({ number }: { number: number }, i: number) => number !== i + 1))
            return `${id}: gaps in the log`
          // Where its lease ran out, an attempt can end well after the delivery has died by the next one: that is logged, too.
          const endedWith: number = outboxOf(facts).ids.deliveryOf(id)?.endedWith ?? made
          const isTaken = log.slice(0, endedWith).some(({ status }: Attempt) => isSuccess(status))
          if (state === "delivered" && !isTaken) return `${id} is delivered, and its log knows of no success`
          if (state === "dead" && (isTaken || made === 0)) return `${id} is dead after a success`
          if (state === "dead" && made < attemptsInAll && webhook.maxDelay === null)
            return `${id} was given up after ${made} attempts`
          if (log.some(({ error }: { error: string | null }) => error === "internal"))
            return `${id} could not be made`
          const text = JSON.stringify(log)
          if (namesPerson(text) || (/[%&]|\\[ux]/.test(text) && namesPerson(unquoted(text))))
            return `the log of ${id} names a person`
          if (facts.isStoreSeen) continue
          const posts = facts.postsOf(id)
          attempts.judged++
          if (posts.length > made) return `${id} was received ${posts.length} times, and logged ${made} times`
          if (webhook.enabledAt > 0 || webhook.maxDelay !== null) continue
          gaps.judged++
          const gap = wrongGap(log)
          if (gap !== null) return `${id}: ${gap}`
        }
        return facts.isStoreSeen ? unrecorded(facts, attempts) : null
      }
    }
  }
}
