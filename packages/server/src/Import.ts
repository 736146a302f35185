/**
 * Sends a file of observations to a running server, piece by piece, and keeps count of what became of each. Running it
 * again is free: what is there already is a duplicate. Lines that the server rejects are kept (`RejectedLines.ts`).
 */
import { Data, Duration, Effect, Schedule } from "effect"
import { statSync } from "node:fs"
import { foreignAnswer, isUnavailable, refusalOf } from "./Foreign.ts"
import { type FileLine, linesOf, piecesOf } from "./ObservationFile.ts"
import { rejectedLines } from "./RejectedLines.ts"

export interface ImportOptions {
  readonly file: string
  readonly brand: string
  readonly url: string
  readonly token: string
}

export interface Counts {
  readonly recorded: number
  readonly duplicate: number
  readonly suppressed: number
  readonly rejected: number
}

export interface ImportProgress {
  readonly counts: Counts
  readonly bytesDone: number
  readonly bytesInAll: number
}

export interface Rejection {
  readonly line: number
  readonly message: string
}

/** Why the import ended before the end of the file; what was counted until then is in the store. */
export class ImportFailed extends Data.TaggedError("ImportFailed")<{
  readonly message: string
  readonly reason?: "usage" | "unreachable"
}> {}

/** The server can't answer now: worth trying again. */
class ServerBusy extends Data.TaggedError("ServerBusy")<{ readonly message: string }> {}

interface Outcome {
  readonly outcome: keyof Counts
  readonly message?: string
}

/** The server takes no longer line. */
const greatestLineBytes = 16 * 1024 * 1024
/** Fewer lines than the server answers rejections of one by one: each answer is one line's. */
const pieceLimits = { lines: 500, bytes: 1024 * 1024 }

/** Tries for about a minute. */
const patience = Schedule.exponential("200 millis").pipe(
  Schedule.either(Schedule.spaced("5 seconds")),
  Schedule.upTo("60 seconds")
)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether the file is one JSON document: an array, one of several lines, or what the API takes as application/json. */
const isOneDocument = ({ bytes }: FileLine): boolean => {
  const text = bytes.toString("utf8").trim()
  return (
    text.startsWith("[") ||
    /^\{.*[[{]$|^\{$/s.test(text) ||
    Array.isArray((parsed(text) as { readonly observations?: unknown } | null | undefined)?.observations)
  )
}

const post = ({ brand, token, url }: ImportOptions, lines: ReadonlyArray<FileLine>) =>
  Effect.gen(function* () {
    const body = Buffer.concat(lines.flatMap(({ bytes }) => [bytes, Buffer.from("\n")]))
    const { status, text } = yield* Effect.tryPromise({
      try: async (signal) => {
        const response = await fetch(`${url}/operator/brands/${encodeURIComponent(brand)}/observations`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/x-ndjson" },
          body,
          signal
        })
        return { status: response.status, text: await response.text() }
      },
      catch: () => new ServerBusy({ message: `there is no answer from ${url}; is the server running there?` })
    })
    if (isUnavailable(status)) return yield* new ServerBusy({ message: refusalOf(text) })
    if (status === 401) {
      return yield* new ImportFailed({
        message: `${refusalOf(text)} Give it by --token or LEAD_SIGNALS_OPERATOR_TOKEN.`
      })
    }
    if (status === 404) return yield* new ImportFailed({ message: `There is no brand ${brand} at ${url}.` })
    if (status !== 200)
      return yield* new ImportFailed({ message: `The server answered ${status}: ${refusalOf(text)}` })
    const answers = yield* Effect.try({
      try: () =>
        text
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => JSON.parse(line) as Outcome),
      catch: () => new ImportFailed({ message: foreignAnswer(url) })
    })
    // Fewer answers than lines: the store stopped answering half way. Sending the piece again is free.
    return answers.length === lines.length && answers.every(({ outcome }) => outcome !== undefined)
      ? answers
      : yield* new ServerBusy({ message: "the store stopped answering half way" })
  })

export interface Imported {
  readonly counts: Counts
  /** Where the rejected lines are; null when none was rejected. */
  readonly rejectedFile: string | null
}

/** Runs to the end of the file. */
export const importFile = (
  options: ImportOptions,
  report: {
    readonly onProgress: (progress: ImportProgress) => void
    readonly onRejected: (rejection: Rejection) => void
  }
): Effect.Effect<Imported, ImportFailed> =>
  Effect.gen(function* () {
    const { bytesInAll, rejected } = yield* Effect.try({
      try: () => ({ bytesInAll: statSync(options.file).size, rejected: rejectedLines(options.file) }),
      catch: () => new ImportFailed({ message: `${options.file} can't be read.` })
    })
    const counts = { recorded: 0, duplicate: 0, suppressed: 0, rejected: 0 }

    const reject = (line: FileLine, message: string) =>
      Effect.zipRight(
        rejected.add(line),
        Effect.sync(() =>
          report.onRejected({ line: line.number, message: message.replace(/^Line \d+(?:: | )/, "") })
        )
      )

    const send = (lines: ReadonlyArray<FileLine>) =>
      Effect.gen(function* () {
        const good = lines.filter(({ bytes }) => bytes.length <= greatestLineBytes)
        const answers =
          good.length === 0
            ? []
            : yield* post(options, good).pipe(
                Effect.retry({ schedule: patience, while: (failure) => failure._tag === "ServerBusy" }),
                Effect.catchTag("ServerBusy", ({ message }) =>
                  Effect.fail(new ImportFailed({ message: `Gave up: ${message}`, reason: "unreachable" }))
                )
              )
        let next = 0
        for (const line of lines) {
          const answer: Outcome =
            line.bytes.length <= greatestLineBytes
              ? answers[next++]!
              : { outcome: "rejected", message: "takes at most 16 MiB." }
          counts[answer.outcome]++
          if (answer.outcome === "rejected") yield* reject(line, answer.message ?? "")
        }
        report.onProgress({ counts, bytesDone: lines.at(-1)!.endsAt, bytesInAll })
      })

    const pieces = piecesOf(linesOf(options.file, greatestLineBytes), pieceLimits)
    let isFirst = true
    const sendAll = Effect.gen(function* () {
      while (true) {
        const { done, value } = yield* Effect.tryPromise({
          try: () => pieces.next(),
          catch: () => new ImportFailed({ message: `${options.file} can't be read to its end.` })
        })
        if (done === true) return { counts, rejectedFile: yield* rejected.finish }
        if (isFirst && isOneDocument(value[0]!)) {
          return yield* new ImportFailed({
            message: `${options.file} is one JSON document, not one observation a line; jq -c '.[]' makes lines of an array.`,
            reason: "usage"
          })
        }
        isFirst = false
        yield* send(value)
      }
    })
    return yield* sendAll.pipe(
      Effect.onError(() => rejected.discard),
      Effect.catchTag("NotKept", ({ message }) => Effect.fail(new ImportFailed({ message })))
    )
  })

export const eta = ({ bytesDone, bytesInAll }: ImportProgress, elapsed: Duration.Duration): number =>
  (Duration.toSeconds(elapsed) * (bytesInAll - bytesDone)) / Math.max(1, bytesDone)
