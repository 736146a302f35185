/**
 * Admission control for observations: bounds how many are decoded and committed concurrently. Further ones wait in a queue for
 * each brand, which are served round robin; requests beyond the bound of open ones are refused. [OBS-7]
 */
import {
  type Brand,
  CommitSize,
  type Entropy,
  type LeadStore,
  type Outcome,
  recordInOneCommit,
  type StoreUnavailable
} from "@lead-signals/domain"
import { Context, Effect, Layer, type Scope } from "effect"
import { EventLoop } from "./EventLoop.ts"

/** Pieces of `CommitSize` observations that are decoded and committed concurrently, of all brands together. */
export const maxConcurrentCommits = 4

/** Requests of one brand that are open concurrently: their bodies are held in memory. */
export const maxOpenRequests = 64

/** Decoded JSON of one brand that is held in memory. A single body is never larger. */
const maxDecodedKiB = 1024

/** A body is decoded whole; each KiB of it counts as one observation. */
const kibOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1024))

interface Waiter {
  readonly size: number
  isAdmitted: boolean
  resume: () => void
}

/** A semaphore whose slots go to brands round robin. Work begins synchronously while nobody waits. */
class SlotQueue {
  private free: number
  /** In the order in which brands are served next: a brand that was served goes to the end. */
  private readonly waiting = new Map<Brand["id"], Array<Waiter>>()

  constructor(
    private readonly slots: number,
    readonly nextIteration: Effect.Effect<void>
  ) {
    this.free = slots
  }

  /** Runs `work` with `size` slots, as soon as they are free and the brand is the next. */
  run<A, E, R>(brandId: Brand["id"], size: number, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      const waiter: Waiter = { size: Math.min(size, this.slots), isAdmitted: false, resume: () => {} }
      // The slots are released in a later iteration when others wait for them: the host serves its sockets in between.
      const yielding = Effect.suspend(() => (this.waiting.size > 0 ? this.nextIteration : Effect.void))
      return Effect.ensuring(
        Effect.zipRight(this.admitted(brandId, waiter), Effect.zipLeft(work, yielding)),
        Effect.sync(() => this.leave(brandId, waiter))
      )
    })
  }

  private admitted(brandId: Brand["id"], waiter: Waiter): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.waiting.size === 0 && waiter.size <= this.free) {
        this.admit(waiter)
        return Effect.void
      }
      return Effect.async<void>((resume) => {
        waiter.resume = () => resume(Effect.void)
        const queue = this.waiting.get(brandId)
        if (queue === undefined) this.waiting.set(brandId, [waiter])
        else queue.push(waiter)
      })
    })
  }

  private admit(waiter: Waiter): void {
    waiter.isAdmitted = true
    this.free -= waiter.size
  }

  /** Also of one that stopped waiting. */
  private leave(brandId: Brand["id"], waiter: Waiter): void {
    if (waiter.isAdmitted) this.free += waiter.size
    else {
      const others = this.waiting.get(brandId)?.filter((each) => each !== waiter) ?? []
      if (others.length > 0) this.waiting.set(brandId, others)
      else this.waiting.delete(brandId)
    }
    this.admitNext()
  }

  /** None overtakes one that needs more slots, which would starve. */
  private admitNext(): void {
    for (const [brandId, queue] of this.waiting) {
      const next = queue[0]!
      if (next.size > this.free) return
      this.waiting.delete(brandId)
      if (queue.length > 1) this.waiting.set(brandId, queue.slice(1))
      this.admit(next)
      next.resume()
    }
  }
}

/** The open requests of one brand. */
interface OpenRequests {
  count: number
  /** One slot is one KiB of JSON that is held decoded. */
  readonly decoded: SlotQueue
}

/** Records the observations of one request within the bounds that all requests share. */
export class Feed {
  constructor(
    private readonly brand: Brand,
    private readonly slots: SlotQueue,
    private readonly open: OpenRequests,
    /** Observations that one commit takes. */
    readonly commitSize: number
  ) {}

  /** Runs `work` on `count` observations of `bytes` bytes of JSON in all, as soon as slots are free and the brand is the next. */
  run<A, E, R>(count: number, bytes: number, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return this.slots.run(this.brand.id, Math.max(count, kibOf(bytes)), work)
  }

  /** Decodes a body and records its observations, a piece at a time. Outcomes are as of `recordObservations`. */
  record<E>(
    bytes: number,
    decoded: Effect.Effect<ReadonlyArray<unknown>, E>
  ): Effect.Effect<ReadonlyArray<Outcome>, E | StoreUnavailable, LeadStore | Entropy> {
    const recorded = Effect.flatMap(this.run(1, bytes, decoded), (values) => this.recordAll(values))
    return this.open.decoded.run(this.brand.id, kibOf(bytes), recorded)
  }

  private recordAll(
    values: ReadonlyArray<unknown>
  ): Effect.Effect<ReadonlyArray<Outcome>, StoreUnavailable, LeadStore | Entropy> {
    return Effect.gen(this, function* () {
      const outcomes: Array<Outcome> = []
      for (let from = 0; from < values.length; from += this.commitSize) {
        if (from > 0) yield* this.slots.nextIteration
        const piece = values.slice(from, from + this.commitSize)
        outcomes.push(...(yield* this.run(piece.length, 0, recordInOneCommit(this.brand, piece))))
      }
      return outcomes
    })
  }
}

/** One for all that the API serves. */
export class Admission extends Context.Tag("@lead-signals/http/Admission")<
  Admission,
  {
    /** A feed until the scope closes; null when the brand has as many requests open as it may. */
    readonly enter: (brand: Brand) => Effect.Effect<Feed | null, never, Scope.Scope>
  }
>() {
  static readonly layer: Layer.Layer<Admission> = Layer.effect(
    Admission,
    Effect.map(Effect.all([EventLoop, CommitSize]), ([{ nextIteration }, commitSize]) => {
      const slots = new SlotQueue(maxConcurrentCommits * commitSize, nextIteration)
      const open = new Map<Brand["id"], OpenRequests>()
      const begin = (brand: Brand): Feed | null => {
        const brandRequests = open.get(brand.id) ?? {
          count: 0,
          decoded: new SlotQueue(maxDecodedKiB, nextIteration)
        }
        if (brandRequests.count === maxOpenRequests) return null
        brandRequests.count++
        open.set(brand.id, brandRequests)
        return new Feed(brand, slots, brandRequests, commitSize)
      }
      const end = (brand: Brand, feed: Feed | null): void => {
        const brandRequests = open.get(brand.id)
        if (feed === null || brandRequests === undefined) return
        brandRequests.count--
        if (brandRequests.count === 0) open.delete(brand.id)
      }
      return {
        enter: (brand: Brand) =>
          Effect.acquireRelease(
            Effect.sync(() => begin(brand)),
            (feed) => Effect.sync(() => end(brand, feed))
          )
      }
    })
  )
}
