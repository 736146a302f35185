import type { Plan } from "../plan/Plan.ts"
import type { Call, Json, KnownBrand, Stored } from "../world/KnownFacts.ts"
import type { StoreMethod } from "../world/StorePorts.ts"
import { latencyMillis } from "../world/StoreServer.ts"
import { waitsOf } from "../world/BodyPieces.ts"
import type { Oracle } from "./Oracle.ts"
import { slowestClock, WaitingRequests, waitOf } from "./WaitingRequests.ts"

/** Writes after which the feed of a brand may have more, besides a piece of pruning, which may be of several brands. */
const changing: ReadonlySet<StoreMethod> = new Set<StoreMethod>([
  "leads.commit",
  "leads.update",
  "leads.erase"
])

const hasRecorded = ({ answer, method }: Stored): boolean =>
  method === "leads.commit" && (answer as ReadonlyArray<Json>).some(({ outcome }) => outcome === "recorded")

/**
 * The service looks twice a second; beside that, ways to a networked store and back, for looks of the watch, at the key and for a page. The time for
 * which calls of the store were slow for those who read changes comes to it.
 */
const slackMillisOf = ({ networkedStore }: Plan): number =>
  700 + (networkedStore === true ? 20 * latencyMillis : 0)

/** Longer than a crowd of requests with observations takes while the store is slow, beside what a request waits for. */
const longestTaking = 180_000

const nothingSlow = { cuts: [] }

const mayWait = (call: Call): boolean => waitOf(call) > 0

/**
 * A request that waits for a change is answered soon after one, not before the time is over while there is none, and soon after that. The time is
 * that of a clock that nobody sets. While its process stands still nothing is due: what is late is judged by the time for which it ran. At most four
 * requests of a key wait at once, and at most `maxWaits` of all keys; a further one is answered at once. [CHG-6] Every other call is answered, too.
 */
export const waitsEnd: Oracle = {
  name: "waits end",
  instantiate: (facts, checks) => {
    const early = checks.rule("a wait without a change")
    const lateAfterChange = checks.rule("a wait for a change")
    const over = checks.rule("a wait whose time is over")
    const together = checks.rule("requests that wait at once")
    const ends = checks.rule("each call is answered")
    /** The calls that have no answer yet, in the order in which they came. */
    const open = new Set<Call>()

    /** What is wrong with the one that has waited longest; what waits behind it is younger. */
    const unanswered = (): string | null => {
      for (const call of open) {
        const { handledAt, handledBy, request, route } = call
        const now = facts.now()
        const may = longestTaking + waitsOf(request.unusual?.arrival ?? nothingSlow) + waitOf(call)
        if (now - handledAt <= may) return null
        if (
          ranFor(call, handledAt, now) > may &&
          !facts.incidents.touched(["kill"], handledAt, now, handledBy)
        )
          return `${request.method} ${route} had no answer after ${ranFor(call, handledAt, now)} ms`
        if (facts.incidents.touched(["kill"], handledAt, now, handledBy)) open.delete(call)
      }
      return null
    }

    const slackMillis = slackMillisOf(facts.plan)
    const waiting = new WaitingRequests(facts.incidents, facts.plan.maxWaits)
    /** When something changed in a brand, in order. */
    const changedAt = new Map<string, Array<number>>()
    /** The newest change of each brand. */
    const newest = new Map<string, KnownBrand["reference"]["changes"][number]>()
    let isTailLost = false

    const isChanged = (brand: KnownBrand): boolean => {
      const last = brand.reference.changes.at(-1)
      if (last === undefined || newest.get(brand.id) === last) return false
      newest.set(brand.id, last)
      return true
    }

    const noteChange = (brandId: string): void => {
      const known = changedAt.get(brandId)
      if (known === undefined) changedAt.set(brandId, [facts.now()])
      else known.push(facts.now())
    }

    const ranFor = ({ handledBy }: Call, from: number, to: number): number =>
      to - from - facts.incidents.lastedWithin("pause", from, to, handledBy)

    /** Without the time for which the store was slow, too. */
    const lookedFor = (call: Call, from: number, to: number): number =>
      ranFor(call, from, to) - facts.incidents.lastedWithin("feed", from, to, call.handledBy)

    /** What is wrong with a request that is answered at an instant, or is not answered until then. */
    const overdue = (call: Call, at: number): string | null => {
      const wait = waitOf(call)
      over.judged++
      const lasted = lookedFor(call, call.handledAt, at)
      return lasted > wait / slowestClock + slackMillis
        ? `a request that may wait ${wait} ms had no answer after ${lasted} ms`
        : null
    }

    return {
      tailLost: (since) => {
        isTailLost = true
        for (const [brandId, times] of changedAt)
          changedAt.set(
            brandId,
            times.filter((time) => time <= since)
          )
      },
      stored: (done) => {
        if (done.method === "pruning.prune")
          for (const brand of [...facts.brands, ...facts.tenants]) if (isChanged(brand)) noteChange(brand.id)
        if (!changing.has(done.method)) return null
        const brand = facts.brandOf(String(done.args[0]))
        // The reference still has what a failover lost.
        if (brand !== undefined && (isTailLost ? hasRecorded(done) : isChanged(brand))) noteChange(brand.id)
        return null
      },
      handled: (call) => {
        const { goesAfter, leavesAfter } = call.request.unusual ?? {}
        // Nobody waits for one whose client goes away, and a stream has its end when its client leaves.
        if (goesAfter === undefined && leavesAfter === undefined) open.add(call)
        if (mayWait(call)) waiting.begin(call)
      },
      answered: ({ at, body, call, response }) => {
        if (open.delete(call)) ends.judged++
        const left = unanswered()
        if (left !== null) return left
        if (!mayWait(call)) return null
        waiting.end(call, at)
        const late = overdue(call, at)
        if (late !== null || call.brand === null || response.status !== 200) return late
        const wait = waitOf(call)
        const { handledAt } = call
        const lasted = at - handledAt
        if (body.data.length === 0) {
          early.judged++
          if (lasted < wait * slowestClock && !waiting.mayBeRefused(call, at))
            return `a request that may wait ${wait} ms was answered without a change after ${lasted} ms`
        }
        together.judged++
        if (waiting.isOneTooMany(call, at)) return "more requests waited at once than may"
        const times = changedAt.get(call.brand.id) ?? []
        const since = times[times.findLastIndex((time) => time < handledAt) + 1]
        if (since === undefined) return null
        lateAfterChange.judged++
        facts.coverageMarks.add("a request waited for a change")
        const millis = lookedFor(call, since, at)
        return millis > slackMillis ? `a request waited ${millis} ms after a change` : null
      },
      conclude: () => {
        for (const call of waiting.unanswered) {
          const { handledAt, handledBy } = call
          if (facts.incidents.touched(["kill"], handledAt, facts.now(), handledBy)) continue
          const late = overdue(call, facts.now())
          if (late !== null) return late
        }
        return unanswered()
      }
    }
  }
}
