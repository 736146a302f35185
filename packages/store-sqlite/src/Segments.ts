/**
 * The segments in which FTS5 keeps an index of texts, level by level, as its own record of them says; and which of them it
 * would join next.
 */
import { askColumn, type Asking } from "./Asking.ts"

export interface Segment {
  readonly id: number
  /** Its pages by number. Those that have been joined are gone; of one that is joined whole both are 0, and its last pages stay. */
  readonly first: number
  readonly last: number
}

export interface Level {
  /** How many of its segments, from the oldest on, are being joined; 0 when none are. */
  readonly joining: number
  readonly segments: ReadonlyArray<Segment>
}

/** Varints of SQLite: seven bits a byte from the highest on, eight of a ninth. */
class Varints {
  constructor(
    private readonly bytes: Uint8Array,
    private at: number
  ) {}

  next(): number {
    let value = 0
    for (let i = 0; i < 9; i++) {
      const byte = this.bytes[this.at++] ?? 0
      if (i === 8) return value * 256 + byte
      value = value * 128 + (byte & 127)
      if (byte < 128) return value
    }
    return value
  }
}

/** The row of an index's data that says which segments there are. */
export const recordSql = (index: string): string => `SELECT block FROM ${index}_data WHERE id = 10`

/**
 * Reads that row, whose form the file format of FTS5 fixes: four bytes that change with the configuration, then the numbers of
 * levels, of segments and of writes; of each level how many of its segments are being joined and how many there are; of
 * each segment its number, its first page and its last.
 */
export const levelsOf = (record: Uint8Array): ReadonlyArray<Level> => {
  const varints = new Varints(record, 4)
  const [levels] = [varints.next(), varints.next(), varints.next()]
  return Array.from({ length: levels }, () => {
    const [joining, segments] = [varints.next(), varints.next()]
    return {
      joining,
      segments: Array.from({ length: segments }, () => ({
        id: varints.next(),
        first: varints.next(),
        last: varints.next()
      }))
    }
  })
}

/** So many segments of a level are joined: FTS5's `usermerge`, as it is by default. */
export const leastSegments = 4

/** What becomes one segment. */
export interface Joint {
  readonly segments: ReadonlyArray<Segment>
  /** How many pages are to be read, and have been written already. */
  readonly pages: number
}

export const pagesOf = (segments: ReadonlyArray<Segment>): number =>
  segments.reduce((sum, { first, last }) => sum + last - first + 1, 0)

/** Of each level; of one with too few there are no pages. What they become is the newest segment of the level above. */
export const jointsOf = (levels: ReadonlyArray<Level>): ReadonlyArray<Joint> =>
  levels.map(({ joining, segments }, i) => {
    const read = joining > 0 ? segments.slice(0, joining) : segments
    const made = joining > 0 ? (levels[i + 1]?.segments.slice(-1) ?? []) : []
    return { segments: read, pages: read.length < leastSegments ? 0 : pagesOf([...read, ...made]) }
  })

/** What FTS5 would join next; null where no level has enough. */
export const nextOf = (levels: ReadonlyArray<Level>): Joint | null => {
  let best: Joint | null = null
  for (const [i, joint] of jointsOf(levels).entries()) {
    if (joint.segments.length > (best?.segments.length ?? 0)) best = joint
    if (levels[i]!.joining > 0) break
  }
  return best === null || best.segments.length < leastSegments ? null : best
}

/** The segments of an index as they are now; null where the record is missing, since the file is damaged. */
export function* askLevels(index: string): Asking<ReadonlyArray<Level> | null> {
  const [record] = yield* askColumn<Uint8Array>(recordSql(index), [])
  return record === undefined ? null : levelsOf(record)
}
