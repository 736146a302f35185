/**
 * Requests for changes that wait until there is one. Those of a brand share one watch, which looks into the store twice a second and holds
 * nothing between two looks: no connection of the store, no slot of admission. [CHG-6]
 */
import { type ApiKey, type BrandId, elapsedMillis, type StoreUnavailable } from "@lead-signals/domain"
import { Context, Deferred, Effect, Exit, FiberId, Tracer } from "effect"

/** How many requests may wait, and how often the store is looked into for them. */
export interface WaitLimits {
  /** Requests of one key that wait at once; further ones are answered at once. */
  readonly maxPerKey: number
  /** Requests of all keys that wait at once. */
  readonly maxWaits: number
  /** Milliseconds between two looks into the store for one brand. */
  readonly pollMillis: number
  /** Milliseconds between two looks at the key of a request, which may be revoked meanwhile. */
  readonly keyMillis: number
}

const defaultLimits: WaitLimits = { maxPerKey: 4, maxWaits: 1000, pollMillis: 500, keyMillis: 1500 }

/** The limits on waits; a host can provide its own. */
export class ChangeWaitLimits extends Context.Reference<ChangeWaitLimits>()(
  "@lead-signals/http/ChangeWaitLimits",
  { defaultValue: (): WaitLimits => defaultLimits }
) {}

/** What ends a wait early. */
export interface WaitEnds {
  /** Whether the server is about to stop: what waits is answered then. */
  readonly isDraining: Effect.Effect<boolean>
}

/** A request that may wait. */
export interface Waiting<A, E, R, E2, R2> {
  readonly keyId: ApiKey["id"]
  readonly brandId: BrandId
  /** For how long it waits at most. */
  readonly seconds: number
  /** Whether what was seen is worth an answer. */
  readonly isWorth: (seen: A) => boolean
  /** Where in the brand's changes it was seen. */
  readonly positionOf: (seen: A) => number
  /** Sees what followed. */
  readonly look: (seen: A) => Effect.Effect<A, E, R>
  /** Sees whether anything followed: what is worth an answer to any request of the brand, or the newest position. */
  readonly peek: (seen: A) => Effect.Effect<A, E, R>
  /** Fails when the key no longer opens the call. */
  readonly checkKey: Effect.Effect<unknown, E2, R2>
}

/** One look into the store for all requests of a brand that wait. */
interface Watch {
  readonly changed: Deferred.Deferred<void>
  /** Requests that wait for it. */
  waiting: number
  /** What was seen, at the lowest position of those requests. */
  seen: unknown
}

/** The waiting requests of one server. */
export class ChangeWaits {
  private readonly byKey = new Map<ApiKey["id"], number>()
  private readonly watches = new Map<BrandId, Watch>()
  private total = 0

  constructor(
    private readonly limits: WaitLimits,
    private readonly ends: WaitEnds
  ) {}

  /**
   * Looks until what is seen is worth an answer, for so many seconds at most; begins with `first`. Answers what was seen last when the time
   * is over, when the server drains, and at once where too many wait.
   */
  until<A, E, R, E2, R2>(
    first: A,
    request: Waiting<A, E, R, E2, R2>
  ): Effect.Effect<A, E | E2 | StoreUnavailable, R | R2> {
    const { checkKey, isWorth, keyId, look, seconds } = request
    const waiting = Effect.gen(this, function* () {
      const until = (yield* elapsedMillis) + seconds * 1000
      let seen = first
      for (;;) {
        const now = yield* elapsedMillis
        if (isWorth(seen) || now >= until || (yield* this.ends.isDraining)) return seen
        yield* this.untilChange(seen, request, until)
        // It may be a change that the key's holder may no longer see.
        yield* checkKey
        seen = yield* look(seen)
      }
    })
    return Effect.suspend(() =>
      seconds === 0 || isWorth(first)
        ? Effect.succeed(first)
        : Effect.acquireUseRelease(
            Effect.sync(() => this.enter(keyId)),
            (hasEntered) => (hasEntered ? waiting : Effect.succeed(first)),
            (hasEntered) => Effect.sync(() => hasEntered && this.leave(keyId))
          )
    )
  }

  /** Waits for the brand's watch, until an instant at most, and looks at the key meanwhile. */
  private untilChange<A, E, R, E2, R2>(
    seen: A,
    request: Waiting<A, E, R, E2, R2>,
    until: number
  ): Effect.Effect<void, E2, R | R2> {
    const waiting = ({ changed }: Watch) =>
      Effect.gen(this, function* () {
        for (;;) {
          const left = until - (yield* elapsedMillis)
          if (left <= 0) return
          const hasChanged = yield* Effect.timeoutTo(Deferred.await(changed), {
            duration: Math.min(left, this.limits.keyMillis),
            onSuccess: () => true,
            onTimeout: () => false
          })
          if (hasChanged) return
          yield* request.checkKey
        }
      })
    return Effect.acquireUseRelease(this.join(seen, request), waiting, (watch) =>
      Effect.sync(() => {
        watch.waiting--
        if (watch.waiting === 0) this.end(request.brandId, watch)
      })
    )
  }

  /** Joins the watch of the request's brand, or begins one. */
  private join<A, E, R, E2, R2>(seen: A, request: Waiting<A, E, R, E2, R2>): Effect.Effect<Watch, never, R> {
    return Effect.suspend(() => {
      const { brandId, positionOf } = request
      const known = this.watches.get(brandId)
      if (known !== undefined) {
        known.waiting++
        // What follows the others' positions may not be all that follows this one.
        if (positionOf(seen) < positionOf(known.seen as A)) known.seen = seen
        return Effect.succeed(known)
      }
      const watch: Watch = { changed: Deferred.unsafeMake(FiberId.none), waiting: 1, seen }
      this.watches.set(brandId, watch)
      // It belongs to none of the requests: each of them may go away.
      return Effect.as(Effect.forkDaemon(outsideOfTraces(this.watch(watch, request))), watch)
    })
  }

  /** Looks until there is a change, the server drains, or nobody waits. When a look fails, each request finds out by itself. */
  private watch<A, E, R, E2, R2>(
    watch: Watch,
    { brandId, isWorth, peek }: Waiting<A, E, R, E2, R2>
  ): Effect.Effect<void, never, R> {
    return Effect.gen(this, function* () {
      for (;;) {
        yield* Effect.sleep(this.limits.pollMillis)
        if (watch.waiting === 0 || (yield* this.ends.isDraining)) break
        const from = watch.seen as A
        const peeked = yield* Effect.exit(peek(from))
        if (Exit.isFailure(peeked) || isWorth(peeked.value)) break
        if (watch.seen === from) watch.seen = peeked.value
      }
      this.end(brandId, watch)
      yield* Deferred.succeed(watch.changed, undefined)
    })
  }

  /** Nobody joins it any more. */
  private end(brandId: BrandId, watch: Watch): void {
    if (this.watches.get(brandId) === watch) this.watches.delete(brandId)
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

/** A watch that outlives the request that began it is no part of the request's trace. */
const outsideOfTraces = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.mapInputContext(
    work,
    (context: Context.Context<R>) =>
      Context.omit(Tracer.ParentSpan)(context as Context.Context<R | Tracer.ParentSpan>) as Context.Context<R>
  )
