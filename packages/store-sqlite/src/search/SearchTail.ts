/**
 * The tail: the newest leads, whose texts are not in the search indexes yet. A commit that writes to the indexes takes twice the time of
 * one that does not, however few its leads are, and adds a segment that must be merged. So new leads wait until there are
 * some of them, and a search compares the texts of those that wait by itself. [LIST-5]
 *
 * The indexes have the entries of every lead up to the greatest number that they hold, and of no later one. Numbers of leads rise and are
 * never given again, so nothing else needs to be kept: the tail is what has a greater number.
 */
import type { LeadId } from "@lead-signals/domain"
import type { Connection, QueryConnection } from "../connection/Connection.ts"
import { type Found, isFoundBy } from "./SearchIndex.ts"
import * as SearchIndex from "./SearchIndex.ts"

/** The tail of a commit is this long at most, unless a host sets another bound: a search compares so many texts in some 150 µs. */
export const maxUnindexed = 128

/** The greatest number that the indexes hold; 0 where they hold none. */
const indexedTo = "coalesce((SELECT rowid FROM lead_text ORDER BY rowid DESC LIMIT 1), 0)"

/** A condition on the leads of the tail. */
export const isUnindexed = `id > ${indexedTo}`

interface Tail {
  /** The indexes get what they miss up to this number with the commit, or have it. */
  indexedTo: LeadId
  /** The newest lead that the transaction has added to the tail. */
  newest: LeadId
}

const tail = Symbol("tail of the search indexes")

const tailOf = (sql: Connection): Tail =>
  sql.ofTransaction(tail, () => {
    const to = sql.value<LeadId>(`SELECT ${indexedTo}`)!
    return { indexedTo: to, newest: to }
  })

/** Changes what a search finds the lead by. Must be called after the statement that writes the lead. */
export const changeSearch = (sql: Connection, before: Found | null, after: Found | null): void => {
  const { id } = (before ?? after)!
  const known = tailOf(sql)
  if (id <= known.indexedTo) SearchIndex.changeSearch(sql, before, after)
  else if (after !== null) known.newest = Math.max(known.newest, id)
}

/** Adds the whole tail to the indexes, with the commit of the transaction. */
export const indexTail = (sql: Connection): void => {
  const known = tailOf(sql)
  const rows = sql.tuples<readonly [id: LeadId, brandId: number, name: string, headline: string | null]>(
    "SELECT id, brand_id, name, headline FROM lead WHERE id > ? ORDER BY id",
    [known.indexedTo]
  )
  for (const [id, brandId, name, headline] of rows) {
    SearchIndex.changeSearch(sql, null, { id, brandId: String(brandId), profile: { name, headline } })
    known.indexedTo = id
  }
}

/** Adds the tail to the indexes where the transaction has made it longer than `max` leads. */
export const indexLongTail = (sql: Connection, max: number): void => {
  const known = tailOf(sql)
  if (known.newest - known.indexedTo > max) indexTail(sql)
}

/** Whether there is a tail. */
export const hasTail = (sql: QueryConnection): boolean =>
  sql.value(`SELECT 1 FROM lead WHERE ${isUnindexed} LIMIT 1`) !== undefined

/** The leads of the tail that a search for the folded needle finds. */
export const searchTail = (sql: QueryConnection, brandId: number, needle: string): ReadonlyArray<LeadId> =>
  sql
    .tuples<readonly [id: LeadId, name: string, headline: string | null]>(
      `SELECT id, name, headline FROM lead WHERE ${isUnindexed} AND +brand_id = ?`,
      [brandId]
    )
    .flatMap(([id, name, headline]) => (isFoundBy(needle, name, headline) ? [id] : []))
