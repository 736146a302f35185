/**
 * The index of texts by brand: an entry's number begins with its brand's, so that a search reads the entries of one brand
 * alone, and counts them without looking at their leads. Of a file with many leads this takes some 20 s a million.
 */
import { askColumn, type Asking, ask, tell, tellMany } from "../Asking.ts"
import type { Progress } from "../Migrations.ts"
import { entryOf, searchTexts } from "../SearchIndex.ts"

interface Row {
  readonly id: number
  readonly brand_id: number
  readonly name: string
  readonly headline: string | null
}

/** Few enough that whoever else is served in this thread does not wait for their texts to be folded. */
const readAtOnce = 200

export function* searchByBrand(progress: Progress): Asking<void> {
  yield* tell("DROP TABLE lead_text")
  yield* tell(
    "CREATE VIRTUAL TABLE lead_text USING fts5(name, headline, content='', tokenize='trigram case_sensitive 1')"
  )
  yield* tell("INSERT INTO lead_text (lead_text, rank) VALUES ('secure-delete', 1)")
  // Brand by brand, in ascending order of the entries: one that is less than the one before would have all be written out.
  yield* tell("CREATE TEMP TABLE entry AS SELECT id FROM lead ORDER BY brand_id, id")
  const [count] = yield* askColumn<number>("SELECT count(*) FROM temp.entry", [])
  for (let done = 0; done < count!; done += readAtOnce) {
    const rows = yield* ask<Row>(
      `SELECT l.id, l.brand_id, l.name, l.headline FROM temp.entry e CROSS JOIN lead l ON l.id = e.id
       WHERE e.rowid > ? AND e.rowid <= ? ORDER BY e.rowid`,
      [done, done + readAtOnce]
    )
    const entries = rows.map(({ brand_id, headline, id, name }) => {
      const texts = searchTexts(brand_id, name, headline)
      return [entryOf(brand_id, id), texts.name, texts.headline]
    })
    yield* tellMany("INSERT INTO lead_text (rowid, name, headline) VALUES (?, ?, ?)", entries)
    progress(Math.min(1, (done + readAtOnce) / count!))
  }
  yield* tell("DROP TABLE temp.entry")
}
