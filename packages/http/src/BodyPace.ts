/** How long a request body may take to arrive. Only the time spent waiting for the client counts. [ERR-6] */
import { Chunk, Context, Effect, Option, Stream } from "effect"
import { RequestTimeout } from "./contract/Failures.ts"

export interface PaceLimits {
  /** Milliseconds before the rate matters. */
  readonly graceMillis: number
  /** Least average rate after the grace. */
  readonly minBytesPerSecond: number
  /** Milliseconds that no body may exceed. */
  readonly maxMillis: number
}

export interface BodyLimits {
  readonly json: PaceLimits
  /** Of each line: a body of lines may have no end. */
  readonly line: PaceLimits
}

export const defaultLimits: BodyLimits = {
  json: { graceMillis: 10_000, minBytesPerSecond: 1024, maxMillis: 60_000 },
  line: { graceMillis: 60_000, minBytesPerSecond: 1024, maxMillis: 300_000 }
}

/** Null: bodies may take as long as the host lets them. */
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
              const since = clock.unsafeCurrentTimeMillis()
              return pull.pipe(
                Effect.timeoutFail({
                  duration: pace.leftMillis,
                  onTimeout: (): Option.Option<E | RequestTimeout> => Option.some(pace.failure)
                }),
                Effect.tap((pieces) =>
                  Effect.sync(() => pace.count(clock.unsafeCurrentTimeMillis() - since, bytesOf(pieces)))
                )
              )
            })
          )
        )
      )
