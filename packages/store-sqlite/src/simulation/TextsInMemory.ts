/**
 * What the searches of a SQLite store keep in memory, and its rank index in the file. An erased person's texts leave both at once, with the postings
 * that could make them again, and no answer shows whether they have. [PII-3]
 */
import { goneFlag } from "../search/LeadColumns.ts"
import type { SearchMemory } from "../search/SearchMemory.ts"
import { removed } from "../search/TrigramPostings.ts"
import { connectionsInPlace } from "../worker/ReadingWorker.ts"
import { brandsOf } from "../worker/TextMemory.ts"

/** What is left of leads that are gone, `there` being the ids of the others. */
const residueIn = ({ columns, postings, texts }: SearchMemory, there: ReadonlySet<number>): string | null => {
  const gone = new Set<number>()
  for (let slot = 0; slot < columns.slots; slot++) {
    if (columns.flags[slot] !== goneFlag) {
      const id = columns.idAt(slot)
      if (!there.has(id)) return `lead ${id} is still in the memory of searches`
      continue
    }
    gone.add(slot)
    const { bytes, starts } = texts.blockOf(slot)
    const inBlock = texts.inBlock(slot)
    if (bytes.subarray(starts[inBlock], starts[inBlock + 1]).some((byte) => byte !== 0))
      return `the texts of a lead that is gone are still in the memory of searches`
  }
  if (gone.size === 0) return null
  for (const part of postings.parts)
    for (const posting of part.postings.postings)
      if (posting !== removed && gone.has(part.from + (posting >>> 16)))
        return `the postings of a lead that is gone are still in the memory of searches`
  return null
}

/** A bucket has the key of the lead that it began with, such as a name. */
const staleBuckets = `SELECT id FROM lead_stretch AS bucket WHERE id > 0
  AND NOT EXISTS (SELECT 1 FROM lead WHERE lead.brand_id = bucket.brand_id AND lead.id = bucket.id) LIMIT 1`

/** What the jobs in place of a file keep of leads that are gone; null where that is nothing. */
export const residueOf = (filename: string): string | null => {
  for (const [connection, file] of connectionsInPlace) {
    if (file !== filename) continue
    for (const [brandId, { memory }] of brandsOf(connection)) {
      const ids = connection.column<number>("SELECT id FROM lead WHERE brand_id = ?", [Number(brandId)])
      const residue = residueIn(memory, new Set(ids))
      if (residue !== null) return residue
    }
    const [stale] = connection.column<number>(staleBuckets)
    if (stale !== undefined) return `a bucket of the rank index begins with lead ${stale}, which is gone`
  }
  return null
}
