/**
 * What a loss of power leaves of a file: of the writes since its last sync each sector may be there or not, in whatever order
 * they were made, and the last one in part.
 */
import type { Prng } from "@lead-signals/simulation-kernel"

/** Bytes that a disk writes whole or not at all. */
const sectorBytes = 512

const sectorsOf = (bytes: Buffer): number => Math.ceil(bytes.length / sectorBytes)

const sectorAt = (bytes: Buffer, i: number): Buffer => bytes.subarray(i * sectorBytes, (i + 1) * sectorBytes)

/** The sectors in which the files differ, in order. */
const changedSectors = (before: Buffer, after: Buffer): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let i = 0; i < Math.max(sectorsOf(before), sectorsOf(after)); i++) {
    if (!sectorAt(before, i).equals(sectorAt(after, i))) found.push(i)
  }
  return found
}

/**
 * The file with some of its changed sectors as they were before. Its length is that of the last sector that arrived; what
 * was lost in between reads as zeros.
 */
const withoutSectors = (before: Buffer, after: Buffer, lost: ReadonlySet<number>): Buffer => {
  const ends = Array.from({ length: sectorsOf(after) }, (_, i) =>
    lost.has(i) ? 0 : Math.min((i + 1) * sectorBytes, after.length)
  )
  const file = Buffer.alloc(Math.max(Math.min(before.length, after.length), ...ends, 0))
  for (let i = 0; i < sectorsOf(file); i++) {
    const source = sectorAt(lost.has(i) ? before : after, i)
    source.copy(file, i * sectorBytes, 0, Math.min(source.length, file.length - i * sectorBytes))
  }
  return file
}

/** The file with what was written before the byte, and from there on as it was. */
const cutAt = (before: Buffer, after: Buffer, byte: number): Buffer =>
  Buffer.concat([after.subarray(0, byte), before.subarray(byte)])

/** The last byte in which the files differ; -1 where there is none. */
const lastDifference = (before: Buffer, after: Buffer): number => {
  for (let i = Math.max(before.length, after.length) - 1; i >= 0; i--) if (before[i] !== after[i]) return i
  return -1
}

/**
 * One of the states that a loss of power can leave of unsynced writes, which is never all of them: cut off at a byte, the
 * first sectors lost and the last ones there, or sectors lost here and there. The file itself where nothing was written.
 */
export const torn = (before: Buffer, after: Buffer, draw: Prng): Buffer => {
  const changed = changedSectors(before, after)
  if (changed.length === 0) return after
  const way = draw.pick(["cut", "first lost", "scattered", "all lost"] as const)
  switch (way) {
    case "cut": {
      const from = changed[0]! * sectorBytes
      return cutAt(before, after, from + draw.below(lastDifference(before, after) - from + 1))
    }
    case "first lost":
      return withoutSectors(before, after, new Set(changed.slice(0, 1 + draw.below(changed.length))))
    case "scattered": {
      const lost = changed.filter(() => draw.chance(0.5))
      return withoutSectors(before, after, new Set(lost.length === 0 ? [draw.pick(changed)] : lost))
    }
    case "all lost":
      return before
  }
}
