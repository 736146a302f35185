/** Two brands: what a case does to the first must not be seen in the second. */
import { Brands } from "@lead-signals/domain"
import { Effect } from "effect"

/** Creates both. */
export const twoBrands = Effect.all([Brands.create("A"), Brands.create("B")])
