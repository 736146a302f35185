/**
 * Rebuilds both search indexes and the sort keys of names, which takes some two minutes a million leads.
 *
 * The tokens of the index of texts begin with the brand, as those of one and two characters do, so a search reads the entries
 * of one brand alone. FTS5 searches for the first text with all trigrams of a phrase, and for the one behind the last,
 * regardless of a range of entries: a brand without a match had paid for the texts of others.
 *
 * Texts are folded by Unicode's full case folding.
 */
import { Folding } from "@lead-signals/domain"
import { ask, askColumn, type Asking, tell, tellAll, tellMany } from "../Asking.ts"
import type { Progress } from "../MigrationProgress.ts"
import { searchTexts } from "../SearchIndex.ts"
import { rebuildStretches } from "./0003_positions.ts"
import { joinedTexts } from "./0008_joined_texts.ts"

interface Row {
  readonly id: number
  readonly brand_id: number
  readonly name: string
  readonly name_key: string
  readonly headline: string | null
}

/** Few enough that whoever else is served in this thread does not wait for their texts to be folded. */
const readAtOnce = 200

/** Visits all leads by rising id: FTS5 writes everything out when an entry is less than the one before. */
function* forEachPiece(progress: Progress, write: (rows: ReadonlyArray<Row>) => Asking<void>): Asking<void> {
  const [greatest] = yield* askColumn<number | null>("SELECT max(id) FROM lead", [])
  for (let last = 0; ;) {
    const rows = yield* ask<Row>(
      "SELECT id, brand_id, name, name_key, headline FROM lead WHERE id > ? ORDER BY id LIMIT ?",
      [last, readAtOnce]
    )
    yield* write(rows)
    last = rows.at(-1)?.id ?? last
    progress(last / Math.max(1, greatest ?? 1))
    if (rows.length < readAtOnce) return
  }
}

const writeTexts = (rows: ReadonlyArray<Row>): Asking<void> =>
  tellMany(
    "INSERT INTO lead_text (rowid, name, headline) VALUES (?, ?, ?)",
    rows.map(({ brand_id, headline, id, name }) => {
      const texts = searchTexts(brand_id, name, headline)
      return [id, texts.name, texts.headline]
    })
  )

const writeGrams = (rows: ReadonlyArray<Row>): Asking<void> =>
  tellMany(
    "INSERT INTO lead_gram (rowid, grams) VALUES (?, ?)",
    rows.map(({ brand_id, headline, id, name }) => [id, searchTexts(brand_id, name, headline).grams])
  )

/** A stretch begins with the key of a name: a changed key must not stay there, so the stretches are rebuilt. [PII-3] */
function* foldNames(progress: Progress): Asking<void> {
  let changed = 0
  yield* forEachPiece(progress, function* (rows) {
    const keys = rows.flatMap(({ id, name, name_key }) => {
      const key = Folding.fold(name)
      return key === name_key ? [] : [[key, id]]
    })
    changed += keys.length
    yield* tellMany("UPDATE lead SET name_key = ? WHERE id = ?", keys)
  })
  if (changed > 0) yield* tellAll(rebuildStretches(1024))
}

/** The share of each part of the work, as measured. */
const [names, texts, grams] = [0.1, 0.5, 0.3]

export function* textsByBrand(progress: Progress): Asking<void> {
  yield* foldNames((done) => progress(names * done))
  yield* tell("DROP TABLE lead_text")
  yield* tell("CREATE VIRTUAL TABLE lead_text USING fts5(name, headline, content='', tokenize='ascii')")
  yield* tell("INSERT INTO lead_text (lead_text, rank) VALUES ('secure-delete', 1)")
  yield* forEachPiece((done) => progress(names + texts * done), writeTexts)
  yield* tell("INSERT INTO lead_gram (lead_gram) VALUES ('delete-all')")
  yield* forEachPiece((done) => progress(names + texts + grams * done), writeGrams)
  yield* joinedTexts()
}
