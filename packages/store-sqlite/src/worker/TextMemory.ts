/**
 * The thread's side of searches in memory: the texts of brands, by brand, each with the state of the file that it has. A search is
 * answered only where that is the state of the snapshot that it reads. What has changed since, by whatever process, the feed of changes
 * tells (`rows/ChangeReads.ts`).
 */
import type { LeadId, LeadListQuery } from "@lead-signals/domain"
import { Page } from "@lead-signals/domain/pure"
import { newestSql } from "../cache/LeadChanges.ts"
import type { DriverConnection } from "../connection/DriverConnection.ts"
import type { ReadFound } from "../query/LeadPages.ts"
import { idOf } from "@lead-signals/sql-rows"
import { newestPosition } from "../rows/ChangeReads.ts"
import type { PartSizes } from "../search/PostingParts.ts"
import { SearchMemory } from "../search/SearchMemory.ts"

/** How brands stand after a job. */
export interface Followed {
  /** Brands that are not in memory any more: too much of them has changed, or in a way that no feed tells. */
  readonly lost: ReadonlyArray<string>
  /** Whether more has changed than a job follows at once. */
  readonly isBehind: boolean
  /** Bytes of each brand that is in memory. */
  readonly bytes: ReadonlyMap<string, number>
}

/** Leads of a brand that one job reads into memory. */
export interface Piece {
  readonly brandId: string
  /** The greatest id of the piece before; null for the first, which begins anew. */
  readonly after: LeadId | null
  readonly length: number
  /** Those of production where it is undefined. */
  readonly parts?: PartSizes | undefined
}

/** What a job has read. */
export interface PieceRead {
  /** The greatest id of the piece; null with the last. */
  readonly last: LeadId | null
  /** Leads of the brand that are in memory by now, and their bytes. */
  readonly leads: number
  readonly bytes: number
}

/** A list of a brand. */
export interface Search {
  readonly brandId: string
  readonly query: LeadListQuery
}

/** What memory answers. */
export interface Searched<A> {
  /** Null where memory has another state than the file. */
  readonly page: A | null
  /** Whether the brand is not in memory any more. */
  readonly isLost: boolean
}

/** A state of the file, as far as searches read it. */
interface FileState {
  /** The number of the newest change of leads. */
  readonly change: number
  /** The position of the newest change in the feed. */
  readonly position: number
}

interface BrandMemory {
  readonly memory: SearchMemory
  state: FileState
}

type Brands = Map<string, BrandMemory>

const byConnection = new WeakMap<DriverConnection, Brands>()

/** The brands that the jobs of a connection keep in memory. */
export const brandsOf = (sql: DriverConnection): Brands => {
  const known = byConnection.get(sql)
  if (known !== undefined) return known
  const made: Brands = new Map()
  byConnection.set(sql, made)
  return made
}

const stateOf = (sql: DriverConnection): FileState => ({
  change: sql.value<number>(newestSql)!,
  position: newestPosition(sql)
})

/** Positions of the feed that are followed at once: each has a lead at most, which takes some 15 µs to read and to put in. */
const maxFollowed = 2000

type Row = readonly [
  id: LeadId,
  name: string,
  headline: string | null,
  flags: number,
  score1: number | null,
  createdAt: number,
  updatedAt: number,
  /** JSON. */
  signalIds: string
]

const columns = "id, name, headline, flags, score1, created_at, updated_at, signal_ids"

const put = (memory: SearchMemory, rows: ReadonlyArray<Row>): void => {
  for (const [id, name, headline, flags, score1, createdAt, updatedAt, ids] of rows) {
    const signalIds = JSON.parse(ids) as ReadonlyArray<string>
    memory.put({ id, name, headline, flags, score1, createdAt, updatedAt, signalIds })
  }
}

/** The leads of the brand that have changed between two positions, also those that are gone. */
const changedSql = `SELECT lead_id FROM event NOT INDEXED WHERE position > ? AND position <= ? AND brand_id = ?
  UNION SELECT lead_id FROM changed_lead INDEXED BY changed_lead_by_position
    WHERE brand_id = ? AND position > ? AND position <= ?`

const givenSql = `SELECT ${columns} FROM lead NOT INDEXED WHERE id IN (SELECT value FROM json_each(?)) AND brand_id = ?`

const countSql = "SELECT coalesce(sum(n), 0) FROM lead_count WHERE brand_id = ? AND signal_id = 0"
const forgottenSql = "SELECT changes_forgotten FROM brand WHERE id = ?"

type Standing = "there" | "behind" | "lost"

/** Brings the brand to the state of the snapshot that the connection reads, or nearer to it. */
const followBrand = (sql: DriverConnection, brandId: string, brandMemory: BrandMemory): Standing => {
  const { memory, state } = brandMemory
  const newest = stateOf(sql)
  if (newest.change === state.change && newest.position === state.position) return "there"
  const brand = idOf(brandId)
  // A deleted brand has no row.
  if ((sql.value<number>(forgottenSql, [brand]) ?? Infinity) > state.position) return "lost"
  const until = Math.min(newest.position, state.position + maxFollowed)
  const ids = sql.column<LeadId>(changedSql, [state.position, until, brand, brand, state.position, until])
  if (ids.length > 0) {
    const rows = sql.tuples<Row>(givenSql, [JSON.stringify(ids), brand])
    put(memory, rows)
    const there = new Set(rows.map(([id]) => id))
    for (const id of ids) if (!there.has(id)) memory.remove(id)
  }
  if (until < newest.position) {
    brandMemory.state = { change: state.change, position: until }
    return memory.isWorn ? "lost" : "behind"
  }
  brandMemory.state = newest
  // Leads of a brand that is being deleted go without a trace in the feed.
  return memory.isWorn || memory.size !== sql.value<number>(countSql, [brand]) ? "lost" : "there"
}

/** Brings all brands to the state of the file, or nearer to it. */
export const follow = (sql: DriverConnection): Followed =>
  sql.snapshot(() => {
    const brands = brandsOf(sql)
    const lost: Array<string> = []
    const bytes = new Map<string, number>()
    let isBehind = false
    for (const [brandId, brandMemory] of brands) {
      // Until it is read whole it lacks leads that no change tells of.
      const standing = brandMemory.memory.isLoading ? "there" : followBrand(sql, brandId, brandMemory)
      if (standing === "lost") {
        brands.delete(brandId)
        lost.push(brandId)
      } else {
        isBehind ||= standing === "behind"
        bytes.set(brandId, brandMemory.memory.byteLength)
      }
    }
    return { lost, isBehind, bytes }
  })

/** Drops the texts of the brands. */
export const forget = (sql: DriverConnection, brandIds: ReadonlyArray<string>): void => {
  for (const brandId of brandIds) brandsOf(sql).delete(brandId)
}

const pieceSql = `SELECT ${columns} FROM lead NOT INDEXED WHERE id > ? AND brand_id = ? ORDER BY id LIMIT ?`

/** Reads a piece. Pieces are of different states: memory is right as soon as it has followed the feed since the first piece. */
export const remember = (sql: DriverConnection, { after, brandId, length, parts }: Piece): PieceRead =>
  sql.snapshot(() => {
    const brands = brandsOf(sql)
    if (after === null) brands.set(brandId, { memory: new SearchMemory(parts), state: stateOf(sql) })
    const memory = brands.get(brandId)?.memory
    // The thread was started anew in between.
    if (memory === undefined) return { last: null, leads: 0, bytes: 0 }
    const rows = sql.tuples<Row>(pieceSql, [after ?? 0, idOf(brandId), length])
    put(memory, rows)
    const last = rows.length === length ? rows.at(-1)![0] : null
    if (last === null) memory.endLoading()
    return { last, leads: memory.size, bytes: memory.byteLength }
  })

/** Follows the brand's changes, and searches, over one snapshot of the file. */
export const searching =
  <A>(readFound: ReadFound<A>) =>
  (sql: DriverConnection, { brandId, query }: Search): Searched<A> => {
    const brands = brandsOf(sql)
    const brandMemory = brands.get(brandId)
    if (brandMemory === undefined) return { page: null, isLost: true }
    return sql.snapshot(() => {
      const standing = followBrand(sql, brandId, brandMemory)
      if (standing === "lost") brands.delete(brandId)
      if (standing !== "there") return { page: null, isLost: standing === "lost" }
      const { filter, page, sort } = query
      const found = brandMemory.memory.search({
        filter,
        sort,
        offset: Page.offset(page),
        limit: page.pageSize
      })
      return { page: readFound(sql, query, found), isLost: false }
    })
  }
