/**
 * Observations as x-ndjson, one a line, in a stream without end if need be: read a piece at a time, committed a piece at
 * a time, answered a line each while the rest is still coming. What is held at once is bounded, and so is what is answered
 * for lines that are rejected. [OBS-4, OBS-5, OBS-6, OBS-8]
 */
import {
  type Brand,
  elapsedMillis,
  type Entropy,
  InvalidParameter,
  type LeadStore,
  type Outcome,
  recordInOneCommit,
  rejectedOutcome
} from "@lead-signals/domain"
import { Chunk, Effect, Either, Option, type Scope, Stream } from "effect"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { Feed } from "../Admission.ts"
import type { Attention } from "../Attention.ts"
import { decodeUtf8, maxDiscardedBytes } from "../Body.ts"
import { BodyPace, Pace, paced } from "../BodyPace.ts"
import { EventLoop } from "../EventLoop.ts"
import { logUnavailable } from "../RequestLog.ts"
import { errorBody, PayloadTooLarge, type RequestTimeout, errorResponseOf } from "../contract/Failures.ts"
import { maxFullRejections } from "../contract/OperatorSchemas.ts"
import { hasTooManyParts } from "../JsonParts.ts"
import type { PermissionFailure } from "./Endpoint.ts"
import { type FieldMode, watchFields } from "./ObservedFields.ts"

/** A line may be so long; with what is read ahead, so much is held at once. */
const maxLineBytes = 16 * 1024 * 1024

/** Fields and elements that a line may have: an observation has some fifty. Millions would be parsed for seconds, while nobody is served. */
const maxLineParts = 20_000

const lineTooLarge = new PayloadTooLarge({ message: "A line of x-ndjson takes at most 16 MiB." })

/** Bounds the lines that are worked through in one iteration of the event loop, also when each is rejected by its first byte. */
const maxPieceLines = 256

/** A line with its number, from 1. It is never blank. */
interface Line {
  readonly number: number
  readonly bytes: Uint8Array
}

const newline = 10
const blanks: ReadonlySet<number | undefined> = new Set([32, 9, 13])
const openingBrace = "{".charCodeAt(0)
const openingBracket = "[".charCodeAt(0)
const byteOrderMark = [0xef, 0xbb, 0xbf]

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

/** The first byte of a line that is not blank; undefined when all are. */
const firstByte = (bytes: Uint8Array): number | undefined => {
  let at = byteOrderMark.every((byte, i) => bytes[i] === byte) ? byteOrderMark.length : 0
  while (blanks.has(bytes[at])) at++
  return bytes[at]
}

/** Whether it may be an observation: a line that begins otherwise is rejected without parsing. */
const beginsObject = ({ bytes }: Line): boolean => firstByte(bytes) === openingBrace

type Lines = Iterable<Line>

/**
 * Cuts bytes into lines across the pieces they come in, as they are taken: many short lines of one piece are never held at
 * once. After a line that is too long no more lines come: what follows is thrown away up to a bound, so that a client that
 * sends all before it reads still sees the refusal.
 */
class LineCutter {
  private pending: Array<Uint8Array> = []
  private pendingBytes = 0
  private number = 0
  private discardedBytes = 0

  /** The lines of one push are to be taken to their end before those of the next. */
  push(bytes: Uint8Array): Either.Either<Lines, PayloadTooLarge> {
    return this.discardedBytes > maxDiscardedBytes
      ? Either.left(lineTooLarge)
      : Either.right(this.lines(bytes))
  }

  /** What stands after the last newline. */
  rest(): Either.Either<Lines, PayloadTooLarge> {
    return this.discardedBytes > 0 ? Either.left(lineTooLarge) : Either.right(this.cut())
  }

  private *lines(bytes: Uint8Array): Generator<Line> {
    if (this.discardedBytes > 0) return this.discard(bytes)
    let from = 0
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, from)) {
      this.hold(bytes.subarray(from, at))
      if (this.pendingBytes > maxLineBytes) return this.discard(bytes)
      yield* this.cut()
      from = at + 1
    }
    this.hold(bytes.subarray(from))
    if (this.pendingBytes > maxLineBytes) this.discard(bytes)
  }

  private discard(bytes: Uint8Array): void {
    this.pending = []
    this.discardedBytes += bytes.length
  }

  private hold(piece: Uint8Array): void {
    if (piece.length === 0) return
    this.pending.push(piece)
    this.pendingBytes += piece.length
  }

  /** None when it is blank. */
  private cut(): ReadonlyArray<Line> {
    this.number++
    if (this.pendingBytes === 0) return []
    const line = { number: this.number, bytes: join(this.pending) }
    this.pending = []
    this.pendingBytes = 0
    return firstByte(line.bytes) === undefined ? [] : [line]
  }
}

/** Groups lines into the pieces that are worked through at a time, each with at most so many objects. */
function* piecesOf(lines: Lines, maxObjects: number): Generator<ReadonlyArray<Line>> {
  let piece: Array<Line> = []
  let objects = 0
  for (const line of lines) {
    piece.push(line)
    if (beginsObject(line)) objects++
    if (objects === maxObjects || piece.length === maxPieceLines) {
      yield piece
      piece = []
      objects = 0
    }
  }
  if (piece.length > 0) yield piece
}

/** So many lines or bytes at the beginning without an object are no x-ndjson. */
const maxOpening = { lines: 20, bytes: 1024 * 1024 }

const notLines = (message: string) => new InvalidParameter({ parameter: "body", message })

const oneDocument = notLines(
  'The body takes x-ndjson, one observation a line; this is one JSON document. Send {"observations":[…]} as application/json, or each observation on a line of its own.'
)

const noObjects = notLines(
  `The body takes x-ndjson, one observation as a JSON object a line; none of the first ${maxOpening.lines} lines begins with {.`
)

/**
 * Refuses a body that is plainly something else, before any of it is answered: one JSON document, a table, a page. What it decides does
 * not depend on how the body falls into pieces.
 */
class Opening {
  private isBegun = false
  /** How much of a byte order mark has been seen; all of it where the body begins without one. */
  private markBytes = 0
  /** Null: it may be x-ndjson. */
  private held: Array<Line> | null = []
  private heldBytes = 0

  /** By its first byte: an array need not have lines. */
  look(bytes: Uint8Array): Either.Either<Uint8Array, InvalidParameter> {
    for (let at = 0; !this.isBegun && at < bytes.length; at++) {
      const byte = bytes[at]!
      if (byte === byteOrderMark[this.markBytes]) this.markBytes++
      else {
        this.markBytes = byteOrderMark.length
        if (byte === openingBracket) return Either.left(oneDocument)
        this.isBegun = byte !== newline && !blanks.has(byte)
      }
    }
    return Either.right(bytes)
  }

  /** Holds lines back until one of them may be an observation. */
  pass(lines: ReadonlyArray<Line>): Either.Either<ReadonlyArray<Line>, InvalidParameter> {
    for (const [i, line] of lines.entries()) {
      if (this.held === null) return Either.right(lines)
      if (this.held.length === 0 && isBrace(line)) return Either.left(oneDocument)
      if (beginsObject(line)) return Either.right([...this.rest(), ...lines.slice(i)])
      this.held.push(line)
      this.heldBytes += line.bytes.length
      if (this.held.length >= maxOpening.lines || this.heldBytes > maxOpening.bytes)
        return Either.left(noObjects)
    }
    return Either.right([])
  }

  /** A short body's lines are rejected one by one. */
  rest(): ReadonlyArray<Line> {
    const { held } = this
    this.held = null
    return held ?? []
  }
}

/** How a document of many lines begins. */
const isBrace = ({ bytes }: Line): boolean =>
  bytes.length < 8 && new TextDecoder().decode(bytes).trim() === "{"

const rejected = (number: number): Outcome =>
  rejectedOutcome(null, `Line ${number} takes one observation as JSON, in well-formed UTF-8.`)

/** The value of a line, or its rejection. */
const readLine = (line: Line): Either.Either<unknown, Outcome> => {
  if (!beginsObject(line)) return Either.left(rejected(line.number))
  if (hasTooManyParts(line.bytes, maxLineParts))
    return Either.left(
      rejectedOutcome(
        null,
        `Line ${line.number} has more than ${maxLineParts} fields and elements; a line takes one observation.`
      )
    )
  try {
    return Either.right(JSON.parse(decodeUtf8(line.bytes)))
  } catch {
    return Either.left(rejected(line.number))
  }
}

const recordLines = (brand: Brand, lines: ReadonlyArray<Line>, mode: FieldMode) =>
  Effect.gen(function* () {
    const readings = lines.map(readLine)
    const { answer, values } = watchFields(
      mode,
      readings.flatMap((reading) => (Either.isRight(reading) ? [reading.right] : []))
    )
    const outcomes = answer(yield* recordInOneCommit(brand, values))
    let next = 0
    return readings.map((reading, i): Outcome => {
      if (Either.isLeft(reading)) return reading.left
      const outcome = outcomes[next++]!
      return outcome.message === undefined
        ? outcome
        : { ...outcome, message: `Line ${lines[i]!.number}: ${outcome.message}` }
    })
  })

/** An outcome as a line of the answer; with a count it stands for so many consecutive rejected lines. */
interface AnsweredOutcome extends Outcome {
  readonly count?: number
}

const json = (value: unknown): string => `${JSON.stringify(value)}\n`

/** Encodes outcomes as lines of the answer. */
class OutcomeLines {
  private full = maxFullRejections
  private row: { readonly from: number; to: number; count: number } | null = null

  add(lines: ReadonlyArray<Line>, outcomes: ReadonlyArray<Outcome>): string {
    let text = ""
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome.outcome !== "rejected") text += this.rest() + json(outcome)
      else if (this.full > 0) {
        this.full--
        text += json(outcome)
      } else this.countRejected(lines[i]!.number)
    }
    return text
  }

  /** The row of rejected lines that was not answered yet. */
  rest(): string {
    const { row } = this
    if (row === null) return ""
    this.row = null
    const outcome: AnsweredOutcome = {
      ...rejectedOutcome(
        null,
        `Lines ${row.from} to ${row.to}: ${row.count} are rejected; only the first ${maxFullRejections} rejections of a request give the reason.`
      ),
      count: row.count
    }
    return json(outcome)
  }

  private countRejected(number: number): void {
    this.row ??= { from: number, to: number, count: 0 }
    this.row.to = number
    this.row.count++
  }
}

type Failure = PermissionFailure | PayloadTooLarge | InvalidParameter | RequestTimeout

/** Milliseconds between two looks whether the sender of lines may still send them. */
const permissionMillis = 1000

/** A body, and what the reading of it needs. */
interface Reading<E> {
  readonly brand: Brand
  readonly body: Stream.Stream<Uint8Array, E>
  readonly feed: Feed
  readonly attention: typeof Attention.Service
  readonly mode: FieldMode
  /** Fails where the sender may not send any more. */
  readonly checkPermission: Effect.Effect<void, PermissionFailure>
  /** When the sender was let in, by the monotonic clock. */
  readonly permittedAt: number
  readonly nextIteration: Effect.Effect<void>
  /** Null where lines may come as slowly as they like. */
  readonly pace: Pace | null
}

/** Reads one body. What it answers after a failure is `rest`. */
const reading = <E>(given: Reading<E>) => {
  const { attention, body, brand, checkPermission, feed, mode, nextIteration, pace, permittedAt } = given
  const [opening, cutter, outcomes] = [new Opening(), new LineCutter(), new OutcomeLines()]
  let lookedAt = permittedAt

  /** A body of lines may have no end: a token that is revoked meanwhile sends no more of them. [OPER-11] */
  const stillPermitted = Effect.flatMap(elapsedMillis, (now) => {
    if (now - lookedAt < permissionMillis) return Effect.void
    lookedAt = now
    return checkPermission
  })

  const record = (lines: ReadonlyArray<Line>) => {
    const objects = lines.filter(beginsObject)
    const bytes = objects.reduce((size, line) => size + line.bytes.length, 0)
    const recorded =
      objects.length === 0
        ? Effect.succeed(lines.map(({ number }) => rejected(number)))
        : feed.run(objects.length, bytes, recordLines(brand, lines, mode))
    return Effect.zipLeft(
      Effect.flatMap(recorded, (all) =>
        Effect.as(attention.noteOutcomes(brand.id, all), outcomes.add(lines, all))
      ),
      nextIteration
    )
  }

  const lines: Stream.Stream<ReadonlyArray<Line>, Failure> = paced(
    // A client that goes away half way has sent what it has sent: the complete lines count.
    Stream.catchAll(body, () => Stream.empty),
    pace
  ).pipe(
    // Each line has the whole time, a blank one, too: clients send such to keep the connection.
    Stream.tap((bytes) => Effect.sync(() => bytes.includes(newline) && pace?.restart())),
    Stream.mapEffect((bytes) => Either.flatMap(opening.look(bytes), () => cutter.push(bytes))),
    Stream.concat(Stream.fromEffect(Effect.suspend(() => cutter.rest()))),
    Stream.flatMap((cut) => Stream.fromIteratorSucceed(piecesOf(cut, feed.commitSize), 1)),
    Stream.mapEffect((piece) => opening.pass(piece)),
    Stream.concat(Stream.sync(() => opening.rest())),
    Stream.filter((piece) => piece.length > 0)
  )

  const answered: Stream.Stream<string, Failure, LeadStore | Entropy> = lines.pipe(
    Stream.mapEffect((piece) => Effect.zipRight(stillPermitted, record(piece))),
    Stream.filter((text) => text !== "")
  )
  return {
    answered,
    rest: Stream.filter(
      Stream.sync(() => outcomes.rest()),
      (text) => text !== ""
    )
  }
}

const lastLine = (failure: Failure): string => {
  const { code, message } = errorResponseOf(failure)!
  return json(errorBody(code, message))
}

/**
 * Answers as soon as the first piece is committed; a failure before that has its own status, a later one is the last
 * line of the answer.
 */
export const answerLines = <E>(
  given: Omit<Reading<E>, "nextIteration" | "pace" | "permittedAt">
): Effect.Effect<HttpServerResponse.HttpServerResponse, Failure, LeadStore | Entropy | Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<LeadStore | Entropy>()
    const [{ nextIteration }, { limits }] = yield* Effect.all([EventLoop, BodyPace])
    const pace = limits && new Pace("A line of x-ndjson", limits.line)
    const permittedAt = yield* elapsedMillis
    const { answered, rest } = reading({ ...given, nextIteration, pace, permittedAt })
    const pull = yield* Stream.toPull(answered)
    const first = yield* pull.pipe(
      Effect.catchAll((end) =>
        Option.isSome(end) ? Effect.fail(end.value) : Effect.succeed(Chunk.empty<string>())
      )
    )
    const more = Chunk.isEmpty(first) ? Stream.empty : Stream.repeatEffectChunkOption(pull)
    const text = Stream.concat(Stream.fromChunk(first), more).pipe(
      Stream.tapError((failure) =>
        failure._tag === "@lead-signals/domain/StoreUnavailable" ? logUnavailable(failure) : Effect.void
      ),
      Stream.concat(rest),
      Stream.catchAll((failure) =>
        Stream.concat(
          rest,
          Stream.sync(() => lastLine(failure))
        )
      ),
      Stream.provideContext(context)
    )
    return HttpServerResponse.stream(Stream.encodeText(text), { contentType: "application/x-ndjson" })
  })
