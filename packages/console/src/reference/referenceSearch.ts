/** The state of the reference, as its URL has it. */
export interface ReferenceSearch {
  /** The id of the operation that is open. */
  readonly operation?: string
}

/** Keeps the id of an operation, whether there is one or not. */
export const readReferenceSearch = ({ operation }: Record<string, unknown>): ReferenceSearch =>
  typeof operation === "string" && operation !== "" ? { operation } : {}
