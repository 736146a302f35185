/** The feed of changes: what a copy of the brand's leads needs to stay equal to them. [CHG-1 … CHG-5] */
import { Effect } from "effect"
import * as ChangeCursor from "../credentials/ChangeCursor.ts"
import type { Brand, BrandId } from "../model/Brand.ts"
import {
  CursorExpired,
  type InvalidParameter,
  type NotFound,
  type StoreUnavailable
} from "../model/Failure.ts"
import type { ChangePosition } from "../model/LeadChange.ts"
import type { BrandStore } from "../ports/BrandStore.ts"
import { type ChangeRead, LeadStore } from "../ports/LeadStore.ts"
import { type ChangeQuery, cursorTakes } from "../queries/ChangeQueries.ts"
import * as Parameters from "../queries/Parameters.ts"
import * as Brands from "./Brands.ts"

/** One page of the feed. */
export interface ChangeFeedPage {
  /** At most as many as the query allows, each lead once. */
  readonly changes: ReadonlyArray<ChangeRead>
  /** Whether more changes follow at once; where not, the reader has all that was committed. */
  readonly hasMore: boolean
  /** The brand, whose secret authenticates cursors. */
  readonly brand: Brand
  /** Where the next page begins. */
  readonly next: ChangePosition
}

/** Where a feed begins: null is the first lead. Fails with `InvalidParameter` for a text that is no cursor of the brand. */
const begin = (
  brand: Brand,
  { cursor }: ChangeQuery
): Effect.Effect<ChangePosition | null, InvalidParameter> => {
  if (cursor === null) return Effect.succeed(null)
  const position = ChangeCursor.parse(brand, cursor)
  return position === null ? Effect.fail(Parameters.invalid("cursor", cursorTakes)) : Effect.succeed(position)
}

/** Reads of the store that one page takes at most: a store looks at a bounded number of rows in each. */
const maxReads = 20

/**
 * Reads the page after a position. It reads on while the store has found too few changes among the rows that it looked at. Fails with
 * `CursorExpired` where the store can no longer tell all changes since then. [CHG-1, CHG-5]
 */
const readAfter = (
  brand: Brand,
  after: ChangePosition | null,
  { engagements, limit }: Pick<ChangeQuery, "engagements" | "limit">
): Effect.Effect<ChangeFeedPage, CursorExpired | StoreUnavailable, LeadStore> =>
  Effect.gen(function* () {
    const store = yield* LeadStore
    const found = new Map<number, ChangeRead>()
    let next: ChangePosition | null = after
    for (let reads = 1; ; reads++) {
      const page = yield* store.changesAfter(brand.id, next, { limit: limit - found.size, engagements })
      if (page.isExpired) return yield* new CursorExpired()
      for (const change of page.changes) {
        const id = change.type === "lead" ? change.read.lead.id : change.id
        // It changed again between two reads; the newer state takes the later place.
        found.delete(id)
        found.set(id, change)
      }
      next = page.next
      if (!page.hasMore || found.size >= limit || reads === maxReads) {
        return { changes: [...found.values()], hasMore: page.hasMore, brand, next }
      }
    }
  })

/**
 * Reads the page that the query asks for. Fails with `InvalidParameter` for a cursor that is none of the brand's, with `CursorExpired` for one
 * from before what the store remembers, with `NotFound` when the brand is gone, and with `StoreUnavailable`. [CHG-1, CHG-4, CHG-5]
 */
export const read = (
  brandId: BrandId,
  query: ChangeQuery
): Effect.Effect<
  ChangeFeedPage,
  InvalidParameter | CursorExpired | NotFound | StoreUnavailable,
  LeadStore | BrandStore
> =>
  Effect.gen(function* () {
    const brand = yield* Brands.get(brandId)
    return yield* readAfter(brand, yield* begin(brand, query), query)
  })

/** Reads the page that follows one. Fails with `CursorExpired` and with `StoreUnavailable`. [CHG-6] */
export const readNext = (
  { brand, next }: ChangeFeedPage,
  query: Pick<ChangeQuery, "engagements" | "limit">
): Effect.Effect<ChangeFeedPage, CursorExpired | StoreUnavailable, LeadStore> => readAfter(brand, next, query)
