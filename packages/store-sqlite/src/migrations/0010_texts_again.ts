/**
 * A transaction that was taken back, on a full disk say, had kept later changes of names and headlines from the indexes of
 * texts until the process ended. What they lack is not to be seen from outside: they keep no texts, and an erased lead that is
 * still there makes up for one that is not. So they are made anew, which takes some 90 s a million leads.
 */
import type { Connection } from "../Connection.ts"
import { searchTexts } from "../SearchIndex.ts"
import { searchByBrand } from "./0005_search_by_brand.ts"
import { joinedTexts } from "./0008_joined_texts.ts"

const readAtOnce = 5000

const gramsAgain = (sql: Connection): void => {
  sql.run("INSERT INTO lead_gram (lead_gram) VALUES ('delete-all')")
  for (let last = 0; ;) {
    const rows = sql.all<{ id: number; brand_id: number; name: string; headline: string | null }>(
      "SELECT id, brand_id, name, headline FROM lead WHERE id > ? ORDER BY id LIMIT ?",
      [last, readAtOnce]
    )
    for (const { brand_id, headline, id, name } of rows) {
      sql.run("INSERT INTO lead_gram (rowid, grams) VALUES (?, ?)", [
        id,
        searchTexts(brand_id, name, headline).grams
      ])
      last = id
    }
    if (rows.length < readAtOnce) break
  }
}

const isEmpty = (sql: Connection): boolean =>
  ["lead", "lead_text_docsize", "lead_gram_docsize"].every(
    (table) => sql.get(`SELECT 1 FROM ${table} LIMIT 1`) === undefined
  )

export const textsAgain = (sql: Connection): void => {
  if (isEmpty(sql)) return
  searchByBrand(sql)
  gramsAgain(sql)
  joinedTexts(sql)
}
