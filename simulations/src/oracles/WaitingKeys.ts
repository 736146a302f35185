/** The keys of requests that wait for a change: each look for one comes after a look at the key. [AUTH-5, CHG-6] */
import type { Call, Json } from "../world/KnownFacts.ts"
import type { RuleChecks } from "./Checks.ts"
import { isViaSession } from "./SessionReference.ts"
import { waitOf } from "./WaitingRequests.ts"

/** The latest look of a request for a change: one read of the feed, or several where a page takes more. */
interface Look {
  /** Whether the look goes on with another read. */
  hasMore: boolean
  /** Whether the key was looked up since. */
  isKeyLookedUp: boolean
}

/** Hears of each time that a request looks its key up or reads the feed. */
export class WaitingKeys {
  private readonly looks = new WeakMap<Call, Look>()

  constructor(private readonly rule: RuleChecks) {}

  /** The request has looked its key up. */
  lookedUp(call: Call): void {
    const look = this.looks.get(call)
    if (look !== undefined) look.isKeyLookedUp = true
  }

  /** What is wrong with a read of the feed; the watch that a request began reads one change, for all that wait. */
  read(call: Call, { engagements, limit }: Json, { hasMore, isExpired }: Json): string | null {
    if (call.key === null || isViaSession(call) || waitOf(call) === 0) return null
    if (limit === 1 && engagements === "none") return null
    const goesOn = isExpired !== true && hasMore
    const before = this.looks.get(call)
    if (before?.hasMore === true) {
      before.hasMore = goesOn
      return null
    }
    this.looks.set(call, { hasMore: goesOn, isKeyLookedUp: false })
    if (before === undefined) return null
    this.rule.judged++
    return before.isKeyLookedUp
      ? null
      : `a request with key ${call.key.id} has waited, and reads on without a look at the key`
  }
}
