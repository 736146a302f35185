import { Brands, type StoreUnavailable } from "@lead-signals/domain"
import { Effect } from "effect"

/** The brand's things of one kind, as `{ data }`. Fails with `NotFound` when there is no such brand. */
export const listOfBrand = <A, View, R>(
  brandId: string,
  list: (brandId: string) => Effect.Effect<ReadonlyArray<A>, StoreUnavailable, R>,
  view: (thing: A) => View
) =>
  Effect.gen(function* () {
    const { id } = yield* Brands.get(brandId)
    return { data: (yield* list(id)).map(view) }
  })
