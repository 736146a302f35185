/** The state of the reference, as its URL has it. */
import { searchTexts } from "../shell/searchTexts.ts"

/** Without the parameter the overview is shown. */
export interface ReferenceSearch {
  /** The id of the operation that is open. */
  readonly operation?: string
}

/** Keeps the id of an operation, whether there is one or not. */
export const readReferenceSearch = (given: Record<string, unknown>): ReferenceSearch =>
  searchTexts(["operation"], given)
