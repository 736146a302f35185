/** Reads a file of observations, one on each line, in batches with line numbers. */
import { createReadStream } from "node:fs"

/** One line of a file of observations. */
export interface FileLine {
  /** From 1. */
  readonly number: number
  /** The bytes of the line without its newline, truncated beyond the maximum length. */
  readonly bytes: Buffer
  /** Byte offsets in the file: of the line's start, and of the position after its newline. */
  readonly startsAt: number
  readonly endsAt: number
}

const newline = 10
/** What the server takes for blank. */
const blanks: ReadonlySet<number> = new Set([9, 13, 32])
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])
const openingBrace = "{".charCodeAt(0)

/** Whether the bytes are blank but for a byte order mark, with which a file begins, or one of several that were joined. */
const isBlank = (bytes: Buffer): boolean => {
  const hasMark = bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark)
  for (let at = hasMark ? byteOrderMark.length : 0; at < bytes.length; at++)
    if (!blanks.has(bytes[at]!)) return false
  return true
}

/**
 * Whether a line may be an observation: it begins with `{`, and does not end there. A request that begins with others is no x-ndjson to the
 * server, which refuses all of it.
 */
export const beginsObject = ({ bytes }: FileLine): boolean => {
  const at = bytes.indexOf(openingBrace)
  return at >= 0 && isBlank(bytes.subarray(0, at)) && !isBlank(bytes.subarray(at + 1))
}

/**
 * Yields each line that is not blank, in order. It truncates a line longer than `maxBytes`, which the server
 * would refuse.
 */
export async function* linesOf(path: string, maxBytes: number): AsyncGenerator<FileLine> {
  let pending: Array<Buffer> = []
  let pendingBytes = 0
  let number = 0
  let position = 0
  let startsAt = 0
  const append = (batch: Buffer): void => {
    const room = maxBytes + 1 - pendingBytes
    if (batch.length === 0 || room <= 0) return
    pending.push(batch.subarray(0, room))
    pendingBytes += Math.min(batch.length, room)
  }
  const takeLine = (endsAt: number): FileLine | null => {
    // Most lines lie within what was read at once: a copy of each would take more time than all else here.
    const bytes = pending.length === 1 ? pending[0]! : Buffer.concat(pending)
    pending = []
    pendingBytes = 0
    number++
    const line = { number, bytes, startsAt, endsAt }
    startsAt = endsAt
    return isBlank(bytes) ? null : line
  }
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    let from = 0
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      append(chunk.subarray(from, at))
      const line = takeLine(position + at + 1)
      if (line !== null) yield line
      from = at + 1
    }
    append(chunk.subarray(from))
    position += chunk.length
  }
  const last = pendingBytes === 0 ? null : takeLine(position)
  if (last !== null) yield last
}

/** Groups lines into batches of at most `limits.lines` lines and about `limits.bytes` bytes. */
export async function* batchesOf(
  lines: AsyncIterable<FileLine>,
  limits: { readonly lines: number; readonly bytes: number }
): AsyncGenerator<ReadonlyArray<FileLine>> {
  let batch: Array<FileLine> = []
  let bytes = 0
  for await (const line of lines) {
    if (batch.length > 0 && (batch.length === limits.lines || bytes + line.bytes.length > limits.bytes)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(line)
    bytes += line.bytes.length
  }
  if (batch.length > 0) yield batch
}
