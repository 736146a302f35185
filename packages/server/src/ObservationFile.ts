/** Reads a file of observations, one a line, a piece at a time, with the numbers of the lines. */
import { createReadStream } from "node:fs"

export interface FileLine {
  /** From 1. */
  readonly number: number
  /** Without its newline; cut off where the line is longer than what is taken. */
  readonly bytes: Buffer
  /** Where in the file the line starts, and where it ends with its newline. */
  readonly startsAt: number
  readonly endsAt: number
}

const newline = 10

/** Every line that is not blank, in order. One that is longer than `greatestBytes` is given cut off, as it is refused anyway. */
export async function* linesOf(path: string, greatestBytes: number): AsyncGenerator<FileLine> {
  let pending: Array<Buffer> = []
  let pendingBytes = 0
  let number = 0
  let position = 0
  let startsAt = 0
  const hold = (piece: Buffer): void => {
    const room = greatestBytes + 1 - pendingBytes
    if (piece.length === 0 || room <= 0) return
    pending.push(piece.subarray(0, room))
    pendingBytes += Math.min(piece.length, room)
  }
  const cut = (endsAt: number): FileLine | null => {
    const bytes = Buffer.concat(pending)
    pending = []
    pendingBytes = 0
    number++
    const line = { number, bytes, startsAt, endsAt }
    startsAt = endsAt
    return bytes.toString("latin1").trim() === "" ? null : line
  }
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    let from = 0
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      hold(chunk.subarray(from, at))
      const line = cut(position + at + 1)
      if (line !== null) yield line
      from = at + 1
    }
    hold(chunk.subarray(from))
    position += chunk.length
  }
  const last = pendingBytes === 0 ? null : cut(position)
  if (last !== null) yield last
}

/** Gathers lines to pieces of at most so many lines and about so many bytes. */
export async function* piecesOf(
  lines: AsyncIterable<FileLine>,
  limits: { readonly lines: number; readonly bytes: number }
): AsyncGenerator<ReadonlyArray<FileLine>> {
  let piece: Array<FileLine> = []
  let bytes = 0
  for await (const line of lines) {
    if (piece.length > 0 && (piece.length === limits.lines || bytes + line.bytes.length > limits.bytes)) {
      yield piece
      piece = []
      bytes = 0
    }
    piece.push(line)
    bytes += line.bytes.length
  }
  if (piece.length > 0) yield piece
}
