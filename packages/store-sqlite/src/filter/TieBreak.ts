/**
 * Orders that are read against their index. Leads of one key come by ascending id whatever the direction, and an index read
 * backwards gives them by descending ones: having SQLite sort each key's leads for itself costs more than reading them. [SORT-5]
 */
import type { LeadId } from "@lead-signals/domain"
import type { Param, QueryConnection } from "../connection/Connection.ts"
import type { Sql } from "./Selection.ts"

/** The source of a query for leads, and its columns of id and key. */
export interface AccessPath {
  readonly source: string
  readonly id: string
  readonly key: string
}

/** A lead by what orders it. */
export interface Keyed {
  readonly id: LeadId
  readonly key: string | number
}

/** The rows of a query for id and key, in this order. */
export const readKeyed = (
  sql: QueryConnection,
  text: string,
  params: ReadonlyArray<Param>
): ReadonlyArray<Keyed> =>
  sql.tuples<readonly [LeadId, string | number]>(text, params).map(([id, key]) => ({ id, key }))

/** A page of a backwards walk, and its neighbours there, which can have the same keys. */
export interface BackwardsPage {
  readonly before: Keyed | undefined
  readonly page: ReadonlyArray<Keyed>
  readonly after: Keyed | undefined
}

/** Cuts so many rows from the backwards walk's; the first of them lies before the page unless that begins at the start. */
export const pageOf = (
  rows: ReadonlyArray<Keyed>,
  { limit, offset }: { readonly limit: number; readonly offset: number }
): BackwardsPage => {
  const first = offset === 0 ? 0 : 1
  return {
    before: offset === 0 ? undefined : rows[0],
    page: rows.slice(first, first + limit),
    after: rows[first + limit]
  }
}

/** The range of rows that `pageOf` needs. */
export const rangeOf = ({ limit, offset }: { readonly limit: number; readonly offset: number }) => ({
  from: Math.max(offset - 1, 0),
  length: limit + (offset === 0 ? 1 : 2)
})

/** Some of the leads of one key: so many, behind those whose ids are greater than `behind`; from the first on where it is null. */
export interface Tied {
  readonly key: string | number
  readonly behind: LeadId | null
  readonly length: number
}

/** Reverses each run of equal keys, which brings a backwards walk into the order of ids. */
export const reverseRuns = (rows: ReadonlyArray<Keyed>): ReadonlyArray<Keyed> => {
  const reversed: Array<Keyed> = []
  for (let start = 0, end = 0; start < rows.length; start = end) {
    while (end < rows.length && rows[end]!.key === rows[start]!.key) end++
    for (let i = end - 1; i >= start; i--) reversed.push(rows[i]!)
  }
  return reversed
}

/**
 * The page's ids in order. The leads of one key take the same places in either order of their ids: a run that lies wholly in
 * the page is reversed, and one that reaches beyond it is queried.
 */
export const inOrder = (
  sql: QueryConnection,
  { after, before, page }: BackwardsPage,
  tiedSql: (tied: Tied) => Sql
): ReadonlyArray<LeadId> => {
  const ids: Array<LeadId> = []
  for (let start = 0, end = 0; start < page.length; start = end) {
    const { id, key } = page[start]!
    while (end < page.length && page[end]!.key === key) end++
    const beginsEarlier = start === 0 && before?.key === key
    const endsLater = end === page.length && after?.key === key
    if (beginsEarlier || endsLater) {
      const { params, text } = tiedSql({ key, behind: beginsEarlier ? id : null, length: end - start })
      ids.push(...sql.column<LeadId>(text, params))
    } else {
      for (let i = end - 1; i >= start; i--) ids.push(page[i]!.id)
    }
  }
  return ids
}

/** Selects some leads of one key that fulfil the conditions. */
export const tiedSql = (path: AccessPath, { params, text }: Sql, { behind, key, length }: Tied): Sql => {
  const { id } = path
  const ofKey = `FROM ${path.source} WHERE ${text} AND ${path.key} = ?`
  const of = [...params, key]
  return behind === null
    ? { text: `SELECT ${id} ${ofKey} ORDER BY ${id} LIMIT ?`, params: [...of, length] }
    : {
        text: `SELECT ${id} ${ofKey} ORDER BY ${id} LIMIT ? OFFSET (SELECT count(*) ${ofKey} AND ${id} > ?)`,
        params: [...of, length, ...of, behind]
      }
}
