/** Whether a body comes in time, by the specification alone: only the time counts in which the service waits for its client. [ERR-6] */
import type { BodyLimits, PaceLimits } from "@lead-signals/http"
import { type Arrival, piecesOf } from "../world/BodyPieces.ts"

/** The limits of the clause, which a host gives the service. */
export const bodyLimits: BodyLimits = {
  json: { graceMillis: 10_000, minBytesPerSecond: 1024, maxMillis: 60_000 },
  line: { graceMillis: 60_000, minBytesPerSecond: 1024, maxMillis: 300_000 }
}

const newline = 10

const allowedMillis = ({ graceMillis, maxMillis, minBytesPerSecond }: PaceLimits, bytes: number): number =>
  Math.min(maxMillis, graceMillis + (1000 * bytes) / minBytesPerSecond)

/** Where a body is given up. */
interface GivenUp {
  /** How many lines have come to their end by then. */
  readonly lines: number
}

/** Where the body is too late; null where all of it comes in time. Each line has the whole time again. */
export const givenUp = (bytes: Uint8Array, arrival: Arrival, areLines: boolean): GivenUp | null => {
  const limits = areLines ? bodyLimits.line : bodyLimits.json
  let [waited, received, lines] = [0, 0, 0]
  for (const [i, piece] of piecesOf(bytes, arrival).entries()) {
    waited += arrival.pauses?.[i] ?? 0
    if (waited > allowedMillis(limits, received)) return { lines }
    received += piece.length
    const ends = piece.filter((byte) => byte === newline).length
    lines += ends
    if (areLines && ends > 0) [waited, received] = [0, 0]
  }
  return null
}
