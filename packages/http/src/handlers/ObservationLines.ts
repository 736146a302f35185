/**
 * Observations as x-ndjson, one a line, in a stream without end if need be: read a piece at a time, committed a piece at
 * a time, answered a line each while the rest is still coming. What is held at once is bounded. [ERR-5]
 */
import {
  type Brand,
  type Entropy,
  type LeadStore,
  Observing,
  type Outcome,
  type StoreUnavailable
} from "@lead-signals/domain"
import { Chunk, Effect, Either, Option, type Scope, Stream } from "effect"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { decodeUtf8, greatestDiscardedBytes } from "../Body.ts"
import { BodyPace, Pace, paced } from "../BodyPace.ts"
import { logUnavailable } from "../UnavailableLog.ts"
import { errorBody, PayloadTooLarge, type RequestTimeout, toldOf } from "../contract/Failures.ts"

/** A line may be so long; with what is read ahead, so much is held at once. */
export const greatestLineBytes = 16 * 1024 * 1024

export const lineTooLarge = new PayloadTooLarge({ message: "A line of x-ndjson takes at most 16 MiB." })

/** A line with its number, from 1. */
interface Line {
  readonly number: number
  readonly bytes: Uint8Array
}

const newline = 10

const join = (pieces: ReadonlyArray<Uint8Array>): Uint8Array => {
  if (pieces.length === 1) return pieces[0]!
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/**
 * Cuts bytes into lines across the pieces they come in. After a line that is too long no more lines come: what follows
 * is thrown away up to a bound, so that a client that sends all before it reads still sees the refusal.
 */
class LineCutter {
  private pending: Array<Uint8Array> = []
  private pendingBytes = 0
  private number = 0
  private discardedBytes = 0

  push(bytes: Uint8Array): Either.Either<ReadonlyArray<Line>, PayloadTooLarge> {
    if (this.discardedBytes > 0) return this.discard(bytes)
    const lines: Array<Line> = []
    let from = 0
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, from)) {
      this.hold(bytes.subarray(from, at))
      lines.push(this.cut())
      from = at + 1
    }
    this.hold(bytes.subarray(from))
    if (this.pendingBytes > greatestLineBytes) this.discard(bytes)
    return Either.right(lines)
  }

  /** What stands after the last newline. */
  rest(): Either.Either<ReadonlyArray<Line>, PayloadTooLarge> {
    if (this.discardedBytes > 0) return Either.left(lineTooLarge)
    return Either.right(this.pendingBytes === 0 ? [] : [this.cut()])
  }

  private discard(bytes: Uint8Array): Either.Either<ReadonlyArray<Line>, PayloadTooLarge> {
    this.pending = []
    this.discardedBytes += bytes.length
    return this.discardedBytes > greatestDiscardedBytes ? Either.left(lineTooLarge) : Either.right([])
  }

  private hold(piece: Uint8Array): void {
    if (piece.length === 0) return
    this.pending.push(piece)
    this.pendingBytes += piece.length
  }

  private cut(): Line {
    const bytes = join(this.pending)
    this.pending = []
    this.pendingBytes = 0
    return { number: ++this.number, bytes }
  }
}

const isBlank = ({ bytes }: Line): boolean => bytes.every((byte) => byte === 32 || byte === 9 || byte === 13)

/** The value of a line, or its rejection. */
const readLine = ({ bytes, number }: Line): Either.Either<unknown, Outcome> => {
  try {
    return Either.right(JSON.parse(decodeUtf8(bytes)))
  } catch {
    return Either.left(
      Observing.rejection(null, `Line ${number} takes one observation as JSON, in well-formed UTF-8.`)
    )
  }
}

const recordLines = (brand: Brand, lines: ReadonlyArray<Line>) =>
  Effect.gen(function* () {
    const readings = lines.map(readLine)
    const outcomes = yield* Observing.recordObservations(
      brand,
      readings.flatMap((reading) => (Either.isRight(reading) ? [reading.right] : []))
    )
    let next = 0
    return readings.map((reading, i): Outcome => {
      if (Either.isLeft(reading)) return reading.left
      const outcome = outcomes[next++]!
      return outcome.message === undefined
        ? outcome
        : { ...outcome, message: `Line ${lines[i]!.number}: ${outcome.message}` }
    })
  })

const encoder = new TextEncoder()
const encodeLines = (values: ReadonlyArray<unknown>): Uint8Array =>
  encoder.encode(values.map((value) => `${JSON.stringify(value)}\n`).join(""))

type Failure = StoreUnavailable | PayloadTooLarge | RequestTimeout

const outcomes = <E>(
  brand: Brand,
  body: Stream.Stream<Uint8Array, E>,
  pace: Pace | null
): Stream.Stream<Uint8Array, Failure, LeadStore | Entropy> =>
  Stream.suspend(() => {
    const cutter = new LineCutter()
    // A client that goes away half way has sent what it has sent: the complete lines count.
    const sent = Stream.catchAll(body, () => Stream.empty)
    return paced(sent, pace).pipe(
      Stream.mapEffect((bytes) => cutter.push(bytes)),
      Stream.concat(Stream.fromEffect(Effect.suspend(() => cutter.rest()))),
      Stream.flatMap((lines) =>
        Stream.fromIterable(
          Chunk.chunksOf(Chunk.fromIterable(lines.filter((line) => !isBlank(line))), Observing.pieceLength)
        )
      ),
      Stream.tap(() => Effect.sync(() => pace?.restart())),
      Stream.mapEffect((lines) => recordLines(brand, Chunk.toReadonlyArray(lines))),
      Stream.filter((recorded) => recorded.length > 0),
      Stream.map(encodeLines)
    )
  })

const lastLine = (failure: Failure): Uint8Array => {
  const { code, message } = toldOf(failure)!
  return encodeLines([errorBody(code, message)])
}

/**
 * Answers as soon as the first piece is committed; a failure before that has its own status, a later one is the last
 * line of the answer.
 */
export const answerLines = <E>(
  brand: Brand,
  body: Stream.Stream<Uint8Array, E>
): Effect.Effect<HttpServerResponse.HttpServerResponse, Failure, LeadStore | Entropy | Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<LeadStore | Entropy>()
    const { limits } = yield* BodyPace
    const pace = limits && new Pace("A line of x-ndjson", limits.line)
    const pull = yield* Stream.toPull(outcomes(brand, body, pace))
    const first = yield* pull.pipe(
      Effect.catchAll((end) =>
        Option.isSome(end) ? Effect.fail(end.value) : Effect.succeed(Chunk.empty<Uint8Array>())
      )
    )
    const rest = Chunk.isEmpty(first) ? Stream.empty : Stream.repeatEffectChunkOption(pull)
    const answered = Stream.concat(Stream.fromChunk(first), rest).pipe(
      Stream.tapError((failure) =>
        failure._tag === "@lead-signals/domain/StoreUnavailable" ? logUnavailable(failure) : Effect.void
      ),
      Stream.catchAll((failure) => Stream.make(lastLine(failure))),
      Stream.provideContext(context)
    )
    return HttpServerResponse.stream(answered, { contentType: "application/x-ndjson" })
  })
