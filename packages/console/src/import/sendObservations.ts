/** Sends observations in batches, again while the server is busy: what was recorded is a duplicate then. */
import { answerOf, api, CallFailed, isTransient, type Schemas } from "../api/client.ts"
import { pause } from "../api/pause.ts"

type Outcome = Schemas["Outcome"]

/** A row of the file, as it can be mended, and the observation that is made of it, as JSON text. */
export interface Line {
  /** The line of the file in which it begins, from 1, as editors count. */
  readonly number: number
  /** One for each column of CSV; the line itself of JSONL. */
  readonly cells: ReadonlyArray<string>
  readonly text: string
}

/** A line that was not taken, and why. */
export interface RejectedLine extends Line {
  readonly message: string
}

/** Bytes of a request's body. */
const maxBodyBytes = 1024 * 1024
const maxBatchLength = 200
const maxBatchCharacters = 256 * 1024
const maxAttempts = 6
const [firstPauseMillis, maxPauseMillis] = [500, 10_000]

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Lines in batches that a request takes. */
export function* batchesOf(lines: ReadonlyArray<Line>): Generator<ReadonlyArray<Line>> {
  let batch: Array<Line> = []
  let length = 0
  for (const line of lines) {
    if (batch.length === maxBatchLength || (length > 0 && length + line.text.length > maxBatchCharacters)) {
      yield batch
      batch = []
      length = 0
    }
    batch.push(line)
    length += line.text.length
  }
  if (batch.length > 0) yield batch
}

const bodyOf = (observations: ReadonlyArray<unknown>) => ({
  observations: [...observations] as Array<Schemas["Observation"]>
})

/** Whether a request takes the observation. Only one that is longer than a batch may be too long. */
const fits = ({ text }: Line, value: unknown): boolean =>
  text.length <= maxBatchCharacters ||
  new TextEncoder().encode(JSON.stringify(bodyOf([value]))).length <= maxBodyBytes

const send = async (
  brandId: string,
  observations: ReadonlyArray<unknown>,
  signal: AbortSignal
): Promise<ReadonlyArray<Outcome>> => {
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await answerOf(
        api.POST("/operator/brands/{brandId}/observations", {
          params: { path: { brandId }, query: { unknownFields: "report" } },
          body: bodyOf(observations)
        })
      )
      // As JSON was sent, it is no text of lines.
      return (answer as { readonly data: ReadonlyArray<Outcome> }).data
    } catch (failure) {
      if (attempt === maxAttempts || !isTransient(failure)) throw failure
      const requested = failure instanceof CallFailed ? failure.retryAfterMillis : null
      await pause(requested ?? Math.min(firstPauseMillis * 2 ** attempt, maxPauseMillis), signal)
      if (signal.aborted) throw failure
    }
  }
}

/** How many lines of a batch had each outcome, and those that were rejected, by this page or by the server, in the order of the file. */
export interface BatchResult {
  readonly recorded: number
  readonly duplicate: number
  readonly suppressed: number
  readonly rejected: ReadonlyArray<RejectedLine>
  /** Paths of fields that no observation has, which were ignored: once for each line. [OBS-11] */
  readonly unknownFields: ReadonlyArray<string>
}

/** Why a line can't be sent; null: it can. */
const problemOf = (line: Line, value: unknown): string | null =>
  value === undefined
    ? "This line is not JSON."
    : fits(line, value)
      ? null
      : "This line takes more than 1 MiB, as much as a request: the command line sends longer ones."

/**
 * Sends one batch of at most 200 lines in one request. A line that is no JSON, or that no request can hold, is rejected here. A request whose failure
 * is transient is sent up to six times, with pauses of at most 10 s or of what the server asks; `signal` ends a pause, not a request under way.
 * Rejects with the last `CallFailed` or `Unreachable`.
 */
export const sendBatch = async (
  brandId: string,
  batch: ReadonlyArray<Line>,
  signal: AbortSignal
): Promise<BatchResult> => {
  const read = batch.map((line) => {
    const value = parse(line.text)
    return { line, value, problem: problemOf(line, value) }
  })
  const broken = read.flatMap(({ line, problem }) =>
    problem === null ? [] : [{ ...line, message: problem }]
  )
  const whole = read.filter(({ problem }) => problem === null)
  const outcomes =
    whole.length === 0
      ? []
      : await send(
          brandId,
          whole.map(({ value }) => value),
          signal
        )
  const numberOf = (wanted: Outcome["outcome"]) => outcomes.filter(({ outcome }) => outcome === wanted).length
  return {
    recorded: numberOf("recorded"),
    duplicate: numberOf("duplicate"),
    suppressed: numberOf("suppressed"),
    unknownFields: outcomes.flatMap(({ unknownFields }) => unknownFields ?? []),
    rejected: [
      ...broken,
      ...outcomes.flatMap(({ message, outcome }, i) =>
        outcome === "rejected" ? [{ ...whole[i]!.line, message: message ?? "" }] : []
      )
    ].sort((a, b) => a.number - b.number)
  }
}
