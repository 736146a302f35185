/**
 * How many pages FTS5 keeps of segments that it has merged, while other segments of their level are not merged. FTS5's own record
 * says which segments those are; its file format fixes the record's form. Only tests read it.
 */
import type Database from "better-sqlite3"

/** SQLite's varints: seven bits a byte, highest first. The numbers of segments and pages have less than nine bytes. */
const varintsOf = (bytes: Uint8Array, from: number): (() => number) => {
  let at = from
  return () => {
    for (let value = 0; ;) {
      const byte = bytes[at++]!
      value = value * 128 + (byte & 127)
      if (byte < 128) return value
    }
  }
}

/**
 * After four bytes that change with the configuration: the numbers of levels, of segments and of writes; of each level how many
 * segments are being merged and how many there are; of each segment its number, its first page and its last, both 0 once it is merged.
 */
const mergedSegments = (record: Uint8Array): ReadonlyArray<number> => {
  const next = varintsOf(record, 4)
  const [levels] = [next(), next(), next()]
  const merged: Array<number> = []
  for (let level = 0; level < levels; level++) {
    const [, segments] = [next(), next()]
    for (let i = 0; i < segments; i++) {
      const [id, first] = [next(), next(), next()]
      if (first === 0) merged.push(id)
    }
  }
  return merged
}

export const mergedPages = (db: Database.Database, index: string): number => {
  const record = db.prepare(`SELECT block FROM ${index}_data WHERE id = 10`).pluck().get() as Buffer
  const pages = db.prepare(
    `SELECT count(*) FROM ${index}_data WHERE id >> 37 IN (SELECT value FROM json_each(?))`
  )
  return pages.pluck().get(JSON.stringify(mergedSegments(record))) as number
}
