/** How long a request body may take to arrive. Only the time spent waiting for the client counts. [ERR-6] */
import { elapsedMillisOf } from "@lead-signals/domain"
import { Chunk, Context, Effect, Option, Stream } from "effect"
import { RequestTimeout } from "./contract/Failures.ts"

/** How slowly a body, or a line of one, may arrive. One that is slower is answered 408. */
export interface PaceLimits {
  /** Milliseconds of waiting before the rate counts. */
  readonly graceMillis: number
  /** Bytes a second that must arrive on average after that. */
  readonly minBytesPerSecond: number
  /** Milliseconds of waiting that no body may exceed. */
  readonly maxMillis: number
}

/** The limits for each kind of body. */
export interface BodyLimits {
  /** The limits for a JSON body as a whole. */
  readonly json: PaceLimits
  /** The limits for each line of x-ndjson: a body of lines may have no end. */
  readonly line: PaceLimits
}

/** How slow a body may come unless the host says otherwise. */
export const defaultLimits: BodyLimits = {
  json: { graceMillis: 10_000, minBytesPerSecond: 1024, maxMillis: 60_000 },
  line: { graceMillis: 60_000, minBytesPerSecond: 1024, maxMillis: 300_000 }
}

/**
 * The limits on slow bodies. With null, the default, a host's own apply: the fetch handler and the Node listener have
 * some.
 */
export class BodyPace extends Context.Reference<BodyPace>()("@lead-signals/http/BodyPace", {
  defaultValue: (): { readonly limits: BodyLimits | null } => ({ limits: null })
}) {}

const seconds = (millis: number): string => `${millis / 1000} s`

/** Counts what one body, or one of its lines, has taken. */
export class Pace {
  private waitedMillis = 0
  private receivedBytes = 0

  constructor(
    private readonly what: "The body" | "A line of x-ndjson",
    private readonly limits: PaceLimits
  ) {}

  /** Milliseconds until the client is too slow, 0 when it is. */
  get leftMillis(): number {
    const { graceMillis, minBytesPerSecond, maxMillis } = this.limits
    const earnedMillis = graceMillis + (this.receivedBytes * 1000) / minBytesPerSecond
    return Math.max(0, Math.min(earnedMillis, maxMillis) - this.waitedMillis)
  }

  count(waitedMillis: number, receivedBytes: number): void {
    this.waitedMillis += Math.max(0, waitedMillis)
    this.receivedBytes += receivedBytes
  }

  /** The next line has the whole time again. */
  restart(): void {
    this.waitedMillis = 0
    this.receivedBytes = 0
  }

  get failure(): RequestTimeout {
    const { graceMillis, minBytesPerSecond, maxMillis } = this.limits
    return new RequestTimeout({
      message: `${this.what} takes at most ${seconds(maxMillis)} to arrive, and after ${seconds(graceMillis)} at least ${minBytesPerSecond} bytes a second.`
    })
  }
}

const bytesOf = (pieces: Chunk.Chunk<Uint8Array>): number =>
  Chunk.reduce(pieces, 0, (size, piece) => size + piece.length)

/** The same body, which fails with `RequestTimeout` when it falls behind the pace. */
export const paced = <E, R>(
  body: Stream.Stream<Uint8Array, E, R>,
  pace: Pace | null
): Stream.Stream<Uint8Array, E | RequestTimeout, R> =>
  pace === null
    ? body
    : Stream.unwrapScoped(
        Effect.map(Stream.toPull(body), (pull) =>
          Stream.repeatEffectChunkOption(
            Effect.clockWith((clock) => {
              const since = elapsedMillisOf(clock)
              return pull.pipe(
                Effect.timeoutFail({
                  duration: pace.leftMillis,
                  onTimeout: (): Option.Option<E | RequestTimeout> => Option.some(pace.failure)
                }),
                Effect.tap((pieces) =>
                  Effect.sync(() => pace.count(elapsedMillisOf(clock) - since, bytesOf(pieces)))
                )
              )
            })
          )
        )
      )
