/**
 * Rebuilds both search indexes and the sort keys of names, which takes some two minutes a million leads.
 *
 * The tokens of the index of texts begin with the brand, as those of one and two characters do, so a search reads the entries
 * of one brand alone. FTS5 searches for the first text with all trigrams of a phrase, and for the one behind the last,
 * regardless of a range of entries: a brand without a match had paid for the texts of others.
 *
 * Texts are folded by Unicode's full case folding, as it was in this version.
 */

import type { Connection } from "../../connection/Connection.ts"
import type { Progress } from "../MigrationProgress.ts"
import { fold } from "./0013_folding.ts"

/** What a lead is ordered by, and the least value of it. */
const orders = [
  { name: "created", key: "created_at", least: "-9e999" },
  { name: "updated", key: "updated_at", least: "-9e999" },
  { name: "name", key: "name_key", least: "''" },
  { name: "score", key: "score_rank", least: "-9e999" },
  { name: "scoreDesc", key: "score_rank_desc", least: "-9e999" }
]

const counts = "n0, n1, n2, n3, n4, n5, n6, n7"
const counting = Array.from({ length: 8 }, (_, flags) => `sum(flags = ${flags}) AS n${flags}`).join(", ")

const leadsInStretch = 1024

/** A stretch begins with the key of a name, which an erased person may have had: changed keys must not stay there. [PII-3] */
const rebuildStretches: ReadonlyArray<string> = [
  "DELETE FROM lead_stretch",
  ...orders.map(
    ({ key, least, name }) => `INSERT INTO lead_stretch (brand_id, ordering, key, id, ${counts})
     SELECT brand_id, '${name}', iif(stretch = 0, ${least}, key), iif(stretch = 0, 0, id), ${counts}
     FROM (
       SELECT brand_id, stretch, key, id, min(place), ${counting}
       FROM (SELECT *, place / ${leadsInStretch} AS stretch FROM (
         SELECT brand_id, id, flags, ${key} AS key,
           row_number() OVER (PARTITION BY brand_id ORDER BY ${key}, id) - 1 AS place FROM lead))
       GROUP BY brand_id, stretch)`
  ),
  ...orders.map(
    ({ least, name }) => `INSERT INTO lead_stretch (brand_id, ordering, key, id)
     SELECT b.id, '${name}', ${least}, 0 FROM brand b WHERE NOT EXISTS (SELECT 1 FROM lead l WHERE l.brand_id = b.id)`
  )
]

const codesOf = (text: string): ReadonlyArray<string> =>
  Array.from(fold(text), (character) => `u${character.codePointAt(0)!.toString(16)}`)

const trigrams = (brandId: number, codes: ReadonlyArray<string>): string =>
  codes
    .slice(2)
    .map((last, i) => `b${brandId}${codes[i]}${codes[i + 1]}${last}`)
    .join(" ")

/** Every character and every pair of neighbours, each once. */
const grams = (brandId: number, texts: ReadonlyArray<ReadonlyArray<string>>): string => {
  const tokens = new Set<string>()
  for (const codes of texts) {
    let before = ""
    for (const code of codes) {
      tokens.add(`b${brandId}${code}`)
      if (before !== "") tokens.add(`b${brandId}${before}${code}`)
      before = code
    }
  }
  return [...tokens].join(" ")
}

interface Row {
  readonly id: number
  readonly brand_id: number
  readonly name: string
  readonly name_key: string
  readonly headline: string | null
}

/** Leads that are read at once; progress is reported as often. */
const readAtOnce = 200

/**
 * Renames are written behind the leads that are read, in parts of about so many: with each FTS5 writes out what it has gathered.
 */
const renamedAtOnce = 20_000

type Rename = readonly [key: string, id: number]

const writeRenames = (sql: Connection, renames: ReadonlyArray<Rename>): void =>
  sql.runPerRow("UPDATE lead SET name_key = ? WHERE id = ?", renames)

/** The entries of both indexes; answers the keys of names that have changed. */
const writePiece = (sql: Connection, rows: ReadonlyArray<Row>): ReadonlyArray<Rename> => {
  const leads = rows.map(({ brand_id, headline, id, name, name_key }) => {
    const [ofName, ofHeadline] = [codesOf(name), codesOf(headline ?? "")]
    return { brand_id, id, name_key, key: fold(name), ofName, ofHeadline }
  })
  sql.runPerRow(
    "INSERT INTO lead_text (rowid, name, headline) VALUES (?, ?, ?)",
    leads.map(({ brand_id, id, ofHeadline, ofName }) => [
      id,
      trigrams(brand_id, ofName),
      trigrams(brand_id, ofHeadline)
    ])
  )
  sql.runPerRow(
    "INSERT INTO lead_gram (rowid, grams) VALUES (?, ?)",
    leads.map(({ brand_id, id, ofHeadline, ofName }) => [id, grams(brand_id, [ofName, ofHeadline])])
  )
  return leads.flatMap(({ id, key, name_key }): ReadonlyArray<Rename> =>
    key === name_key ? [] : [[key, id]]
  )
}

/** Visits all leads by rising id: FTS5 writes everything out when an entry is less than the one before. */
const writeAll = (sql: Connection, progress: Progress): void => {
  const greatest = sql.value<number | null>("SELECT max(id) FROM lead")
  let [isRenamed, renames]: [boolean, Array<Rename>] = [false, []]
  for (let last = 0; ;) {
    const rows = sql.all<Row>(
      "SELECT id, brand_id, name, name_key, headline FROM lead WHERE id > ? ORDER BY id LIMIT ?",
      [last, readAtOnce]
    )
    renames.push(...writePiece(sql, rows))
    isRenamed ||= renames.length > 0
    if (rows.length < readAtOnce || renames.length > renamedAtOnce) {
      writeRenames(sql, renames)
      renames = []
    }
    last = rows.at(-1)?.id ?? last
    progress((shareOfTexts * last) / Math.max(1, greatest ?? 1))
    if (rows.length < readAtOnce) break
  }
  if (isRenamed) sql.runAll(rebuildStretches)
}

/** As measured. */
const shareOfTexts = 0.9

const indexes = ["lead_text", "lead_gram"]

const begin: ReadonlyArray<string> = [
  "DROP TABLE lead_text",
  "CREATE VIRTUAL TABLE lead_text USING fts5(name, headline, content='', tokenize='ascii')",
  "INSERT INTO lead_text (lead_text, rank) VALUES ('secure-delete', 1)",
  "INSERT INTO lead_gram (lead_gram) VALUES ('delete-all')"
]

const end: ReadonlyArray<string> = [
  ...indexes.map((index) => `INSERT INTO ${index} (${index}, rank) VALUES ('automerge', 0)`),
  // Makes one segment of each index.
  ...indexes.map((index) => `INSERT INTO ${index} (${index}) VALUES ('optimize')`)
]

/** Rebuilds both search indexes and `name_key`. Reads all leads, and reports the progress after each batch of them. */
export const textsByBrand = (sql: Connection, progress: Progress): void => {
  sql.runAll(begin)
  writeAll(sql, progress)
  sql.runAll(end)
}
