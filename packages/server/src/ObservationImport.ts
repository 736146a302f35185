/**
 * Streams a file of observations to a running server in batches and counts the outcomes. Repeating an import
 * is safe: recorded observations become duplicates. It keeps the lines that the server rejects
 * (`RejectedLines.ts`).
 */
import { Data, Duration, Effect, Fiber, Schedule } from "effect"
import { statSync } from "node:fs"
import { foreignResponseMessage, isUnavailable, refusalMessage } from "./ServerResponse.ts"
import { batchesOf, beginsObject, type FileLine, linesOf } from "./ObservationFile.ts"
import { rejectedLines } from "./RejectedLines.ts"

/** What is imported, and where to. */
export interface ImportOptions {
  readonly file: string
  readonly brand: string
  readonly url: string
  readonly token: string
  /** Whether an observation with a field that the service does not take is rejected. [OBS-11] */
  readonly strict: boolean
}

/** How many observations had which outcome. */
export interface Counts {
  readonly recorded: number
  readonly duplicate: number
  readonly suppressed: number
  readonly rejected: number
}

/** How far an import is. */
export interface ImportProgress {
  readonly counts: Counts
  readonly bytesDone: number
  readonly bytesInAll: number
}

/** An observation that was not taken, and why. */
export interface Rejection {
  readonly line: number
  readonly message: string
}

/** The import ended before the end of the file. The store keeps what was counted until then. */
export class ImportFailed extends Data.TaggedError("ImportFailed")<{
  readonly message: string
  readonly reason?: "usage" | "unreachable"
}> {}

/** The server is unavailable; the import retries. */
class ServerBusy extends Data.TaggedError("ServerBusy")<{ readonly message: string }> {}

interface Outcome {
  readonly outcome: keyof Counts
  readonly message?: string
  readonly unknownFields?: ReadonlyArray<string>
}

/** Bytes; the server refuses longer lines. */
const maxLineBytes = 16 * 1024 * 1024
/** In the server's words. */
const notAnObject = "takes one observation as JSON, in well-formed UTF-8."
/** Below the number of rejections for which the server still returns one outcome a line. */
const batchLimits = { lines: 500, bytes: 1024 * 1024 }

/** A file can have another name in each line. */
const maxUnknownFields = 100

/** Tries again for about a minute while a server is unavailable. */
export const retrySchedule = Schedule.exponential("200 millis").pipe(
  Schedule.either(Schedule.spaced("5 seconds")),
  Schedule.upTo("60 seconds")
)

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Whether the file is one JSON document: an array, an object over several lines, or the body that the API
 * accepts as application/json.
 */
const isOneDocument = ({ bytes }: FileLine): boolean => {
  const text = bytes.toString("utf8").trim()
  return (
    text.startsWith("[") ||
    /^\{.*[[{]$|^\{$/s.test(text) ||
    Array.isArray((parseJson(text) as { readonly observations?: unknown } | null | undefined)?.observations)
  )
}

const newline = Buffer.from("\n")

/**
 * Posts a batch of lines. `ServerBusy` may be tried again with the same batch, since observations that were recorded are duplicates;
 * `ImportFailed` may not.
 */
const post = ({ brand, strict, token, url }: ImportOptions, lines: ReadonlyArray<FileLine>) =>
  Effect.gen(function* () {
    const body = Buffer.concat(lines.flatMap(({ bytes }) => [bytes, newline]))
    const { status, text } = yield* Effect.tryPromise({
      try: async (signal) => {
        const path = `/operator/brands/${encodeURIComponent(brand)}/observations`
        const response = await fetch(`${url}${path}?unknownFields=${strict ? "reject" : "report"}`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/x-ndjson" },
          body,
          signal
        })
        return { status: response.status, text: await response.text() }
      },
      catch: () => new ServerBusy({ message: `there is no answer from ${url}; is the server running there?` })
    })
    if (isUnavailable(status)) return yield* new ServerBusy({ message: refusalMessage(text) })
    if (status === 401) {
      return yield* new ImportFailed({
        message: `${refusalMessage(text)} Set LEAD_SIGNALS_OPERATOR_TOKEN, or pass --token.`
      })
    }
    if (status === 404)
      return yield* new ImportFailed({
        message: `The server at ${url} has no brand ${brand}; \`brands list\` shows those that exist.`
      })
    if (status !== 200)
      return yield* new ImportFailed({ message: `The server answered ${status}: ${refusalMessage(text)}` })
    const outcomes = yield* Effect.try({
      try: () =>
        text
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => JSON.parse(line) as Outcome),
      catch: () => new ImportFailed({ message: foreignResponseMessage(url) })
    })
    // Fewer outcomes than lines: the store became unavailable midway. Repeating the batch is safe.
    return outcomes.length === lines.length && outcomes.every(({ outcome }) => outcome !== undefined)
      ? outcomes
      : yield* new ServerBusy({ message: "the store stopped answering in the middle of a batch." })
  })

/** What an import has done. */
export interface Imported {
  readonly counts: Counts
  /** How many observations had each field that was ignored, by its path, the first 100 of them. */
  readonly unknownFields: ReadonlyMap<string, number>
  /** The path of the file with the rejected lines; null when there are none. */
  readonly rejectedFile: string | null
}

/** Imports the whole file. Retries while the server is unavailable, for about a minute a batch. */
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
      catch: () => new ImportFailed({ message: `${options.file} can't be read.`, reason: "usage" })
    })
    const counts = { recorded: 0, duplicate: 0, suppressed: 0, rejected: 0 }
    const unknownFields = new Map<string, number>()

    const reject = (line: FileLine, message: string) =>
      Effect.zipRight(
        rejected.add(line),
        Effect.sync(() =>
          report.onRejected({ line: line.number, message: message.replace(/^Line \d+(?:: | )/, "") })
        )
      )

    const send = (lines: ReadonlyArray<FileLine>, isFirst: boolean) =>
      Effect.gen(function* () {
        /** Why the line is not sent; null: it is. By the first batch the server says whether the file has lines of observations at all. */
        const problemOf = (line: FileLine): string | null => {
          if (line.bytes.length > maxLineBytes) return "takes at most 16 MiB."
          return isFirst || beginsObject(line) ? null : notAnObject
        }
        const problems = lines.map(problemOf)
        const sendable = lines.filter((_, i) => problems[i] === null)
        const outcomes =
          sendable.length === 0
            ? []
            : yield* post(options, sendable).pipe(
                Effect.retry({ schedule: retrySchedule, while: (failure) => failure._tag === "ServerBusy" }),
                Effect.catchTag("ServerBusy", ({ message }) =>
                  Effect.fail(
                    new ImportFailed({ message: `The import gave up: ${message}`, reason: "unreachable" })
                  )
                )
              )
        let next = 0
        for (const [i, line] of lines.entries()) {
          const problem = problems[i]!
          const lineOutcome: Outcome =
            problem === null ? outcomes[next++]! : { outcome: "rejected", message: problem }
          counts[lineOutcome.outcome]++
          for (const path of lineOutcome.unknownFields ?? []) {
            const count = unknownFields.get(path)
            if (count !== undefined || unknownFields.size < maxUnknownFields)
              unknownFields.set(path, (count ?? 0) + 1)
          }
          if (lineOutcome.outcome === "rejected") yield* reject(line, lineOutcome.message ?? "")
        }
        report.onProgress({ counts, bytesDone: lines.at(-1)!.endsAt, bytesInAll })
      })

    const batches = batchesOf(linesOf(options.file, maxLineBytes), batchLimits)
    let isFirst = true
    const read = Effect.tryPromise({
      try: () => batches.next(),
      catch: () => new ImportFailed({ message: `${options.file} can't be read to its end.` })
    })
    const sendAll = Effect.gen(function* () {
      let reading = yield* Effect.fork(read)
      while (true) {
        const { done, value } = yield* Fiber.join(reading)
        if (done === true) return { counts, unknownFields, rejectedFile: yield* rejected.finish }
        if (isFirst && isOneDocument(value[0]!)) {
          return yield* new ImportFailed({
            message: `${options.file} is one JSON document, not one observation a line; jq -c '.[]' makes lines of an array.`,
            reason: "usage"
          })
        }
        // While the server records this batch. Only one is under way: its lines are recorded before those of the next.
        reading = yield* Effect.fork(read)
        yield* send(value, isFirst)
        isFirst = false
      }
    })
    return yield* sendAll.pipe(
      Effect.onError(() => rejected.discard),
      Effect.catchTag("NotKept", ({ message }) => Effect.fail(new ImportFailed({ message })))
    )
  })

/** The pace is that of the last so much of the time so far. */
const recentShare = 1 / 4

/** Shorter stretches say little: a batch takes some tenths of a second. */
const minRecentSeconds = 10

/**
 * Estimates the seconds that an import has left, by its pace of late: an import becomes slower as indexes grow, and as others take the
 * machine. To be called with each progress, in order; `elapsed` is since the start. `Infinity` while nothing is done.
 */
export const remainingTime = (): ((progress: ImportProgress, elapsed: Duration.Duration) => number) => {
  const reports = [{ bytes: 0, seconds: 0 }]
  return ({ bytesDone, bytesInAll }, elapsed) => {
    const seconds = Duration.toSeconds(elapsed)
    reports.push({ bytes: bytesDone, seconds })
    const from = seconds - Math.max(minRecentSeconds, seconds * recentShare)
    // The first that stays is the last that lies before the stretch.
    while (reports.length > 2 && reports[1]!.seconds <= from) reports.shift()
    const since = reports[0]!
    if (bytesDone === since.bytes) return bytesDone === bytesInAll ? 0 : Number.POSITIVE_INFINITY
    return ((seconds - since.seconds) * (bytesInAll - bytesDone)) / (bytesDone - since.bytes)
  }
}
