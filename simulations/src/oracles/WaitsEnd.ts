import type { Call } from "../world/KnownFacts.ts"
import type { Oracle } from "./Oracle.ts"
import { WaitingRequests } from "./WaitingRequests.ts"

/** Two looks into the store, with what slow calls of it take, and the way of a message. */
const slackMillis = 10_000

/** A clock that drifts runs faster by two hundredths at most. */
const slowest = 0.97

/** Milliseconds that a request waits for a change; 0 where it does not. */
const waitOf = (url: string): number => 1000 * Number(/[?&]wait=(\d+)/.exec(url)?.[1] ?? 0)

const mayWait = ({ request, route }: Call): boolean => route === "/signals/changes" && waitOf(request.url) > 0

/**
 * A request that waits for a change is answered soon after one, and not before the time is over while there is none. The time is that of the
 * service's clock, whose jumps end it early. At most four requests of a key wait at once, and at most `maxWaits` of all keys; a further one is
 * answered at once. [CHG-6]
 */
export const waitsEnd: Oracle = {
  name: "waits end",
  instantiate: (facts, checks) => {
    const early = checks.rule("a wait without a change")
    const late = checks.rule("a wait for a change")
    const together = checks.rule("requests that wait at once")
    const waiting = new WaitingRequests(facts.plan.maxWaits)
    /** When engagements of a brand were recorded, in order. */
    const recordedAt = new Map<string, Array<number>>()
    return {
      tailLost: (since) => {
        for (const [brandId, times] of recordedAt)
          recordedAt.set(
            brandId,
            times.filter((time) => time <= since)
          )
      },
      stored: ({ answer, args, method }) => {
        if (method !== "leads.commit") return null
        const isChanged = (answer as ReadonlyArray<{ readonly outcome: string }>).some(
          ({ outcome }) => outcome === "recorded"
        )
        if (!isChanged) return null
        const brandId = String(args[0])
        const known = recordedAt.get(brandId)
        if (known === undefined) recordedAt.set(brandId, [facts.now()])
        else known.push(facts.now())
        return null
      },
      handled: (call) => {
        if (mayWait(call)) waiting.begin(call)
      },
      answered: ({ at, body, call, response }) => {
        if (!mayWait(call)) return null
        waiting.end(call, at)
        if (call.brand === null || response.status !== 200) return null
        const wait = waitOf(call.request.url)
        const { handledAt, handledBy } = call
        const disturbed = (what: ReadonlyArray<"clock" | "pause">, from: number): boolean =>
          facts.incidents.touched(what, from, at, handledBy)
        const lasted = at - handledAt
        if (body.data.length === 0) {
          if (disturbed(["clock"], handledAt)) early.weaken("the clock was set")
          else {
            early.judged++
            if (lasted < wait * slowest && !waiting.mayBeRefused(call, at))
              return `a request that may wait ${wait} ms was answered without a change after ${lasted} ms`
          }
        }
        if (disturbed(["pause", "clock"], handledAt - 30_000)) together.weaken("the service stood still")
        else {
          together.judged++
          if (waiting.isOneTooMany(call, at)) return "more requests waited at once than may"
        }
        const changedAt = (recordedAt.get(call.brand.id) ?? []).find((time) => time >= handledAt)
        if (changedAt === undefined) return null
        if (disturbed(["pause"], handledAt)) {
          late.weaken("the service stood still")
          return null
        }
        late.judged++
        facts.coverageMarks.add("a request waited for a change")
        return at - changedAt > slackMillis ? `a request waited ${at - changedAt} ms after a change` : null
      }
    }
  }
}
