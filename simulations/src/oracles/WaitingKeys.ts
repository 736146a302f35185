/**
 * The keys of requests that wait for a change: each look for one comes after a look at the key, and none is longer ago than a second and a half, so that
 * the end of a key is seen within two. [AUTH-5, CHG-6]
 */
import type { Call, Json, KnownFacts, Stored } from "../world/KnownFacts.ts"
import type { Checks } from "./Checks.ts"
import { isViaSession } from "./SessionReference.ts"
import { slowestClock, waitOf } from "./WaitingRequests.ts"

/** The latest look of a request for a change: one read of the feed, or several where a page takes more. */
interface Look {
  /** Whether the look goes on with another read. */
  hasMore: boolean
  /** Whether the key was looked up since. */
  isKeyLookedUp: boolean
}

/** The longest time from a call of the store to the next look at the key. */
const keyMillis = 1500

/** What a slow call of the store takes, with its way to a networked one and that of the answer before. */
const slowMillis = 1100

const longestMillis = keyMillis / slowestClock + slowMillis

/** The watch that a request began reads one change, for all that wait. */
const isOfWatch = ({ args, method }: Stored): boolean =>
  method === "leads.changesAfter" && args[2].limit === 1 && args[2].engagements === "none"

/** Hears of each call of the store. */
export class WaitingKeys {
  private readonly looks = new WeakMap<Call, Look>()
  /** When a request called the store last, in virtual milliseconds since 1970. */
  private readonly calledAt = new WeakMap<Call, number>()
  private readonly afterWait
  private readonly meanwhile

  constructor(
    private readonly facts: KnownFacts,
    checks: Checks
  ) {
    this.afterWait = checks.rule("each look of a request that has waited")
    this.meanwhile = checks.rule("how often a request that waits looks at its key")
  }

  /** What is wrong with what a request did to the store, if it may wait. */
  stored(done: Stored): string | null {
    const { answer, call, method } = done
    if (call === null || call.key === null || isViaSession(call) || waitOf(call) === 0) return null
    if (isOfWatch(done)) return null
    const look = this.looks.get(call)
    if (method === "keys.findByHash" && look !== undefined) look.isKeyLookedUp = true
    const late = this.late(call)
    return late ?? (method === "leads.changesAfter" ? this.read(call, answer) : null)
  }

  /** What is wrong with the time since the request called the store before. */
  private late(call: Call): string | null {
    const before = this.calledAt.get(call)
    const now = this.facts.now()
    this.calledAt.set(call, now)
    if (before === undefined) return null
    this.meanwhile.judged++
    const ranFor = now - before - this.facts.incidents.lastedWithin("pause", before, now, call.handledBy)
    return ranFor <= longestMillis
      ? null
      : `a request that waits with key ${call.key!.id} did not look at it for ${ranFor} ms`
  }

  /** What is wrong with a read of the feed. */
  private read(call: Call, { hasMore, isExpired }: Json): string | null {
    const goesOn = isExpired !== true && hasMore
    const before = this.looks.get(call)
    if (before?.hasMore === true) {
      before.hasMore = goesOn
      return null
    }
    this.looks.set(call, { hasMore: goesOn, isKeyLookedUp: false })
    if (before === undefined) return null
    this.afterWait.judged++
    return before.isKeyLookedUp
      ? null
      : `a request with key ${call.key!.id} has waited, and reads on without a look at the key`
  }
}
