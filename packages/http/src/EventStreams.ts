/**
 * Live events by server-sent events. A stream reads its next events from the store when its client has taken those before, so it
 * holds one page at most, and a slow client falls behind in the store instead of in memory. [LIVE-1 … LIVE-4]
 */
import {
  type BrandId,
  Brands,
  type BrandStore,
  elapsedMillis,
  type EventRead,
  LeadStore,
  liveEventView,
  type Resumption,
  type StoreUnavailable
} from "@lead-signals/domain"
import { Context, Effect, Layer, Option, type Scope, Stream } from "effect"
import { DrainState } from "./DrainState.ts"
import { logUnavailable } from "./RequestLog.ts"

/** How often streams do what they do, and how many there may be. */
export interface StreamLimits {
  /** Open streams of all brands. Further ones are refused. */
  readonly maxStreams: number
  /** Milliseconds between two looks for new events. */
  readonly pollMillis: number
  /** Milliseconds without an event until a heartbeat. */
  readonly heartbeatMillis: number
  /** Milliseconds that a client may take for what was sent, until it is disconnected. */
  readonly stallMillis: number
}

const defaultLimits: StreamLimits = {
  maxStreams: 100,
  pollMillis: 250,
  heartbeatMillis: 15_000,
  stallMillis: 30_000
}

/** The limits on streams; for tests. */
export class EventStreamLimits extends Context.Reference<EventStreamLimits>()(
  "@lead-signals/http/EventStreamLimits",
  { defaultValue: (): StreamLimits => defaultLimits }
) {}

/** Events that one read of the store answers. */
const pageLength = 200

/** Milliseconds until a browser connects again. */
const retryMillis = 1000

const block = (id: number, lines: ReadonlyArray<string>): string =>
  `${[`id: ${id}`, ...lines].join("\n")}\n\n`

/** An event without data is not dispatched; its id counts all the same. */
const openingOf = ({ gap, position }: Resumption): string =>
  block(position, [`retry: ${retryMillis}`]) +
  (gap === null ? "" : block(position, ["event: gap", `data: ${JSON.stringify({ reason: gap })}`]))

const heartbeat = (position: number): string => block(position, [":"])

const blockOf = (read: EventRead): string =>
  block(read.position, [`event: ${read.event.event}`, `data: ${JSON.stringify(liveEventView(read))}`])

/** What a stream is to show, and while what holds. */
interface StreamRequest {
  readonly brandId: BrandId
  readonly resumption: Resumption
  /** Whether the client may still read. */
  readonly isAllowed: Effect.Effect<boolean>
  /** Ends the connection of a client that does not read. */
  readonly disconnect: Effect.Effect<void>
}

/** One stream, from its begin to its end. */
class OpenStream {
  isEnded = false
  /** When the client was handed what it has not taken yet; null while it waits for more. */
  handedAt: number | null = null
  sentAt: number
  brandSeenAt: number

  constructor(
    public position: number,
    now: number
  ) {
    this.sentAt = now
    this.brandSeenAt = now
  }

  /** Heartbeats count from when the text was looked for, and the client's time from when it is handed over. */
  hand(text: string, lookedAt: number, now = lookedAt): string {
    this.sentAt = lookedAt
    this.handedAt = now
    return text
  }
}

/**
 * The streams of one server. Each polls the store when its client has taken what came before, so a slow client holds one page of memory;
 * one that takes nothing for `stallMillis` is closed. [LIVE-4]
 */
const make = Effect.gen(function* () {
  const { heartbeatMillis, maxStreams, pollMillis, stallMillis } = yield* EventStreamLimits
  const open = new Set<OpenStream>()

  const close = (stream: OpenStream): Effect.Effect<void> =>
    Effect.sync(() => {
      stream.isEnded = true
      open.delete(stream)
    })

  /** The brand can be deleted meanwhile. */
  const isBrandThere = (stream: OpenStream, brandId: BrandId, now: number) =>
    Effect.suspend((): Effect.Effect<boolean, StoreUnavailable, BrandStore> => {
      if (now - stream.brandSeenAt < heartbeatMillis) return Effect.succeed(true)
      stream.brandSeenAt = now
      return Effect.map(Effect.option(Brands.get(brandId)), Option.isSome)
    })

  /** The next text to send; fails with none at the end. */
  const next = (stream: OpenStream, { brandId, isAllowed }: StreamRequest) =>
    Effect.gen(function* () {
      const [store, draining] = yield* Effect.all([LeadStore, DrainState])
      stream.handedAt = null
      for (;;) {
        const now = yield* elapsedMillis
        const isOver =
          stream.isEnded ||
          (yield* draining.isDraining) ||
          !(yield* isAllowed) ||
          !(yield* isBrandThere(stream, brandId, now))
        if (isOver) return yield* Effect.fail(Option.none())
        const { events, position } = yield* store.eventsAfter(brandId, stream.position, pageLength)
        stream.position = position
        // The client has its time from here on, however long the looks took.
        if (events.length > 0) return stream.hand(events.map(blockOf).join(""), now, yield* elapsedMillis)
        if (now - stream.sentAt >= heartbeatMillis)
          return stream.hand(heartbeat(position), now, yield* elapsedMillis)
        yield* Effect.sleep(pollMillis)
      }
    }).pipe(
      // A client connects again, and learns then how long to wait.
      Effect.catchTag("@lead-signals/domain/StoreUnavailable", (failure) =>
        Effect.zipRight(logUnavailable(failure), Effect.fail(Option.none()))
      )
    )

  /** Closes the stream of a client that does not take what it was handed, so that another has its place. */
  const watch = (stream: OpenStream, { disconnect }: StreamRequest): Effect.Effect<void> =>
    Effect.gen(function* () {
      for (;;) {
        yield* Effect.sleep(pollMillis)
        const now = yield* elapsedMillis
        if (stream.handedAt !== null && now - stream.handedAt >= stallMillis) break
      }
      yield* close(stream)
      yield* disconnect
    })

  /** Places of streams that were answered and have not begun, by when they were given. A client that is gone by then never takes its place. */
  const promised = new Map<symbol, number>()

  const isRoomAt = (now: number): boolean => {
    for (const [place, since] of promised) if (now - since >= stallMillis) promised.delete(place)
    return open.size + promised.size < maxStreams
  }

  const begin = (request: StreamRequest, place: symbol): Effect.Effect<OpenStream, never, Scope.Scope> =>
    Effect.gen(function* () {
      const now = yield* elapsedMillis
      const stream = yield* Effect.acquireRelease(
        Effect.sync(() => {
          promised.delete(place)
          const added = new OpenStream(request.resumption.position, now)
          open.add(added)
          return added
        }),
        close
      )
      yield* Effect.forkScoped(watch(stream, request))
      return stream
    })

  const streamIn = (
    place: symbol,
    request: StreamRequest
  ): Stream.Stream<string, never, LeadStore | BrandStore> =>
    Stream.unwrapScoped(
      Effect.map(begin(request, place), (stream) =>
        Stream.concat(
          Stream.fromEffect(
            Effect.map(elapsedMillis, (now) => stream.hand(openingOf(request.resumption), now))
          ),
          Stream.repeatEffectOption(next(stream, request))
        )
      )
    )

  return {
    hasRoom: Effect.map(elapsedMillis, isRoomAt),
    /** A stream that has its place from now on, also before its client reads; null where there is none left. */
    stream: (request: StreamRequest) =>
      Effect.map(elapsedMillis, (now) => {
        if (!isRoomAt(now)) return null
        const place = Symbol("place")
        promised.set(place, now)
        return streamIn(place, request)
      })
  }
})

/** The open streams of a server. */
export class EventStreams extends Context.Tag("@lead-signals/http/EventStreams")<
  EventStreams,
  Effect.Effect.Success<typeof make>
>() {
  static readonly layer: Layer.Layer<EventStreams> = Layer.effect(EventStreams, make)
}
