/**
 * What the search indexes hold of a lead, and how a search reads there. The texts are folded by the domain's rule; a
 * search of three or more characters is a phrase of trigrams, which is found exactly where the characters stand next to
 * each other; a shorter one is a token made of the brand and the characters themselves.
 */
import { Folding, type Lead } from "@lead-signals/domain"
import type { Connection } from "./Connection.ts"
import { idOf } from "./Rows.ts"

export interface SearchTexts {
  readonly name: string
  readonly headline: string
  readonly grams: string
}

const token = (brandId: number, characters: ReadonlyArray<string>): string =>
  `b${brandId}${characters.map((character) => `u${character.codePointAt(0)!.toString(16)}`).join("")}`

/** Every character and every pair of neighbours, each once. */
const grams = (brandId: number, texts: ReadonlyArray<string>): string => {
  const tokens = new Set<string>()
  for (const text of texts) {
    const characters = Array.from(text)
    characters.forEach((character, i) => {
      tokens.add(token(brandId, [character]))
      if (i > 0) tokens.add(token(brandId, [characters[i - 1]!, character]))
    })
  }
  return [...tokens].join(" ")
}

export const searchTexts = (brandId: number, name: string, headline: string | null): SearchTexts => {
  const [foldedName, foldedHeadline] = [Folding.searchKey(name), Folding.searchKey(headline ?? "")]
  return { name: foldedName, headline: foldedHeadline, grams: grams(brandId, [foldedName, foldedHeadline]) }
}

export interface Match {
  readonly table: "lead_text" | "lead_gram"
  readonly phrase: string
}

/** The folded needle as a phrase of FTS5; null when nothing can match: no kept text holds U+0000. */
export const matchOf = (brandId: number, needle: string): Match | null => {
  if (needle.includes("\u0000")) return null
  const characters = Array.from(needle)
  return characters.length < 3
    ? { table: "lead_gram", phrase: `"${token(brandId, characters)}"` }
    : { table: "lead_text", phrase: `"${needle.replaceAll('"', '""')}"` }
}

export const insertSearch = (sql: Connection, lead: Lead): void => {
  const texts = searchTexts(idOf(lead.brandId), lead.profile.name, lead.profile.headline)
  sql.run("INSERT INTO lead_text (rowid, name, headline) VALUES (?, ?, ?)", [
    lead.id,
    texts.name,
    texts.headline
  ])
  sql.run("INSERT INTO lead_gram (rowid, grams) VALUES (?, ?)", [lead.id, texts.grams])
}

/** The indexes keep no texts: what is to be taken out must be said again. */
export const deleteSearch = (sql: Connection, lead: Lead): void => {
  const texts = searchTexts(idOf(lead.brandId), lead.profile.name, lead.profile.headline)
  sql.run("INSERT INTO lead_text (lead_text, rowid, name, headline) VALUES ('delete', ?, ?, ?)", [
    lead.id,
    texts.name,
    texts.headline
  ])
  sql.run("INSERT INTO lead_gram (lead_gram, rowid, grams) VALUES ('delete', ?, ?)", [lead.id, texts.grams])
}
