/**
 * Requests for changes that wait until there is one. A request that waits looks into the store twice a second and holds nothing
 * between two looks: no connection of the store, no slot of admission. [CHG-6]
 */
import type { ApiKey, StoreUnavailable } from "@lead-signals/domain"
import { Clock, Context, Effect } from "effect"

/** How many requests may wait, and how often each looks. */
export interface WaitLimits {
  /** Requests of one key that wait at once; further ones are answered at once. */
  readonly maxPerKey: number
  /** Requests of all keys that wait at once. */
  readonly maxWaits: number
  /** Milliseconds between two looks into the store. */
  readonly pollMillis: number
  /** Milliseconds between two looks at the key, which may be revoked meanwhile. */
  readonly keyMillis: number
}

const defaultLimits: WaitLimits = { maxPerKey: 4, maxWaits: 1000, pollMillis: 500, keyMillis: 1000 }

/** The limits on waits; for tests. */
export class ChangeWaitLimits extends Context.Reference<ChangeWaitLimits>()(
  "@lead-signals/http/ChangeWaitLimits",
  { defaultValue: (): WaitLimits => defaultLimits }
) {}

/** What ends a wait early. */
export interface WaitEnds {
  /** Whether the server is about to stop: what waits is answered then. */
  readonly isDraining: Effect.Effect<boolean>
}

/** The waiting requests of one server. */
export class ChangeWaits {
  private readonly byKey = new Map<ApiKey["id"], number>()
  private total = 0

  constructor(
    private readonly limits: WaitLimits,
    private readonly ends: WaitEnds
  ) {}

  /**
   * Repeats `look` until what it answers is worth an answer, for so many seconds at most; begins with `first`. Answers what it saw last
   * when the time is over, when the server drains, and at once where too many wait. `checkKey` fails when the key no longer opens the call.
   */
  until<A, E, R, E2, R2>(
    keyId: ApiKey["id"],
    first: A,
    {
      checkKey,
      isWorth,
      look,
      seconds
    }: {
      readonly seconds: number
      readonly isWorth: (seen: A) => boolean
      readonly look: (seen: A) => Effect.Effect<A, E, R>
      readonly checkKey: Effect.Effect<unknown, E2, R2>
    }
  ): Effect.Effect<A, E | E2 | StoreUnavailable, R | R2> {
    const { keyMillis, pollMillis } = this.limits
    const waiting = Effect.gen(this, function* () {
      const began = yield* Clock.currentTimeMillis
      let seen = first
      let keyCheckedAt = began
      for (;;) {
        const now = yield* Clock.currentTimeMillis
        const left = began + seconds * 1000 - now
        if (left <= 0 || isWorth(seen) || (yield* this.ends.isDraining)) return seen
        yield* Effect.sleep(Math.min(pollMillis, left))
        const woke = yield* Clock.currentTimeMillis
        if (woke - keyCheckedAt >= keyMillis) {
          yield* checkKey
          keyCheckedAt = woke
        }
        seen = yield* look(seen)
      }
    })
    return Effect.suspend(() => {
      if (seconds === 0 || isWorth(first) || !this.enter(keyId)) return Effect.succeed(first)
      return Effect.ensuring(
        waiting,
        Effect.sync(() => this.leave(keyId))
      )
    })
  }

  private enter(keyId: ApiKey["id"]): boolean {
    const waiting = this.byKey.get(keyId) ?? 0
    if (waiting >= this.limits.maxPerKey || this.total >= this.limits.maxWaits) return false
    this.byKey.set(keyId, waiting + 1)
    this.total++
    return true
  }

  private leave(keyId: ApiKey["id"]): void {
    const waiting = this.byKey.get(keyId)! - 1
    if (waiting === 0) this.byKey.delete(keyId)
    else this.byKey.set(keyId, waiting)
    this.total--
  }
}
