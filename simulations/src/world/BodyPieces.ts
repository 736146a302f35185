/** In which pieces a body arrives. A network cuts it anywhere, within a character or a line break, too. */

/** How a body arrives, where that matters. */
export interface Arrival {
  /** Where it is cut: at these offsets, after each line break, or into this number of equal pieces. */
  readonly cuts: ReadonlyArray<number> | "lines" | number
  /** Milliseconds before each piece, while the service waits for it; further pieces come at once. */
  readonly pauses?: ReadonlyArray<number>
}

/** Cuts of one body at most: each piece costs a step. */
const maxCuts = 64

const newline = 10

const placesOf = (bytes: Uint8Array, isPlace: (byte: number) => boolean): ReadonlyArray<number> => {
  const places: Array<number> = []
  for (let at = 0; at < bytes.length && places.length < maxCuts; at++)
    if (isPlace(bytes[at]!)) places.push(at)
  return places
}

const equalCuts = (length: number, count: number): ReadonlyArray<number> => {
  const size = Math.ceil(length / count)
  return Array.from({ length: count - 1 }, (_, i) => Math.min(length, (i + 1) * size))
}

/** Most bodies come in one piece. The length says which do not, so that no draw of a run changes. */
const usualCuts = (bytes: Uint8Array): ReadonlyArray<number> => {
  const { length } = bytes
  switch (length % 24) {
    case 4:
    case 10:
    case 16:
      return equalCuts(length, 2)
    case 5:
    case 11:
    case 17:
      return equalCuts(length, 3)
    case 3:
      // A line break is a piece of its own, apart from a carriage return before it.
      return placesOf(bytes, (byte) => byte === newline).flatMap((at) => [at, at + 1])
    case 9:
      // Within each character of several bytes.
      return placesOf(bytes, (byte) => byte >= 0x80 && byte < 0xc0)
    case 15:
      // Empty pieces at the beginning, in the middle and at the end.
      return [0, 0, length >> 1, length >> 1, length]
    case 21:
      return Array.from({ length: Math.min(length, maxCuts) }, (_, i) => i + 1)
    case 22:
      return [1]
    case 23:
      return [1, 2, 3]
    default:
      return []
  }
}

const cutsOf = (bytes: Uint8Array, cuts: Arrival["cuts"]): ReadonlyArray<number> => {
  if (typeof cuts === "number") return equalCuts(bytes.length, cuts)
  return cuts === "lines" ? placesOf(bytes, (byte) => byte === newline).map((at) => at + 1) : cuts
}

/** The pieces of the body in order, empty ones, too; together they are the body. */
export const piecesOf = (bytes: Uint8Array, arrival?: Arrival): ReadonlyArray<Uint8Array> => {
  const cuts = arrival === undefined ? usualCuts(bytes) : cutsOf(bytes, arrival.cuts)
  return [...cuts, bytes.length].map((to, i) => bytes.subarray(i === 0 ? 0 : cuts[i - 1]!, to))
}

/** Milliseconds that the service waits for the client in all. */
export const waitsOf = ({ pauses = [] }: Arrival): number => pauses.reduce((sum, millis) => sum + millis, 0)
