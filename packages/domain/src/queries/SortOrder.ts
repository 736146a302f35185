/** How a list is ordered: `field:direction`. Ties break by id ascending, in either direction. [SORT-1 … SORT-6] */
import { Either } from "effect"

export const sortFields = ["createdAt", "updatedAt", "score1", "name"] as const
export type SortField = (typeof sortFields)[number]

export interface SortOrder {
  readonly field: SortField
  readonly direction: "asc" | "desc"
}

export const byDefault: SortOrder = { field: "createdAt", direction: "desc" }

export const accepted = `takes field:direction, where field is one of ${sortFields.join(", ")} and direction is asc or desc`

/** The field is matched with its case, the direction without; nothing and the empty text give the default. */
export const parse = (text: string | undefined): Either.Either<SortOrder, string> => {
  if (text === undefined || text === "") return Either.right(byDefault)
  const match = /^([A-Za-z0-9]+):(asc|desc)$/i.exec(text)
  const field = sortFields.find((known) => known === match?.[1])
  return match === null || field === undefined
    ? Either.left(accepted)
    : Either.right({ field, direction: match[2]!.toLowerCase() as SortOrder["direction"] })
}

/** `createdAt:desc` [SORT-4] */
export const format = (order: SortOrder): string => `${order.field}:${order.direction}`
