/**
 * What the search indexes hold of a lead, and how a search reads there. The texts are folded by the domain's rule; a
 * search of three or more characters is a phrase of trigrams, which is found exactly where the characters stand next to
 * each other; a shorter one is a token made of the brand and the characters themselves.
 */
import { Folding, type Lead, type LeadId } from "@lead-signals/domain"
import { answer, type Asking, tell } from "./Asking.ts"
import type { Connection } from "./Connection.ts"
import { forgetJoined, joinSome } from "./Joining.ts"
import { idOf } from "./Rows.ts"

export interface SearchTexts {
  readonly name: string
  readonly headline: string
  readonly grams: string
}

const codeOf = (character: string): string => `u${character.codePointAt(0)!.toString(16)}`

const token = (brandId: number, codes: string): string => `b${brandId}${codes}`

/** Every character and every pair of neighbours, each once. */
const grams = (brandId: number, texts: ReadonlyArray<string>): string => {
  const tokens = new Set<string>()
  for (const text of texts) {
    let before = ""
    for (const character of text) {
      const code = codeOf(character)
      tokens.add(token(brandId, code))
      if (before !== "") tokens.add(token(brandId, before + code))
      before = code
    }
  }
  return [...tokens].join(" ")
}

export const searchTexts = (brandId: number, name: string, headline: string | null): SearchTexts => {
  const [foldedName, foldedHeadline] = [Folding.searchKey(name), Folding.searchKey(headline ?? "")]
  return { name: foldedName, headline: foldedHeadline, grams: grams(brandId, [foldedName, foldedHeadline]) }
}

/** Of so many leads a brand's entries have room: two to the 33rd, so that a million brands have numbers that are exact. */
const room = 8_589_934_592

/** The number of a lead's entry among the texts. */
export const entryOf = (brandId: number, id: LeadId): number => brandId * room + id

/** The same of each row of leads. */
export const entrySql = `brand_id * ${room} + id`

/** Where a search reads. */
export interface Match {
  readonly table: "lead_text" | "lead_gram"
  readonly phrase: string
  /** What an entry's number is above its lead's id, and where the brand's numbers end; null: the phrase is the brand's. */
  readonly entries: { readonly base: number; readonly end: number } | null
}

/** The folded needle as a phrase of FTS5; null when nothing can match: no kept text holds U+0000. */
export const matchOf = (brandId: number, needle: string): Match | null => {
  if (needle.includes("\u0000")) return null
  const characters = Array.from(needle)
  return characters.length < 3
    ? { table: "lead_gram", phrase: `"${token(brandId, characters.map(codeOf).join(""))}"`, entries: null }
    : {
        table: "lead_text",
        phrase: `"${needle.replaceAll('"', '""')}"`,
        entries: { base: entryOf(brandId, 0), end: entryOf(brandId + 1, 0) }
      }
}

/** Whether a search for the folded needle finds a lead by these texts, as the indexes find it. [LIST-5] */
export const isFoundBy = (needle: string, name: string, headline: string | null): boolean =>
  Folding.searchKey(name).includes(needle) || Folding.searchKey(headline ?? "").includes(needle)

/** A lead's name and headline: what a search finds it by. */
export interface Found {
  readonly id: LeadId
  readonly brandId: string
  readonly profile: Pick<Lead["profile"], "name" | "headline">
}

interface Change {
  /** As the indexes have it; null when they don't. */
  readonly before: Found | null
  /** As they shall have it; null when they shall not. */
  readonly after: Found | null
}

const textsOf = ({ brandId, profile }: Found): SearchTexts =>
  searchTexts(idOf(brandId), profile.name, profile.headline)

/** The indexes keep no texts: what is to be taken out must be said again. */
function* remove(lead: Found): Asking<void> {
  const { grams, headline, name } = textsOf(lead)
  yield* tell("INSERT INTO lead_text (lead_text, rowid, name, headline) VALUES ('delete', ?, ?, ?)", [
    entryOf(idOf(lead.brandId), lead.id),
    name,
    headline
  ])
  yield* tell("INSERT INTO lead_gram (lead_gram, rowid, grams) VALUES ('delete', ?, ?)", [lead.id, grams])
}

/** What was said to the indexes is written before anything else is. */
function* writeTexts(): Asking<void> {
  yield* tell("SAVEPOINT taken_out")
  yield* tell("RELEASE taken_out")
}

/** Takes an erased lead out at once, in a transaction that changes the texts of no other. [PII-3] */
export function* takeOut(lead: Found): Asking<void> {
  yield* remove(lead)
  yield* writeTexts()
  yield* forgetJoined()
}

const insert = (sql: Connection, lead: Found): void => {
  const { grams, headline, name } = textsOf(lead)
  sql.run("INSERT INTO lead_text (rowid, name, headline) VALUES (?, ?, ?)", [
    entryOf(idOf(lead.brandId), lead.id),
    name,
    headline
  ])
  sql.run("INSERT INTO lead_gram (rowid, grams) VALUES (?, ?)", [lead.id, grams])
}

const isSame = (a: Found | null, b: Found | null): boolean =>
  a?.profile.name === b?.profile.name &&
  a?.profile.headline === b?.profile.headline &&
  (a === null) === (b === null)

const byEntry = (a: Found, b: Found): number => idOf(a.brandId) - idOf(b.brandId) || a.id - b.id

/**
 * By rising numbers, or the indexes write themselves to the disk in between. What is taken out is written before anything is
 * put in: of one lead's text taken out and put in again at once, with another's after it, they keep what should be gone.
 */
const apply = (sql: Connection, changes: ReadonlyArray<Change>): void => {
  if (changes.length === 0) return
  joinSome(sql, changes.length)
  const gone = changes.flatMap(({ before }) => before ?? []).sort(byEntry)
  for (const lead of gone) answer(sql, remove(lead))
  if (gone.length > 0) {
    answer(sql, writeTexts())
    if (changes.some(({ after }) => after === null)) answer(sql, forgetJoined())
  }
  for (const lead of changes.flatMap(({ after }) => after ?? []).sort(byEntry)) insert(sql, lead)
}

const changesOfTexts = Symbol("changes of texts")

/**
 * Changes what a search finds the lead by, when the transaction is about to commit: an index that is written to in between
 * other statements writes itself to the disk before each of them, and that costs more than all of these.
 */
export const changeSearch = (sql: Connection, before: Found | null, after: Found | null): void => {
  const { id } = (before ?? after)!
  const changes = sql.ofTransaction(changesOfTexts, () => {
    const made = new Map<LeadId, Change>()
    sql.beforeCommit(() =>
      apply(
        sql,
        [...made.values()].filter((change) => !isSame(change.before, change.after))
      )
    )
    return made
  })
  const earlier = changes.get(id)
  changes.set(id, { before: earlier === undefined ? before : earlier.before, after })
}
