/** The order of a list, `field:direction`. Ties break by id ascending, in either direction. [SORT-1 … SORT-6] */
import { Either } from "effect"

/** The fields that lists can be sorted by, spelled as clients send them. [SORT-1] */
export const sortFields = ["createdAt", "updatedAt", "score1", "name"] as const
/** One of `sortFields`. */
export type SortField = (typeof sortFields)[number]

/** An order of leads, read and checked. */
export interface SortOrder {
  /**
   * The field that is compared. Names compare by `Folding.fold`; a null score1 is last in either direction. [SORT-6]
   */
  readonly field: SortField
  /** Smallest first, or greatest first. Ties go by id ascending in both. [SORT-5] */
  readonly direction: "asc" | "desc"
}

/** The order of a list whose query names none: newest lead first. [SORT-2] */
export const byDefault: SortOrder = { field: "createdAt", direction: "desc" }

/** What `parse` takes: the end of each refusal, with all fields. [SORT-3] */
export const accepted = `takes field:direction, where field is one of ${sortFields.join(", ")} and direction is asc or desc`

/**
 * Reads `field:direction`: the field with its case, the direction in any. Undefined and the empty text give
 * `byDefault`. Left: any other text, with `accepted`. [SORT-1, SORT-2, SORT-3]
 */
export const parse = (text: string | undefined): Either.Either<SortOrder, string> => {
  if (text === undefined || text === "") return Either.right(byDefault)
  const match = /^([A-Za-z0-9]+):(asc|desc)$/i.exec(text)
  const field = sortFields.find((known) => known === match?.[1])
  return match === null || field === undefined
    ? Either.left(accepted)
    : Either.right({ field, direction: match[2]!.toLowerCase() as SortOrder["direction"] })
}

/** Writes the order as `meta.sort` shows it, such as `createdAt:desc`. [SORT-4] */
export const format = (order: SortOrder): string => `${order.field}:${order.direction}`
