import { Directory, Operating, type StoreUnavailable } from "@lead-signals/domain"
import { Effect } from "effect"
import { data } from "../Answers.ts"

/** The brand's things of one kind; an unknown brand is an error and not an empty list. */
export const listed = <A>(
  brandId: string,
  list: (
    directory: typeof Directory.Service,
    brandId: string
  ) => Effect.Effect<ReadonlyArray<A>, StoreUnavailable>,
  view: (thing: A) => unknown
) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    const { id } = yield* Operating.brand(brandId)
    return data((yield* list(directory, id)).map(view))
  })
