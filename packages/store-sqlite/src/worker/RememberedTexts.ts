/**
 * The thread's side of searches in memory: the texts of brands, by brand, each with the state of the file that it has. A search is
 * answered only where that is the state of the snapshot that it reads.
 */
import type { LeadId } from "@lead-signals/domain"
import { Page } from "@lead-signals/domain/pure"
import { newestSql } from "../cache/LeadChanges.ts"
import type { DriverConnection } from "../connection/DriverConnection.ts"
import type { Query, ReadFound } from "../query/LeadPages.ts"
import { idOf } from "@lead-signals/sql-rows"
import { type SearchableLead, SearchMemory } from "../search/SearchMemory.ts"

/** A lead as a commit left it. */
interface Changed extends SearchableLead {
  readonly brandId: string
}

/** What a commit changed; `from` and `to` are numbers of the newest change, before and after it. */
export interface TextStep {
  readonly from: number
  readonly to: number
  readonly changed: ReadonlyArray<Changed>
}

export interface Steps {
  /** In order, those that no earlier job had. */
  readonly steps: ReadonlyArray<TextStep>
}

export interface Followed {
  /** Brands that are not in memory any more: a change of theirs is missing, or too much of them has changed. */
  readonly lost: ReadonlyArray<string>
}

export interface Piece extends Steps {
  readonly brandId: string
  /** The greatest id of the piece before; null for the first, which begins anew. */
  readonly after: LeadId | null
  readonly length: number
}

export interface PieceRead extends Followed {
  /** The greatest id of the piece; null with the last. */
  readonly last: LeadId | null
}

export interface Search extends Steps {
  readonly brandId: string
  readonly query: Query
}

export interface Searched<A> extends Followed {
  /** Null where memory has another state than the file. */
  readonly page: A | null
  /** The number of the newest change in the file. */
  readonly state: number
}

interface Remembered {
  readonly memory: SearchMemory
  /** The number of the newest change that it has. */
  state: number
}

type Brands = Map<string, Remembered>

const byConnection = new WeakMap<DriverConnection, Brands>()

const brandsOf = (sql: DriverConnection): Brands => {
  const known = byConnection.get(sql)
  if (known !== undefined) return known
  const made: Brands = new Map()
  byConnection.set(sql, made)
  return made
}

/** Takes the steps over. Answers the brands that it can't follow, and drops them. */
const followSteps = (brands: Brands, steps: ReadonlyArray<TextStep>): ReadonlyArray<string> => {
  const before = [...brands.keys()]
  for (const { changed, from, to } of steps) {
    const following = new Map<string, SearchMemory>()
    for (const [brandId, remembered] of brands) {
      // A brand that was read later has this step already.
      if (to <= remembered.state) continue
      if (from !== remembered.state) {
        brands.delete(brandId)
        continue
      }
      remembered.state = to
      following.set(brandId, remembered.memory)
    }
    for (const lead of changed) following.get(lead.brandId)?.put(lead)
  }
  for (const [brandId, { memory }] of brands) if (memory.isWorn) brands.delete(brandId)
  return before.filter((brandId) => !brands.has(brandId))
}

export const follow = (sql: DriverConnection, { steps }: Steps): Followed => ({
  lost: followSteps(brandsOf(sql), steps)
})

export const forget = (sql: DriverConnection, brandIds: ReadonlyArray<string>): void => {
  for (const brandId of brandIds) brandsOf(sql).delete(brandId)
}

type Row = readonly [
  id: LeadId,
  name: string,
  headline: string | null,
  flags: number,
  score1: number | null,
  createdAt: number,
  updatedAt: number
]

const pieceSql = `SELECT id, name, headline, flags, score1, created_at, updated_at FROM lead NOT INDEXED
  WHERE id > ? AND brand_id = ? ORDER BY id LIMIT ?`

/**
 * Reads a piece. Pieces are of different states: a lead that changed in between is put in again with its step, whatever the piece had
 * of it, so that memory is right as soon as it has had all steps since the first piece.
 */
export const remember = (sql: DriverConnection, { after, brandId, length, steps }: Piece): PieceRead =>
  sql.snapshot(() => {
    const brands = brandsOf(sql)
    const lost = followSteps(brands, steps)
    if (after === null) {
      brands.set(brandId, { memory: new SearchMemory(), state: sql.value<number>(newestSql)! })
    }
    const memory = brands.get(brandId)?.memory
    if (memory === undefined) return { lost: [...lost, brandId], last: null }
    const rows = sql.tuples<Row>(pieceSql, [after ?? 0, idOf(brandId), length])
    for (const [id, name, headline, flags, score1, createdAt, updatedAt] of rows) {
      memory.put({ id, name, headline, flags, score1, createdAt, updatedAt })
    }
    if (rows.length === length) return { lost, last: rows.at(-1)![0] }
    memory.endLoading()
    return { lost, last: null }
  })

/** Follows the steps, and searches, over one snapshot of the file. */
export const searching =
  <A>(readFound: ReadFound<A>) =>
  (sql: DriverConnection, { brandId, query, steps }: Search): Searched<A> => {
    const brands = brandsOf(sql)
    const lost = followSteps(brands, steps)
    return sql.snapshot(() => {
      const state = sql.value<number>(newestSql)!
      const remembered = brands.get(brandId)
      if (remembered === undefined) return { page: null, state, lost: [...lost, brandId] }
      if (remembered.state !== state) return { page: null, state, lost }
      const { filter, page, sort } = query
      const found = remembered.memory.search({
        filter,
        sort,
        offset: Page.offset(page),
        limit: page.pageSize
      })
      return { page: readFound(sql, query, found), state, lost }
    })
  }
