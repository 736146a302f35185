/**
 * The index of texts by brand: an entry's number begins with its brand's, so that a search reads the entries of one brand
 * alone, and counts them without looking at their leads. Of a file with many leads this takes some 20 s a million.
 */
import type { Connection } from "../Connection.ts"
import { entryOf, searchTexts } from "../SearchIndex.ts"

interface Row {
  readonly id: number
  readonly brand_id: number
  readonly name: string
  readonly headline: string | null
}

const readAtOnce = 5000

export const searchByBrand = (sql: Connection): void => {
  sql.run("DROP TABLE lead_text")
  sql.run(
    "CREATE VIRTUAL TABLE lead_text USING fts5(name, headline, content='', tokenize='trigram case_sensitive 1')"
  )
  sql.run("INSERT INTO lead_text (lead_text, rank) VALUES ('secure-delete', 1)")
  for (const { id: brand } of sql.all<{ id: number }>("SELECT id FROM brand ORDER BY id")) {
    for (let last = 0; ;) {
      const rows = sql.all<Row>(
        `SELECT l.id, l.brand_id, l.name, l.headline FROM lead l
         WHERE l.id IN (SELECT id FROM lead WHERE brand_id = ? AND id > ? ORDER BY id LIMIT ${readAtOnce}) ORDER BY l.id`,
        [brand, last]
      )
      for (const { brand_id, headline, id, name } of rows) {
        const texts = searchTexts(brand_id, name, headline)
        sql.run("INSERT INTO lead_text (rowid, name, headline) VALUES (?, ?, ?)", [
          entryOf(brand_id, id),
          texts.name,
          texts.headline
        ])
        last = id
      }
      if (rows.length < readAtOnce) break
    }
  }
}
