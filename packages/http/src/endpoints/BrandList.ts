import { Brands, Directory, type StoreUnavailable } from "@lead-signals/domain"
import { Effect } from "effect"

/** The brand's things of one kind, as `{ data }`. Fails with `NotFound` when there is no such brand. */
export const listOfBrand = <A, View>(
  brandId: string,
  list: (
    directory: typeof Directory.Service,
    brandId: string
  ) => Effect.Effect<ReadonlyArray<A>, StoreUnavailable>,
  view: (thing: A) => View
) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    const { id } = yield* Brands.get(brandId)
    return { data: (yield* list(directory, id)).map(view) }
  })
