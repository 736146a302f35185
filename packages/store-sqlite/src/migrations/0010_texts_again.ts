/**
 * A transaction that was taken back, on a full disk say, had kept later changes of names and headlines from the indexes of
 * texts until the process ended. What they lack is not to be seen from outside: they keep no texts, and an erased lead that is
 * still there makes up for one that is not. So they are made anew, which takes some two minutes a million leads.
 */
import { ask, askColumn, type Asking, tell, tellMany } from "../Asking.ts"
import type { Progress } from "../Migrations.ts"
import { searchTexts } from "../SearchIndex.ts"
import { searchByBrand } from "./0005_search_by_brand.ts"
import { joinedTexts } from "./0008_joined_texts.ts"

/** Few enough that whoever else is served in this thread does not wait for their texts to be folded. */
const readAtOnce = 200

function* gramsAgain(progress: Progress): Asking<void> {
  yield* tell("INSERT INTO lead_gram (lead_gram) VALUES ('delete-all')")
  const [greatest] = yield* askColumn<number | null>("SELECT max(id) FROM lead", [])
  for (let last = 0; ;) {
    const rows = yield* ask<{ id: number; brand_id: number; name: string; headline: string | null }>(
      "SELECT id, brand_id, name, headline FROM lead WHERE id > ? ORDER BY id LIMIT ?",
      [last, readAtOnce]
    )
    const entries = rows.map(({ brand_id, headline, id, name }) => [
      id,
      searchTexts(brand_id, name, headline).grams
    ])
    yield* tellMany("INSERT INTO lead_gram (rowid, grams) VALUES (?, ?)", entries)
    last = rows.at(-1)?.id ?? last
    progress(last / Math.max(1, greatest ?? 1))
    if (rows.length < readAtOnce) break
  }
}

function* isEmpty(): Asking<boolean> {
  for (const table of ["lead", "lead_text_docsize", "lead_gram_docsize"]) {
    if ((yield* askColumn(`SELECT 1 FROM ${table} LIMIT 1`, [])).length > 0) return false
  }
  return true
}

/** The share of each part of the work, as measured. */
const [texts, grams] = [0.5, 0.4]

export function* textsAgain(progress: Progress): Asking<void> {
  if (yield* isEmpty()) return
  yield* searchByBrand((done) => progress(texts * done))
  yield* gramsAgain((done) => progress(texts + grams * done))
  yield* joinedTexts()
}
