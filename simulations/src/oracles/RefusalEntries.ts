/** The entries of refused credentials: each server writes one in each minute in which it refuses any. [AUD-7] */
import type { Answered, Call, Json, KnownFacts } from "../world/KnownFacts.ts"
import type { Checks } from "./Checks.ts"
import { operationOf } from "./Requests.ts"
import { isForeign, sessionRoute } from "./SessionReference.ts"

const minuteMillis = 60_000

/** Until then the request that was refused first in the minute has written the entry, or failed to. */
const writingMillis = 15_000

/** A refusal of whose minute no entry is known yet. */
interface Owed {
  readonly call: Call
  readonly at: number
  /** The minutes, by the clock of the process, in which it can have been noted. */
  readonly minutes: ReadonlyArray<string>
}

const minuteOf = ({ handledBy, handledByStart }: Call, at: number): string =>
  [handledBy, handledByStart, Math.floor(at / minuteMillis)].join(" ")

/** The minutes in which the process can have noted a refusal. */
const minutesOf = ({ byClock, call }: Answered): ReadonlyArray<string> => [
  minuteOf(call, call.handledByClock),
  minuteOf(call, byClock)
]

/** Whether a credential was looked at that opens nothing: at a sign-in, or as the token of an operator's call. */
const isOfCredential = ({ call, response }: Answered): boolean => {
  if (response.status !== 401) return false
  if (call.route === sessionRoute) return call.request.method === "POST" && !isForeign(call)
  return (
    (call.route.startsWith("/operator") || call.route === "/metrics") &&
    call.request.unusual?.authorization !== null
  )
}

/** Hears of each such entry, and of each answer. */
export const refusalEntries = (facts: KnownFacts, checks: Checks) => {
  const rule = checks.rule("each refused credential has an entry of its minute")
  /** The minutes that have an entry, and when the call that made it began. */
  const entered = new Map<string, number>()
  /** The minutes whose entry the store failed to write: it is not tried again. */
  const failed = new Set<string>()
  const owed: Array<Owed> = []

  const isSettled = ({ minutes }: Owed): boolean =>
    minutes.some((minute) => entered.has(minute) || failed.has(minute))

  /** What is wrong with the refusals that were answered long ago. */
  const overdue = (now: number): string | null => {
    while (owed.length > 0 && (isSettled(owed[0]!) || now - owed[0]!.at > writingMillis)) {
      const first = owed.shift()!
      const { at, call } = first
      const { incidents } = facts
      const isDisturbed =
        // One that is set back can come to a minute again, that of the newest entry.
        incidents.touched(["clock"], call.handledAt - minuteMillis, at, call.handledBy) ||
        incidents.touched(["pause", "kill"], at, at + writingMillis, call.handledBy)
      if (isSettled(first)) rule.judged++
      else if (isDisturbed)
        rule.weaken("the service stood still or was killed as the entry was written, or its clock was set")
      else
        return `${operationOf(call)} was refused its credential, and the audit log has no entry of the minute`
    }
    return null
  }

  return {
    appended: (call: Call, { actor, at, ...entry }: Json): string | null => {
      const operation = call.route === sessionRoute ? "signIn" : "refusedToken"
      const { brandId, operation: of, status, subjectId, viaSession } = entry
      const said = JSON.stringify([actor.id, of, viaSession, brandId, subjectId, status])
      const wanted = JSON.stringify([null, operation, false, null, null, 401])
      if (said !== wanted) return `the entry of a refused credential says ${said}, not ${wanted}`
      const minute = minuteOf(call, at)
      const before = entered.get(minute)
      entered.set(minute, call.handledAt)
      // One whose clock was set back comes to a minute again.
      return before === undefined || facts.incidents.touched(["clock"], before, facts.now(), call.handledBy)
        ? null
        : "two refused credentials of one minute are in the audit log"
    },
    /** An answer of any status: the entry can have failed, and after it the call. */
    noteFailure: (fact: Answered): void => {
      if (fact.call.struck.has("auditLog.append")) for (const minute of minutesOf(fact)) failed.add(minute)
    },
    answered: (fact: Answered): string | null => {
      const { at, call } = fact
      if (isOfCredential(fact)) owed.push({ call, at, minutes: minutesOf(fact) })
      return overdue(at)
    }
  }
}
