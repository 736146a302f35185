/** The feed of changes, by which a copy of the brand's leads stays equal to them. [CHG-1 … CHG-5] */
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
  /** Whether more changes follow; false where the reader now has all committed changes. */
  readonly hasMore: boolean
  /** The brand, whose secret authenticates cursors. */
  readonly brand: Brand
  /** Where the next page begins. */
  readonly next: ChangePosition
}

/** The position after which a page begins; null begins with the first lead. Fails with `InvalidParameter` for a text that is no cursor of the brand. */
const begin = (
  brand: Brand,
  { cursor }: ChangeQuery
): Effect.Effect<ChangePosition | null, InvalidParameter> => {
  if (cursor === null) return Effect.succeed(null)
  const position = ChangeCursor.parse(brand, cursor)
  return position === null ? Effect.fail(Parameters.invalid("cursor", cursorTakes)) : Effect.succeed(position)
}

/** How often one page reads the store at most. In each read a store looks at a bounded number of rows. */
const maxReads = 20

/**
 * Reads the page after a position. It reads the store again while there are more changes and the page is not full. Fails with `CursorExpired`
 * where the store no longer knows all changes since the position. [CHG-1, CHG-5]
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
        // The lead changed again between two reads; its newer state replaces the older one, at the end.
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
 * Reads the requested page. Fails with `InvalidParameter` for a cursor that is not one of the brand, with `CursorExpired` where the store no longer
 * knows all changes since the cursor, with `NotFound` when there is no such brand, and with `StoreUnavailable`. [CHG-1, CHG-4, CHG-5]
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

/** Reads the page after the given one. Fails with `CursorExpired` and with `StoreUnavailable`. [CHG-6] */
export const readNext = (
  { brand, next }: ChangeFeedPage,
  query: Pick<ChangeQuery, "engagements" | "limit">
): Effect.Effect<ChangeFeedPage, CursorExpired | StoreUnavailable, LeadStore> => readAfter(brand, next, query)
