/**
 * The search indexes: what they hold of a lead, and how a search queries them. Texts are folded by the domain's rule and cut
 * into tokens that begin with the brand, so a search reads only the entries of its brand. A search of three or more characters
 * is a phrase of trigrams, which matches exactly where the characters stand next to each other; a shorter one is a token of its
 * one or two characters.
 */
import type { Lead, LeadId } from "@lead-signals/domain"
import { Folding } from "@lead-signals/domain/pure"
import type { Connection } from "../connection/Connection.ts"
import { foldOnce } from "./FoldedTexts.ts"
import { countCommit, finishMerge } from "./SegmentMerge.ts"
import { idOf } from "@lead-signals/sql-rows"

/** Tokens, with a space between two. */
export interface SearchTexts {
  readonly name: string
  readonly headline: string
  readonly grams: string
}

/** Codes of most characters of most texts. */
const asciiCodes: ReadonlyArray<string> = Array.from({ length: 128 }, (_, code) => `u${code.toString(16)}`)

/** ASCII letters and digits only, as tokens are: FTS5 separates tokens at any other character. */
const textOf = (code: number): string => asciiCodes[code] ?? `u${code.toString(16)}`

/** What each token of the brand begins with. */
const prefixOf = (brandId: number): string => `b${brandId}`

type Codes = ReadonlyArray<number>

const codesOf = (text: string): Codes => {
  const codes: Array<number> = []
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at)!
    if (code > 0xffff) at++
    codes.push(code)
  }
  return codes
}

/** The token of the three characters from this place on. */
const trigramAt = (prefix: string, codes: Codes, at: number): string =>
  prefix + textOf(codes[at]!) + textOf(codes[at + 1]!) + textOf(codes[at + 2]!)

/** Every three neighbours, in order. Joined as they are made: a list of them would take twice the time. */
const trigrams = (prefix: string, codes: Codes): string => {
  let joined = ""
  for (let at = 0; at < codes.length - 2; at++) joined += (at > 0 ? " " : "") + trigramAt(prefix, codes, at)
  return joined
}

/** More than any code. */
const codeBound = 0x110000

/** Every character and every pair of neighbours, each once. Known by numbers, which are compared sooner than texts. */
const grams = (prefix: string, texts: ReadonlyArray<Codes>): string => {
  const known = new Set<number>()
  let joined = ""
  const add = (key: number, codes: string): void => {
    if (known.has(key)) return
    known.add(key)
    joined += (joined === "" ? "" : " ") + prefix + codes
  }
  for (const codes of texts) {
    for (const [i, code] of codes.entries()) {
      add(code, textOf(code))
      if (i > 0) add((codes[i - 1]! + 1) * codeBound + code, textOf(codes[i - 1]!) + textOf(code))
    }
  }
  return joined
}

/** The tokens that the search indexes hold of a lead. */
export const searchTexts = (
  brandId: number,
  name: string,
  headline: string | null,
  fold: (text: string) => string = Folding.fold
): SearchTexts => {
  const prefix = prefixOf(brandId)
  const ofName = codesOf(fold(name))
  const ofHeadline = codesOf(fold(headline ?? ""))
  return {
    name: trigrams(prefix, ofName),
    headline: trigrams(prefix, ofHeadline),
    grams: grams(prefix, [ofName, ofHeadline])
  }
}

/** The FTS5 query of a search. */
export interface Match {
  readonly table: "lead_text" | "lead_gram"
  /** The folded text to find. */
  readonly needle: string
  /** The text that the index finds: the needle, or a part of it. A part finds too much, so the texts must be compared, too. */
  readonly part: string
  /** The part's tokens, in order, each at most twice. */
  readonly tokens: ReadonlyArray<string>
}

/** FTS5 reads all positions of a token in a text once for each time that the phrase contains it. */
const maxRepeats = 2

/** The longest run of tokens that contains none more often than `maxRepeats`. */
const longestPart = (tokens: ReadonlyArray<string>): readonly [from: number, to: number] => {
  const counts = new Map<string, number>()
  const count = (each: string, by: number): number => {
    const n = (counts.get(each) ?? 0) + by
    counts.set(each, n)
    return n
  }
  let best: readonly [number, number] = [0, 0]
  let from = 0
  for (const [i, each] of tokens.entries()) {
    for (let n = count(each, 1); n > maxRepeats; n = counts.get(each)!) count(tokens[from++]!, -1)
    if (i + 1 - from > best[1] - best[0]) best = [from, i + 1]
  }
  return best
}

/** The query for a folded needle; null when nothing can match: no stored text holds U+0000. */
export const matchOf = (brandId: number, needle: string): Match | null => {
  if (needle.includes("\u0000")) return null
  const codes = codesOf(needle)
  const prefix = prefixOf(brandId)
  if (codes.length < 3) {
    return { table: "lead_gram", needle, part: needle, tokens: [prefix + codes.map(textOf).join("")] }
  }
  const tokens = trigrams(prefix, codes).split(" ")
  const [from, to] = longestPart(tokens)
  return {
    table: "lead_text",
    needle,
    part: String.fromCodePoint(...codes.slice(from, to + 2)),
    tokens: tokens.slice(from, to)
  }
}

/** FTS5's expression for these tokens next to each other. */
export const phraseOf = (tokens: ReadonlyArray<string>): string => `"${tokens.join(" ")}"`

/** Whether a search for the folded needle finds a lead by these texts, as the indexes find it. [LIST-5] */
export const isFoundBy = (needle: string, name: string, headline: string | null): boolean =>
  Folding.fold(name).includes(needle) || Folding.fold(headline ?? "").includes(needle)

/** A lead's name and headline, the texts that searches compare. */
export interface Found {
  readonly id: LeadId
  readonly brandId: string
  readonly profile: Pick<Lead["profile"], "name" | "headline">
}

interface Change {
  /** The lead as the indexes have it; null when they have none. */
  readonly before: Found | null
  /** The lead as the indexes will have it; null when it is removed. */
  readonly after: Found | null
}

const textsOf = (sql: Connection, { brandId, profile }: Found): SearchTexts =>
  searchTexts(idOf(brandId), profile.name, profile.headline, (text) => foldOnce(sql, text))

/** The indexes store no texts, so a removal passes the earlier texts again. */
const remove = (sql: Connection, lead: Found): void => {
  const { grams, headline, name } = textsOf(sql, lead)
  sql.run("INSERT INTO lead_text (lead_text, rowid, name, headline) VALUES ('delete', ?, ?, ?)", [
    lead.id,
    name,
    headline
  ])
  sql.run("INSERT INTO lead_gram (lead_gram, rowid, grams) VALUES ('delete', ?, ?)", [lead.id, grams])
}

/** Makes FTS5 write its pending entries, which a savepoint does. */
const flushTexts = (sql: Connection): void => {
  sql.run("SAVEPOINT taken_out")
  sql.run("RELEASE taken_out")
}

const byId = (a: Found, b: Found): number => a.id - b.id

const insert = (sql: Connection, lead: Found): void => {
  const { grams, headline, name } = textsOf(sql, lead)
  sql.run("INSERT INTO lead_text (rowid, name, headline) VALUES (?, ?, ?)", [lead.id, name, headline])
  sql.run("INSERT INTO lead_gram (rowid, grams) VALUES (?, ?)", [lead.id, grams])
}

const isSame = (a: Found | null, b: Found | null): boolean =>
  a?.profile.name === b?.profile.name &&
  a?.profile.headline === b?.profile.headline &&
  (a === null) === (b === null)

/**
 * By rising numbers, or the indexes write themselves to the disk in between. What is taken out is written before anything is
 * put in: of one lead's text taken out and put in again at once, with another's after it, they keep what should be gone.
 */
const apply = (sql: Connection, changes: ReadonlyArray<Change>): void => {
  if (changes.length === 0) return
  const there = changes.flatMap(({ after }) => after ?? []).sort(byId)
  // A transaction that only removes entries adds no segment.
  if (there.length > 0) countCommit(sql, there.length)
  const gone = changes.flatMap(({ before }) => before ?? []).sort(byId)
  for (const lead of gone) remove(sql, lead)
  if (gone.length > 0) {
    flushTexts(sql)
    if (changes.some(({ after }) => after === null)) finishMerge(sql)
  }
  for (const lead of there) insert(sql, lead)
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
